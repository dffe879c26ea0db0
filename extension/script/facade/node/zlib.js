import { host, hostAsync } from "rondo:host";
import { bytesOf } from "rondo:encoding";

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
export const constants = { Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_SYNC_FLUSH: 2 };
export default { gzipSync, gzip, gunzipSync, gunzip, deflateSync, deflate, inflateSync, inflate, deflateRawSync, deflateRaw, inflateRawSync, inflateRaw, unzipSync, constants };
