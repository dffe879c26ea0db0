// Encrypted connections to others.
import { Socket } from "node:net";

export class TLSSocket extends Socket {
	encrypted = true;
	authorized = false;
	alpnProtocol = false;
	constructor(socket, options) { super({ ...options, tls: true }); }
	getPeerCertificate() { return {}; }
	getCipher() { return {}; }
	getProtocol() { return null; }
}
export function connect(...args) {
	const done = typeof args.at(-1) === "function" ? args.pop() : undefined;
	const options = args.find((a) => a !== null && typeof a === "object") ?? {};
	const [port, host] = typeof args[0] === "object" ? [options.port, options.host] : [args[0], typeof args[1] === "string" ? args[1] : options.host];
	if (options.socket) throw new Error("connect of node:tls over another socket is not supported by this host");
	const socket = new TLSSocket(null, options);
	socket.once("secureConnect", () => { socket.authorized = options.rejectUnauthorized !== false; });
	return socket.connect({ ...options, port, host }, ...(done ? [done] : []));
}
export const createServer = () => { throw new Error("createServer of node:tls is not supported by this host: serve with node:net"); };
export const createSecureContext = (options) => ({ context: options });
export const checkServerIdentity = () => undefined;
export const getCiphers = () => ["tls_aes_128_gcm_sha256", "tls_aes_256_gcm_sha384", "tls_chacha20_poly1305_sha256"];
export const rootCertificates = [];
export const DEFAULT_MIN_VERSION = "TLSv1.2";
export const DEFAULT_MAX_VERSION = "TLSv1.3";
export const DEFAULT_ECDH_CURVE = "auto";
export const DEFAULT_CIPHERS = getCiphers().join(":");
export default { TLSSocket, connect, createServer, createSecureContext, checkServerIdentity, getCiphers, rootCertificates, DEFAULT_MIN_VERSION, DEFAULT_MAX_VERSION, DEFAULT_ECDH_CURVE, DEFAULT_CIPHERS };
