// Connections that a script opens, and those that it serves.
import { hostAsync, hostStream } from "rondo:host";
import { Duplex } from "node:stream";
import { BlockList, SocketAddress, isIP, isIPv4, isIPv6 } from "./addresses.js";
import { Listener } from "./listener.js";

export { BlockList, SocketAddress, isIP, isIPv4, isIPv6 };

let last = 0;
export class Socket extends Duplex {
	#id = ++last;
	#call;
	#connected;
	connecting = false;
	constructor(options) {
		super({ allowHalfOpen: Boolean(options?.allowHalfOpen) });
		this.tls = Boolean(options?.tls);
		this.settings = options ?? {};
	}
	connect(...args) {
		const done = typeof args.at(-1) === "function" ? args.pop() : undefined;
		const where = typeof args[0] === "object" ? args[0] : typeof args[0] === "string" && args.length === 1 && !/^\d+$/.test(args[0]) ? { path: args[0] } : { port: Number(args[0]), host: args[1] };
		if (done) this.once(this.tls ? "secureConnect" : "connect", done);
		this.connecting = true;
		this.#carry("net.connect", { host: where.host ?? "localhost", port: Number(where.port ?? 0), path: where.path ?? "", tls: this.tls, servername: where.servername ?? this.settings.servername ?? "", insecure: (where.rejectUnauthorized ?? this.settings.rejectUnauthorized) === false });
		return this;
	}
	// attach takes over a connection that a server has accepted.
	attach(id) {
		this.#id = id;
		this.#carry("net.attach", {});
		return this;
	}
	#carry(op, arg) {
		this.#connected = new Promise((resolve, reject) => {
			this.#call = hostStream(op, { id: this.#id, ...arg }, (part) => {
				if (typeof part === "string") { this.push(Buffer.from(part, "base64")); return; }
				if (part.end) { this.push(null); return; }
				const asked = this.connecting;
				this.connecting = false;
				[this.remoteAddress, this.remotePort, this.remoteFamily] = address(part.remote);
				[this.localAddress, this.localPort, this.localFamily] = address(part.local);
				resolve();
				if (!asked) return;
				this.emit("connect");
				if (this.tls) this.emit("secureConnect");
				this.emit("ready");
			});
			this.#call.done.then(() => this.push(null), (error) => { reject(error); if (error.code === "ABORT_ERR") this.push(null); else this.destroy(error); });
		});
		this.#connected.catch(() => {});
	}
	_write(chunk, encoding, done) { this.#connected.then(() => hostAsync("net.send", { id: this.#id, data: Buffer.from(chunk).toString("base64") })).then(() => done(), done); }
	_final(done) { this.#connected.then(() => hostAsync("net.send", { id: this.#id, end: true })).then(() => done(), () => done()); }
	_destroy(error, done) { this.#call?.cancel(); done(error); }
	setTimeout(ms, fn) { if (fn) this.once("timeout", fn); if (ms > 0) setTimeout(() => { if (!this.destroyed) this.emit("timeout"); }, ms); return this; }
	setNoDelay() { return this; }
	setKeepAlive() { return this; }
	ref() { return this; }
	unref() { return this; }
	get readyState() { return this.connecting ? "opening" : this.destroyed ? "closed" : this.writable ? "open" : "readOnly"; }
	get pending() { return this.#connected === undefined || this.connecting; }
	address() { return { address: this.localAddress, port: this.localPort, family: this.localFamily }; }
	destroySoon() { if (this.writable) this.end(); else this.destroy(); }
	resetAndDestroy() { return this.destroy(); }
}
function address(text = "") {
	const at = text.lastIndexOf(":");
	if (at < 0) return [];
	const host = text.slice(0, at).replace(/^\[|\]$/g, "");
	return [host, Number(text.slice(at + 1)), isIPv6(host) ? "IPv6" : "IPv4"];
}
export const connect = (...args) => new Socket().connect(...args);
export const createConnection = connect;

export class Server extends Listener {
	constructor(options, onConnection = options) {
		super("net.listen");
		if (typeof onConnection === "function") this.on("connection", onConnection);
	}
	arrived({ conn, local, remote }) {
		const socket = new Socket();
		[socket.remoteAddress, socket.remotePort, socket.remoteFamily] = address(remote);
		[socket.localAddress, socket.localPort, socket.localFamily] = address(local);
		this.connections++;
		socket.once("close", () => { this.connections--; this.emptied(); });
		this.emit("connection", socket.attach(conn));
	}
	getConnections(done) { queueMicrotask(() => done(null, this.connections)); return this; }
}
export const createServer = (...args) => new Server(...args);
export const getDefaultAutoSelectFamily = () => true;
export const setDefaultAutoSelectFamily = () => {};
export { Socket as Stream };
export default { Socket, Stream: Socket, Server, BlockList, SocketAddress, connect, createConnection, createServer, isIP, isIPv4, isIPv6, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily };
