// The web's crypto: random numbers, digests, HMAC.
import { host, hostAsync } from "rondo:host";
import { bytesOf } from "./encoding.js";

const random = (size) => Uint8Array.fromBase64(host("crypto.random", { size }));
const hashName = (algorithm) => (typeof algorithm === "string" ? algorithm : algorithm.name).toLowerCase().replace("-", "");

class CryptoKey {
	constructor(algorithm, raw, extractable, usages) {
		Object.assign(this, { type: "secret", algorithm, extractable, usages });
		Object.defineProperty(this, "raw", { value: raw });
	}
}

const hmacOnly = (algorithm, what) => {
	const name = typeof algorithm === "string" ? algorithm : algorithm.name;
	if (name.toUpperCase() !== "HMAC") throw new Error(`crypto.subtle.${what} with ${name} is not supported by this host`);
};

const subtle = {
	async digest(algorithm, data) {
		return Uint8Array.fromBase64(await hostAsync("crypto.hash", { algorithm: hashName(algorithm), data: bytesOf(data).toBase64() })).buffer;
	},
	async importKey(format, data, algorithm, extractable, usages) {
		hmacOnly(algorithm, "importKey");
		if (format !== "raw") throw new Error(`crypto.subtle.importKey of the format ${format} is not supported by this host`);
		return new CryptoKey({ name: "HMAC", hash: { name: typeof algorithm.hash === "string" ? algorithm.hash : algorithm.hash?.name } }, bytesOf(data).slice(), extractable, usages);
	},
	async sign(algorithm, key, data) {
		hmacOnly(algorithm, "sign");
		return Uint8Array.fromBase64(host("crypto.hmac", { algorithm: hashName(key.algorithm.hash), key: key.raw.toBase64(), data: bytesOf(data).toBase64() })).buffer;
	},
	async verify(algorithm, key, signature, data) {
		const good = new Uint8Array(await this.sign(algorithm, key, data));
		const given = bytesOf(signature);
		let different = good.length ^ given.length;
		for (let i = 0; i < good.length; i++) different |= good[i] ^ given[i];
		return different === 0;
	},
	async exportKey(format, key) {
		if (format !== "raw" || !key.extractable) throw new DOMException("The key cannot be exported", "InvalidAccessError");
		return key.raw.slice().buffer;
	},
};
for (const name of ["encrypt", "decrypt", "generateKey", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"]) {
	subtle[name] = async () => { throw new Error(`crypto.subtle.${name} is not supported by this host`); };
}

export const crypto = {
	subtle,
	getRandomValues(into) {
		bytesOf(into).set(random(into.byteLength));
		return into;
	},
	randomUUID: () => host("crypto.uuid"),
};
