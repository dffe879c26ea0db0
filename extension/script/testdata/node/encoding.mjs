export default () => {
	const d = new TextDecoder();
	const bytes = new TextEncoder().encode("a€😀");
	const streamed = d.decode(bytes.subarray(0, 2), { stream: true }) + d.decode(bytes.subarray(2, 5), { stream: true }) + d.decode(bytes.subarray(5));
	const out = [[...bytes], streamed, new TextDecoder().decode(new Uint8Array([0xff, 0x41])), new TextDecoder("utf-16le").decode(new Uint8Array([0x41, 0])), btoa("hi\xff"), atob("aGk="), new TextDecoder().encoding, new TextEncoder().encode("\ud800").length];
	try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff])); } catch (e) { out.push(e.name); }
	try { btoa("€"); } catch (e) { out.push(e.name); }
	out.push(new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x41])), structuredClone({ a: [1, new Date(0)], m: new Map([[1, { x: 1 }]]) }).a[1].getTime());
	const c = {}; c.self = c; out.push(structuredClone(c).self !== c);
	try { structuredClone(() => {}); } catch (e) { out.push(e.name); }
	return out;
};
