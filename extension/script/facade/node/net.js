// Connections that a script opens. It cannot serve any.
import { hostAsync, hostStream } from "rondo:host";
import { Duplex } from "node:stream";

let last = 0;
export class Socket extends Duplex {
	#id = ++last;
	#call;
	#connected;
	connecting = false;
	constructor(options) {
		super({});
		this.tls = Boolean(options?.tls);
		this.settings = options ?? {};
	}
	connect(...args) {
		const done = typeof args.at(-1) === "function" ? args.pop() : undefined;
		const where = typeof args[0] === "object" ? args[0] : typeof args[0] === "string" && args.length === 1 && !/^\d+$/.test(args[0]) ? { path: args[0] } : { port: Number(args[0]), host: args[1] };
		if (done) this.once(this.tls ? "secureConnect" : "connect", done);
		this.connecting = true;
		this.#connected = new Promise((resolve, reject) => {
			this.#call = hostStream("net.connect", { id: this.#id, host: where.host ?? "localhost", port: Number(where.port ?? 0), path: where.path ?? "", tls: this.tls, servername: where.servername ?? this.settings.servername ?? "", insecure: (where.rejectUnauthorized ?? this.settings.rejectUnauthorized) === false }, (part) => {
				if (typeof part === "string") { this.push(Buffer.from(part, "base64")); return; }
				this.connecting = false;
				[this.remoteAddress, this.remotePort] = address(part.remote);
				[this.localAddress, this.localPort] = address(part.local);
				resolve();
				this.emit("connect");
				if (this.tls) this.emit("secureConnect");
				this.emit("ready");
			});
			this.#call.done.then(() => this.push(null), (error) => { reject(error); if (error.code === "ABORT_ERR") this.push(null); else this.destroy(error); });
		});
		this.#connected.catch(() => {});
		return this;
	}
	_write(chunk, encoding, done) { this.#connected.then(() => hostAsync("net.send", { id: this.#id, data: Buffer.from(chunk).toString("base64") })).then(() => done(), done); }
	_final(done) { this.#connected.then(() => hostAsync("net.send", { id: this.#id, end: true })).then(() => done(), () => done()); }
	_destroy(error, done) { this.#call?.cancel(); done(error); }
	setTimeout(ms, fn) { if (fn) this.once("timeout", fn); if (ms > 0) setTimeout(() => { if (!this.destroyed) this.emit("timeout"); }, ms); return this; }
	setNoDelay() { return this; }
	setKeepAlive() { return this; }
	ref() { return this; }
	unref() { return this; }
	address() { return { address: this.localAddress, port: this.localPort }; }
}
function address(text = "") {
	const at = text.lastIndexOf(":");
	return at < 0 ? [text, undefined] : [text.slice(0, at).replace(/^\[|\]$/g, ""), Number(text.slice(at + 1))];
}
export const connect = (...args) => new Socket().connect(...args);
export const createConnection = connect;
export const isIPv4 = (s) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(s);
export const isIPv6 = (s) => s.includes(":") && /^[0-9A-Fa-f:.%\w]+$/.test(s);
export const isIP = (s) => (isIPv4(s) ? 4 : isIPv6(s) ? 6 : 0);
export function createServer() { throw new Error("createServer of node:net is not supported by this host: a script cannot serve connections"); }
export class Server { constructor() { createServer(); } }
export default { Socket, Server, connect, createConnection, createServer, isIP, isIPv4, isIPv6 };
