export default () => {
	const b = Buffer.from("héllo €😀");
	const out = [b.toString("hex"), b.toString("base64"), b.toString("base64url"), b.length, b.toString("latin1"), b.toString("ascii"), Buffer.byteLength("€"), b.subarray(1, 3).toString("hex"), b.slice(0, 1).toString()];
	out.push(Buffer.from("68c3", "hex").toString(), Buffer.from("aGk", "base64").toString(), Buffer.from("aGk_-w==", "base64url").toString("hex"), Buffer.from([1, 257, -1]), Buffer.alloc(3, "ab"), Buffer.concat([Buffer.from("a"), Buffer.from("b")]).toString());
	out.push(b.indexOf("llo"), b.includes("zzz"), b.equals(Buffer.from(b)), Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.isBuffer(b), Buffer.isBuffer(new Uint8Array(1)), b instanceof Uint8Array);
	const w = Buffer.alloc(16);
	w.writeUInt16BE(0x1234, 0); w.writeInt32LE(-5, 2); w.writeDoubleBE(1.5, 8);
	out.push(w.toString("hex"), w.readUInt16BE(0), w.readInt32LE(2), w.readDoubleBE(8), w.readUInt8(1), w.write("xy", 6), w.toString("utf8", 6, 8));
	out.push(JSON.parse(JSON.stringify(Buffer.from("hi"))), Buffer.from("€", "utf16le").toString("hex"), Buffer.from("ab").fill("xyz").toString(), Buffer.from("abc").copy(w, 1), w[1], Buffer.from("ÿ", "latin1")[0]);
	try { Buffer.from("a", "nope"); } catch (e) { out.push(e.code); }
	out.push([...Buffer.from("ab").entries()], Buffer.from(new Uint16Array([1, 300]).buffer).length, Buffer.from("abcabc").lastIndexOf("abc"));
	return out;
};
