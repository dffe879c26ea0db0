// Derived keys, ciphers and signatures of node:crypto. The keys were made for this file.
import crypto, { createCipheriv, createDecipheriv, createSign, createVerify, hkdfSync, pbkdf2, pbkdf2Sync, randomFill, sign, verify } from "node:crypto";
import { promisify } from "node:util";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import zlib from "node:zlib";

const ed = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIElGgCwvlP87Nzzs0wKm7P723Jsi4zszq8o0wNtcvneW\n-----END PRIVATE KEY-----\n";
const rsa = "-----BEGIN PRIVATE KEY-----\nMIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBANPlxEjanZZsm9BZ\ngbND9MfAjwZJcwPnNGsnapHBr5cj6EOPM0qRcGEXe8i/8Aph0I4mAFg/+MAs0shK\nUZOcge4d1GevV53uzhJVlwafJ8K99crlJR+l8XImQMOsrPPoNKTXfuwlpI+oATSP\nOZAOzYRTq/zoo6JEo7gGMlCtmXfdAgMBAAECgYAVmR3gryfQ5VEcc4Mc2phgo+fw\nJBxtEWvuYB4krTFQnoBWIop/10M1Ikejtqyo4j93vbfbRun77JWvhKO7///eLeRR\nF1d/zh8Duv+E3pcjz1O6mO3n3w6NRAZ9RFkKUOiwjK4k/uR+8RdA0gyIoG8RGHHj\nUPm194xtsv5pKf1goQJBAPmRz1TrzhdXN5iTwFuBuWp0TzSpzB+lD32qYdgIQ4IU\n+hbl7rc5yVmF/8R5D7ozIW6wKsDsrIWecTPxUeW0d2cCQQDZW3e2/NwyQltte3Yq\nDFgtgbdLmGvcgnxQJYI4WVHlPfaUf8keVzxvWvD8hTo9AfQ8PyA5nFPR7+vJgw8D\nvCAbAkAqrVN+GyDP/vsj3UhMnZ9eY+tTfyHH24sNm0BGGAurR/kIR2ON85TJ+U8m\nguk8lxfFfNyixxYtd022azLtC/JLAkEAjhCVr5mYBpWOkoF2m0cUPzIgbp2CKk9z\nFyNc+J2QxIf6adcXyef0zUegaTxe808apmIQGveNZZMuBrjNkIBebwJAWyw5WhuK\ndJ/JhVNaIvJMjEYQYDPlm5ucznIQQYImFOA6Z7D+oR4g8gIeawAxFOI0fPQy3dPg\nMKa1zjhrhth3hQ==\n-----END PRIVATE KEY-----\n";
const ec = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjLJmo2wN64TTWSBc\n8BRflZSj2QfyU4ZnwSi9tFEohOKhRANCAAT5pe6LiWsqVjfJUg33x4jRBanp6Nth\nL5VDTE2hmqR5I2IjzJyDPDTdx+hlDKvOdPaCJ3cLFaOQxCdW6TLVRYq6\n-----END PRIVATE KEY-----\n";

export default async function () {
	const values = [];
	values.push(pbkdf2Sync("secret", "salt", 3, 20, "sha1").toString("hex"), (await promisify(pbkdf2)("secret", Buffer.from("salt"), 2, 16, "sha512")).toString("hex"));
	values.push(Buffer.from(hkdfSync("sha256", "key", "salt", "info", 24)).toString("hex"));
	const text = "a text that is longer than two blocks of the cipher";
	for (const [name, size] of [["aes-128-cbc", 16], ["aes-256-ctr", 32], ["aes-192-ecb", 24], ["aes-256-gcm", 32]]) {
		const key = Buffer.alloc(size, 7), iv = name.endsWith("ecb") ? null : Buffer.alloc(name.endsWith("gcm") ? 12 : 16, 3);
		const c = createCipheriv(name, key, iv);
		if (name.endsWith("gcm")) c.setAAD(Buffer.from("beside"));
		const first = c.update(text.slice(0, 20), "utf8", "hex"), more = c.update(text.slice(20), "utf8", "hex"), last = c.final("hex");
		values.push([first, more, last]);
		const d = createDecipheriv(name, key, iv);
		if (name.endsWith("gcm")) {
			values.push(c.getAuthTag().toString("hex"));
			d.setAAD(Buffer.from("beside"));
			d.setAuthTag(c.getAuthTag());
		}
		values.push(d.update(first + more + last, "hex", "utf8") + d.final("utf8"));
	}
	const key = Buffer.alloc(32, 1), iv = Buffer.alloc(12, 2);
	const broken = createDecipheriv("aes-256-gcm", key, iv);
	broken.setAuthTag(Buffer.alloc(16));
	broken.update("00", "hex");
	try { broken.final(); values.push("accepted"); } catch (error) { values.push(error.message); }
	try { createCipheriv("aes-256-cbc", Buffer.alloc(5), Buffer.alloc(16)); } catch (error) { values.push(error.code); }
	try { createCipheriv("aes-256-cbc", key, iv); } catch (error) { values.push(error.code); }
	const c = createCipheriv("aes-256-cbc", key, Buffer.alloc(16));
	const streamed = buffer(c);
	await pipeline(Readable.from([Buffer.from("streamed "), Buffer.from("text")]), c);
	values.push((await streamed).toString("hex"));

	values.push(createSign("RSA-SHA256").update("signed").sign(rsa, "base64"), sign(null, Buffer.from("signed"), ed).toString("hex"));
	values.push(createVerify("sha256").update("signed").verify(rsa, createSign("sha256").update("sig").update("ned").sign(rsa)));
	values.push(verify(null, Buffer.from("signed"), crypto.createPublicKey(ed), sign(null, Buffer.from("signed"), crypto.createPrivateKey(ed))));
	values.push(verify("sha256", Buffer.from("signed"), ec, sign("sha256", Buffer.from("signed"), ec)), verify("sha256", Buffer.from("other"), ec, sign("sha256", Buffer.from("signed"), ec)));
	try { createSign("sha256").update("x").sign("no key"); } catch (error) { values.push(error instanceof Error); }
	values.push(crypto.createSecretKey("00ff", "hex").export().toString("hex"), crypto.createHmac("sha256", crypto.createSecretKey("6b", "hex")).update("x").digest("hex"));
	for (const [pack, unpack] of [["createGzip", "createGunzip"], ["createDeflate", "createUnzip"], ["createDeflateRaw", "createInflateRaw"]]) {
		const back = zlib[unpack](), whole = buffer(back);
		await pipeline(Readable.from([Buffer.from("packed "), Buffer.from("text")]), zlib[pack](), back);
		values.push(String(await whole));
	}
	values.push(zlib.crc32("hello"), zlib.crc32("lo", zlib.crc32("hel")), String(await promisify(zlib.unzip)(zlib.gzipSync("x"))));
	await pipeline(Readable.from([Buffer.from("no gzip")]), zlib.createGunzip(), async (source) => { for await (const _ of source); }).catch((error) => values.push(error.code));
	values.push((await promisify(randomFill)(Buffer.alloc(4))).length, crypto.getCiphers().includes("aes-256-gcm"));
	return values;
}
