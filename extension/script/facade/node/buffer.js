// Node's Buffer: a Uint8Array that knows encodings.
import { bytesOf, decodeBytes, encodeText } from "rondo:encoding";

const known = new Set(["utf8", "utf-8", "hex", "base64", "base64url", "latin1", "binary", "ascii", "utf16le", "utf-16le", "ucs2", "ucs-2"]);
const name = (encoding) => {
	const e = encoding === undefined || encoding === null ? "utf8" : String(encoding).toLowerCase();
	if (!known.has(e)) throw Object.assign(new TypeError("Unknown encoding: " + encoding), { code: "ERR_UNKNOWN_ENCODING" });
	return e === "utf-8" ? "utf8" : e;
};
const view = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength);

export class Buffer extends Uint8Array {
	static poolSize = 8192;
	static from(value, encoding, length) {
		if (typeof value === "string") return own(encodeText(value, name(encoding)));
		if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Buffer(value, encoding ?? 0, length ?? value.byteLength - (encoding ?? 0));
		if (value?.type === "Buffer" && Array.isArray(value.data)) return own(new Uint8Array(value.data));
		if (ArrayBuffer.isView(value) || Array.isArray(value) || typeof value?.length === "number") return own(Uint8Array.from(value));
		throw new TypeError("Buffer.from takes a string, an array, an ArrayBuffer or a Buffer");
	}
	static alloc(size, fill, encoding) {
		const b = new Buffer(size);
		return fill === undefined ? b : b.fill(fill, encoding);
	}
	static of(...items) { return own(Uint8Array.from(items)); }
	static copyBytesFrom(view, offset = 0, length = view.length - offset) {
		const part = view.subarray(offset, offset + length);
		return own(new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength)));
	}
	static allocUnsafe(size) { return new Buffer(size); }
	static allocUnsafeSlow(size) { return new Buffer(size); }
	static isBuffer(b) { return b instanceof Buffer; }
	static isEncoding(e) { return known.has(String(e).toLowerCase()); }
	static byteLength(value, encoding) { return typeof value === "string" ? encodeText(value, name(encoding)).length : value.byteLength; }
	static concat(list, total = list.reduce((n, b) => n + b.length, 0)) {
		const out = new Buffer(total);
		let at = 0;
		for (const b of list) {
			out.set(at + b.length > total ? b.subarray(0, total - at) : b, at);
			at += b.length;
			if (at >= total) break;
		}
		return out;
	}
	static compare(a, b) {
		for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
		return Math.sign(a.length - b.length);
	}
	toString(encoding, start = 0, end = this.length) { return decodeBytes(this.subarray(start, end), name(encoding)); }
	toLocaleString(encoding) { return this.toString(encoding); }
	toJSON() { return { type: "Buffer", data: [...this] }; }
	equals(other) { return Buffer.compare(this, other) === 0; }
	compare(other, ts = 0, te = other.length, ss = 0, se = this.length) { return Buffer.compare(this.subarray(ss, se), other.subarray(ts, te)); }
	slice(start, end) { return this.subarray(start, end); }
	write(text, offset = 0, length, encoding) {
		if (typeof offset === "string") [encoding, offset, length] = [offset, 0, undefined];
		else if (typeof length === "string") [encoding, length] = [length, undefined];
		const bytes = encodeText(text, name(encoding)).subarray(0, Math.min(length ?? Infinity, this.length - offset));
		this.set(bytes, offset);
		return bytes.length;
	}
	copy(target, ts = 0, ss = 0, se = this.length) {
		const part = this.subarray(ss, Math.min(se, ss + target.length - ts));
		target.set(part, ts);
		return part.length;
	}
	fill(value, start, end, encoding) {
		if (typeof start === "string") [encoding, start] = [start, undefined];
		if (typeof value === "number") return super.fill(value & 255, start, end);
		const bytes = typeof value === "string" ? encodeText(value, name(encoding)) : value;
		if (bytes.length === 0) return super.fill(0, start, end);
		for (let i = start ?? 0, j = 0; i < (end ?? this.length); i++, j++) this[i] = bytes[j % bytes.length];
		return this;
	}
	#find(value, from, encoding, last) {
		if (typeof from === "string") [encoding, from] = [from, undefined];
		if (typeof value === "number") return last ? super.lastIndexOf(value & 255, from ?? this.length - 1) : super.indexOf(value & 255, from ?? 0);
		const bytes = typeof value === "string" ? encodeText(value, name(encoding)) : value;
		const fits = (i) => { for (let j = 0; j < bytes.length; j++) if (this[i + j] !== bytes[j]) return false; return true; };
		if (last) for (let i = Math.min(from ?? Infinity, this.length - bytes.length); i >= 0; i--) { if (fits(i)) return i; }
		else for (let i = Math.max(0, from ?? 0); i <= this.length - bytes.length; i++) if (fits(i)) return i;
		return -1;
	}
	indexOf(value, from, encoding) { return this.#find(value, from, encoding, false); }
	lastIndexOf(value, from, encoding) { return this.#find(value, from, encoding, true); }
	includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; }
	swap32() { for (let i = 0; i + 3 < this.length; i += 4) this.subarray(i, i + 4).reverse(); return this; }
	swap64() { for (let i = 0; i + 7 < this.length; i += 8) this.subarray(i, i + 8).reverse(); return this; }
	swap16() { for (let i = 0; i + 1 < this.length; i += 2) [this[i], this[i + 1]] = [this[i + 1], this[i]]; return this; }
	readUIntBE(at, n) { let v = 0; for (let i = 0; i < n; i++) v = v * 256 + this[at + i]; return v; }
	readUIntLE(at, n) { let v = 0; for (let i = n - 1; i >= 0; i--) v = v * 256 + this[at + i]; return v; }
	readIntBE(at, n) { const v = this.readUIntBE(at, n); return v >= 2 ** (8 * n - 1) ? v - 2 ** (8 * n) : v; }
	readIntLE(at, n) { const v = this.readUIntLE(at, n); return v >= 2 ** (8 * n - 1) ? v - 2 ** (8 * n) : v; }
	writeUIntBE(v, at, n) { for (let i = n - 1; i >= 0; i--) { this[at + i] = v % 256; v = Math.floor(v / 256); } return at + n; }
	writeUIntLE(v, at, n) { for (let i = 0; i < n; i++) { this[at + i] = v % 256; v = Math.floor(v / 256); } return at + n; }
	get [Symbol.toStringTag]() { return "Uint8Array"; }
	get parent() { return this.buffer; }
	get offset() { return this.byteOffset; }
}

