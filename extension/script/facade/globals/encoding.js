// TextEncoder, TextDecoder, atob, btoa. Go converts; plain ASCII stays here.
import { host } from "rondo:host";

const ascii = /^[\x00-\x7f]*$/;

export function encodeText(text, encoding = "utf8") {
	if (encoding === "utf8" && text.length < 256 && ascii.test(text)) {
		const bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
		return bytes;
	}
	return Uint8Array.fromBase64(host("bytes.encode", { text, encoding }));
}

export function decodeBytes(bytes, encoding = "utf8") {
	return host("bytes.decode", { data: bytes.toBase64(), encoding });
}

export const bytesOf = (data) => {
	if (data instanceof Uint8Array) return data;
	if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
	if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Uint8Array(data);
	throw new TypeError("expected bytes: a typed array, a DataView or an ArrayBuffer");
};

export class TextEncoder {
	get encoding() { return "utf-8"; }
	encode(text = "") { return encodeText(String(text)); }
	encodeInto(text, into) {
		const bytes = this.encode(text).subarray(0, into.length);
		into.set(bytes);
		return { read: decodeBytes(bytes).length, written: bytes.length };
	}
}

const labels = new Map([["utf-8", "utf8"], ["utf8", "utf8"], ["unicode-1-1-utf-8", "utf8"], ["ascii", "latin1"], ["us-ascii", "latin1"], ["latin1", "latin1"], ["iso-8859-1", "latin1"], ["windows-1252", "latin1"], ["utf-16le", "utf16le"], ["utf-16", "utf16le"]]);

// incomplete counts the bytes at the end that begin a character which is not complete.
function incomplete(bytes) {
	for (let back = 1; back <= Math.min(3, bytes.length); back++) {
		const b = bytes[bytes.length - back];
		if ((b & 0xc0) === 0x80) continue;
		const length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
		return length > back ? back : 0;
	}
	return 0;
}

export class TextDecoder {
	#encoding;
	#rest = new Uint8Array(0);
	#begun = false;
	constructor(label = "utf-8", options = {}) {
		const encoding = labels.get(String(label).toLowerCase());
		if (!encoding) throw new RangeError(`TextDecoder does not know the encoding ${label}`);
		this.#encoding = encoding;
		this.fatal = Boolean(options.fatal);
		this.ignoreBOM = Boolean(options.ignoreBOM);
	}
	get encoding() { return this.#encoding === "utf8" ? "utf-8" : this.#encoding === "latin1" ? "windows-1252" : "utf-16le"; }
	decode(data, options = {}) {
		let bytes = data === undefined ? new Uint8Array(0) : bytesOf(data);
		if (this.#rest.length > 0) {
			const joined = new Uint8Array(this.#rest.length + bytes.length);
			joined.set(this.#rest);
			joined.set(bytes, this.#rest.length);
			bytes = joined;
		}
		const keep = options.stream && this.#encoding === "utf8" ? incomplete(bytes) : 0;
		this.#rest = bytes.slice(bytes.length - keep);
		let text = decodeBytes(bytes.subarray(0, bytes.length - keep), this.#encoding);
		if (this.fatal && text.includes("\ufffd") && encodeText(text).length !== bytes.length - keep) throw new TypeError("The data is not valid " + this.encoding);
		if (!this.#begun && !this.ignoreBOM && text.startsWith("\ufeff")) text = text.slice(1);
		this.#begun = Boolean(options.stream);
		return text;
	}
}

export function btoa(text) {
	const bytes = new Uint8Array(String(text).length);
	for (let i = 0; i < bytes.length; i++) {
		const c = String(text).charCodeAt(i);
		if (c > 255) throw new DOMException("btoa takes characters up to U+00FF", "InvalidCharacterError");
		bytes[i] = c;
	}
	return bytes.toBase64();
}

export function atob(text) {
	let bytes;
	try {
		bytes = Uint8Array.fromBase64(String(text).replace(/[\t\n\f\r ]/g, ""));
	} catch {
		throw new DOMException("The string is not base64", "InvalidCharacterError");
	}
	return decodeBytes(bytes, "latin1");
}
