// Keys, ciphers and signatures.
import { host, hostAsync } from "rondo:host";
import { algorithm, bytes, out } from "./crypto_bytes.js";
import { Transform } from "node:stream";

const b64 = (data, encoding) => bytes(data, encoding).toString("base64");

export class KeyObject {
	constructor(type, { secret, pem }) {
		this.type = type;
		Object.defineProperty(this, "secret", { value: secret });
		Object.defineProperty(this, "pem", { value: pem });
	}
	get symmetricKeySize() { return this.secret?.length; }
	export() { return this.secret ? Buffer.from(this.secret) : this.pem; }
	equals(other) { return this.type === other.type && (this.secret ? this.secret.equals(other.secret) : this.pem === other.pem); }
}
const pemOf = (key) => (key instanceof KeyObject ? key.pem : typeof key === "string" ? key : key instanceof Uint8Array ? Buffer.from(key).toString() : pemOf(key?.key));
export const createSecretKey = (key, encoding) => new KeyObject("secret", { secret: bytes(key, encoding) });
export const createPrivateKey = (key) => new KeyObject("private", { pem: pemOf(key) });
export const createPublicKey = (key) => new KeyObject("public", { pem: pemOf(key) });

// A function with and without waiting.
const both = (op, args) => [
	(...given) => out(host(op, args(...given))),
	(...given) => { const done = given.pop(); hostAsync(op, args(...given)).then((key) => done(null, out(key)), (error) => done(error)); },
];
export const [pbkdf2Sync, pbkdf2] = both("crypto.pbkdf2", (password, salt, iterations, length, digest) => ({ algorithm: algorithm(digest), secret: b64(password), salt: b64(salt), iterations, length }));
const [hkdfBuffer, hkdfLater] = both("crypto.hkdf", (digest, key, salt, info, length) => ({ algorithm: algorithm(digest), secret: b64(key), salt: b64(salt), info: b64(info), length }));
const plain = (b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
export const hkdfSync = (...args) => plain(hkdfBuffer(...args));
export const hkdf = (...args) => { const done = args.pop(); hkdfLater(...args, (error, key) => done(error, key && plain(key))); };

class Cipher extends Transform {
	#about;
	#parts = [];
	#given = 0;
	#done = false;
	#extra = [];
	#tag;
	#tagLength;
	#padded = true;
	constructor(decrypts, name, key, iv, options) {
		super({
			transform: (chunk, encoding, done) => { try { done(null, this.update(chunk)); } catch (error) { done(error); } },
			flush: (done) => { try { done(null, this.final()); } catch (error) { done(error); } },
		});
		this.#about = { algorithm: name, key: b64(key), iv: iv ? b64(iv) : "", decrypts };
		this.#tagLength = options?.authTagLength ?? 16;
		this.#run(false); // refuses what is wrong now
	}
	#run(final) {
		const { data, tag } = host("crypto.cipher", { ...this.#about, data: Buffer.concat(this.#parts).toString("base64"), extra: Buffer.concat(this.#extra).toString("base64"), tag: this.#about.decrypts && this.#tag ? this.#tag.toString("base64") : "", final, padded: this.#padded });
		if (!this.#about.decrypts && tag) this.#tag = Buffer.from(tag, "base64").subarray(0, this.#tagLength);
		const all = Buffer.from(data ?? "", "base64");
		const fresh = all.subarray(this.#given);
		this.#given = all.length;
		return fresh;
	}
	update(data, from, to) {
		this.#parts.push(bytes(data, from));
		const fresh = this.#run(false);
		return to && to !== "buffer" ? fresh.toString(to) : fresh;
	}
	final(to) {
		if (this.#done) throw Object.assign(new Error("Unsupported state"), { code: "ERR_CRYPTO_INVALID_STATE" });
		this.#done = true;
		const rest = this.#run(true);
		return to && to !== "buffer" ? rest.toString(to) : rest;
	}
	setAAD(data) { this.#extra.push(bytes(data)); return this; }
	setAuthTag(tag) { this.#tag = bytes(tag); return this; }
	getAuthTag() { return this.#tag; }
	setAutoPadding(padded = true) { this.#padded = padded; return this; }
}
export const createCipheriv = (...args) => new Cipher(false, ...args);
export const createDecipheriv = (...args) => new Cipher(true, ...args);
export const getCiphers = () => ["128", "192", "256"].flatMap((n) => ["cbc", "ctr", "ecb", "gcm"].map((mode) => `aes-${n}-${mode}`));

const pss = (key) => key?.padding === constants.RSA_PKCS1_PSS_PADDING;
export const constants = { RSA_PKCS1_PADDING: 1, RSA_PKCS1_OAEP_PADDING: 4, RSA_PKCS1_PSS_PADDING: 6, RSA_PSS_SALTLEN_DIGEST: -1 };
const signing = (name, data, key, more) => ({ algorithm: name ? algorithm(name) : "", data: b64(data), key: pemOf(key), pss: pss(key), ...more });
export const sign = (name, data, key) => out(host("crypto.sign", signing(name, data, key)));
export const verify = (name, data, key, signature) => host("crypto.verify", signing(name, data, key, { signature: b64(signature) }));
class Signer {
	#name;
	#parts = [];
	constructor(name) { this.#name = name; }
	update(data, encoding) { this.#parts.push(bytes(data, encoding)); return this; }
	write(data, encoding) { this.update(data, encoding); return true; }
	end(data, encoding) { if (data !== undefined) this.update(data, encoding); return this; }
	sign(key, encoding) { const s = sign(this.#name, Buffer.concat(this.#parts), key); return encoding ? s.toString(encoding) : s; }
	verify(key, signature, encoding) { return verify(this.#name, Buffer.concat(this.#parts), key, bytes(signature, encoding)); }
}
export const createSign = (name) => new Signer(name);
export const createVerify = createSign;