const own = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

for (const [kind, size, how] of [["UInt8", 1, "Uint8"], ["Int8", 1, "Int8"], ["UInt16", 2, "Uint16"], ["Int16", 2, "Int16"], ["UInt32", 4, "Uint32"], ["Int32", 4, "Int32"], ["Float", 4, "Float32"], ["Double", 8, "Float64"], ["BigUInt64", 8, "BigUint64"], ["BigInt64", 8, "BigInt64"]]) {
	for (const [end, little] of size === 1 ? [["", true]] : [["LE", true], ["BE", false]]) {
		const read = function (at = 0) { return view(this)["get" + how](at, little); };
		const write = function (value, at = 0) { view(this)["set" + how](at, value, little); return at + size; };
		for (const alias of new Set([kind, kind.replace("UInt", "Uint")])) {
			Object.defineProperty(Buffer.prototype, "read" + alias + end, { value: read, writable: true, configurable: true });
			Object.defineProperty(Buffer.prototype, "write" + alias + end, { value: write, writable: true, configurable: true });
		}
	}
}

for (const end of ["LE", "BE"]) {
	for (const verb of ["read", "write"]) Object.defineProperty(Buffer.prototype, `${verb}Uint${end}`, { value: Buffer.prototype[`${verb}UInt${end}`], writable: true, configurable: true });
	Object.defineProperty(Buffer.prototype, `writeInt${end}`, { value(v, at, n) { return this[`writeUInt${end}`](v < 0 ? v + 2 ** (8 * n) : v, at, n); }, writable: true, configurable: true });
}
for (const [kind, encoding] of [["ascii", "ascii"], ["base64", "base64"], ["base64url", "base64url"], ["latin1", "latin1"], ["hex", "hex"], ["ucs2", "utf16le"], ["utf8", "utf8"]]) {
	Object.defineProperty(Buffer.prototype, kind + "Slice", { value(start, end) { return this.toString(encoding, start, end); }, writable: true, configurable: true });
	Object.defineProperty(Buffer.prototype, kind + "Write", { value(text, offset, length) { return this.write(text, offset ?? 0, length, encoding); }, writable: true, configurable: true });
}

export const constants = { MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 2 ** 29 };
export const kMaxLength = constants.MAX_LENGTH;
export const SlowBuffer = Buffer;
export const isUtf8 = (b) => !decodeBytes(bytesOf(b)).includes("\ufffd");
export const isAscii = (b) => bytesOf(b).every((byte) => byte < 128);
export const transcode = (b, from, to) => Buffer.from(Buffer.from(b).toString(from), to);
export const kStringMaxLength = constants.MAX_STRING_LENGTH;
export const INSPECT_MAX_BYTES = 50;
const { atob, btoa, Blob, File } = globalThis;
export { atob, btoa, Blob, File };
export default { Buffer, constants, kMaxLength, kStringMaxLength, INSPECT_MAX_BYTES, SlowBuffer, isUtf8, isAscii, transcode, atob, btoa, Blob, File };
