import { host, hostAsync } from "rondo:host";
import { bytesOf } from "rondo:encoding";
import { Transform } from "node:stream";

const send = (format, data) => ({ format, data: (typeof data === "string" ? Buffer.from(data) : bytesOf(data)).toBase64() });
const both = (op, format) => [
	(data) => Buffer.from(host(op, send(format, data)), "base64"),
	(data, options, done = options) => { hostAsync(op, send(format, data)).then((out) => done(null, Buffer.from(out, "base64")), (error) => done(error)); },
];
export const [gzipSync, gzip] = both("zlib.pack", "gzip");
export const [gunzipSync, gunzip] = both("zlib.unpack", "gzip");
export const [deflateSync, deflate] = both("zlib.pack", "deflate");
export const [inflateSync, inflate] = both("zlib.unpack", "deflate");
export const [deflateRawSync, deflateRaw] = both("zlib.pack", "raw");
export const [inflateRawSync, inflateRaw] = both("zlib.unpack", "raw");
export const unzipSync = (data) => (bytesOf(data)[0] === 0x1f ? gunzipSync(data) : inflateSync(data));
export const unzip = (data, options, done = options) => (bytesOf(data)[0] === 0x1f ? gunzip : inflate)(data, done);

// joined is Buffer.concat, which such packages replace meanwhile.
function joined(parts) {
	const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
	let at = 0;
	for (const part of parts) { all.set(part, at); at += part.length; }
	return all;
}

// A stream packs or unpacks what it was given when that has ended.
const streaming = (pack, packSync) => class extends Transform {
	// What packages reach for that drive the native handle themselves.
	_handle = { close() {} };
	#chunks = [];
	_processChunk(chunk, flush) {
		this.#chunks.push(Buffer.from(chunk));
		if (flush !== constants.Z_FINISH) return Buffer.alloc(0);
		return packSync(joined(this.#chunks.splice(0)));
	}
	reset() { this.#chunks = []; }
	bytesWritten = 0;
	constructor(options) {
		const parts = [];
		super({
			...options,
			transform: (chunk, encoding, done) => { parts.push(bytesOf(chunk)); this.bytesWritten += chunk.byteLength; done(); },
			flush: (done) => pack(Buffer.concat(parts), done),
		});
	}
	flush(kind, done = kind) { if (typeof done === "function") queueMicrotask(done); }
	close(done) { if (done) this.once("close", done); this.destroy(); }
};
export const Gzip = streaming(gzip, gzipSync), Gunzip = streaming(gunzip, gunzipSync), Deflate = streaming(deflate, deflateSync), Inflate = streaming(inflate, inflateSync);
export const DeflateRaw = streaming(deflateRaw, deflateRawSync), InflateRaw = streaming(inflateRaw, inflateRawSync), Unzip = streaming(unzip, unzipSync);
export const createGzip = (options) => new Gzip(options), createGunzip = (options) => new Gunzip(options), createDeflate = (options) => new Deflate(options), createInflate = (options) => new Inflate(options);
export const createDeflateRaw = (options) => new DeflateRaw(options), createInflateRaw = (options) => new InflateRaw(options), createUnzip = (options) => new Unzip(options);

let table;
export function crc32(data, value = 0) {
	table ??= Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n; });
	let c = ~value;
	for (const byte of typeof data === "string" ? Buffer.from(data) : bytesOf(data)) c = table[(c ^ byte) & 255] ^ (c >>> 8);
	return ~c >>> 0;
}
export const constants = {
	Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1,
	Z_DEFAULT_STRATEGY: 0, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3, Z_FIXED: 4, Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_DEFAULT_CHUNK: 16384, Z_DEFAULT_LEVEL: -1,
};
export default {
	gzipSync, gzip, gunzipSync, gunzip, deflateSync, deflate, inflateSync, inflate, deflateRawSync, deflateRaw, inflateRawSync, inflateRaw, unzipSync, unzip, crc32, constants,
	Gzip, Gunzip, Deflate, Inflate, DeflateRaw, InflateRaw, Unzip, createGzip, createGunzip, createDeflate, createInflate, createDeflateRaw, createInflateRaw, createUnzip,
};
