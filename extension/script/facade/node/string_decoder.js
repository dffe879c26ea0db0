// Bytes that come in pieces, as text.
export class StringDecoder {
	#decoder;
	#rest = Buffer.alloc(0);
	constructor(encoding = "utf8") {
		this.encoding = String(encoding).toLowerCase().replace("utf-8", "utf8");
		if (this.encoding === "utf8") this.#decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	}
	write(bytes) {
		if (typeof bytes === "string") return bytes;
		if (this.#decoder) return this.#decoder.decode(bytes, { stream: true });
		const all = Buffer.concat([this.#rest, bytes]);
		const unit = this.encoding.startsWith("base64") ? 3 : /utf-?16|ucs/.test(this.encoding) ? 2 : 1;
		const whole = all.length - (all.length % unit);
		this.#rest = all.subarray(whole);
		return all.subarray(0, whole).toString(this.encoding);
	}
	end(bytes) {
		const text = bytes ? this.write(bytes) : "";
		const rest = this.#decoder ? this.#decoder.decode() : this.#rest.toString(this.encoding);
		this.#rest = Buffer.alloc(0);
		return text + rest;
	}
}
export default { StringDecoder };
