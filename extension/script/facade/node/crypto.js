import { host } from "rondo:host";
import { bytesOf } from "rondo:encoding";
import * as keys from "./crypto_keys.js";
import { algorithm, bytes, out } from "./crypto_bytes.js";

export { constants, createCipheriv, createDecipheriv, createPrivateKey, createPublicKey, createSecretKey, createSign, createVerify, getCiphers, hkdf, hkdfSync, KeyObject, pbkdf2, pbkdf2Sync, sign, verify } from "./crypto_keys.js";

const { crypto: webcrypto } = globalThis;

class Hash {
	#parts = [];
	#op;
	#about;
	#done = false;
	constructor(op, about) {
		this.#op = op;
		this.#about = about;
		host(op, { ...about, data: "" }); // refuses an unknown algorithm now
	}
	update(data, encoding) { this.#parts.push(bytes(data, encoding)); return this; }
	copy() { const c = new Hash(this.#op, this.#about); c.#parts = [...this.#parts]; return c; }
	digest(encoding) {
		if (this.#done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
		this.#done = true;
		return out(host(this.#op, { ...this.#about, data: Buffer.concat(this.#parts).toString("base64") }), encoding);
	}
}
export const createHash = (name) => new Hash("crypto.hash", { algorithm: algorithm(name) });
export const createHmac = (name, key) => new Hash("crypto.hmac", { algorithm: algorithm(name), key: bytes(key).toString("base64") });
export const hash = (name, data, encoding = "hex") => createHash(name).update(data).digest(encoding);
export function randomBytes(size, done) {
	const b = out(host("crypto.random", { size }));
	if (!done) return b;
	queueMicrotask(() => done(null, b));
}
export const randomUUID = () => host("crypto.uuid");
export function randomInt(min, max) {
	if (max === undefined) [min, max] = [0, min];
	const range = max - min;
	for (;;) {
		const n = randomBytes(6).readUIntBE(0, 6);
		if (n < 2 ** 48 - (2 ** 48 % range)) return min + (n % range);
	}
}
export const randomFillSync = (b) => { bytesOf(b).set(randomBytes(b.byteLength)); return b; };
export const randomFill = (b, ...rest) => { const done = rest.pop(); queueMicrotask(() => done(null, randomFillSync(b))); };
export const getRandomValues = (b) => webcrypto.getRandomValues(b);
export function timingSafeEqual(a, b) {
	if (a.byteLength !== b.byteLength) throw Object.assign(new RangeError("Input buffers must have the same byte length"), { code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH" });
	const x = bytesOf(a), y = bytesOf(b);
	let different = 0;
	for (let i = 0; i < x.length; i++) different |= x[i] ^ y[i];
	return different === 0;
}
export const getHashes = () => ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
export const subtle = webcrypto.subtle;
export { webcrypto };
export default { ...keys, randomFill, createHash, createHmac, hash, randomBytes, randomUUID, randomInt, randomFillSync, getRandomValues, timingSafeEqual, getHashes, subtle, webcrypto };
