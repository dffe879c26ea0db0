// The server's side of HTTP: the program reads requests and writes answers.
import { hostAsync, hostStream } from "rondo:host";
import * as net from "node:net";
import { Readable, Writable } from "node:stream";
import { Listener } from "./listener.js";
import { STATUS_CODES } from "./http_names.js";

// socketOf stands for the connection of a request, which the program has.
function socketOf(remote, cut) {
	const at = remote.lastIndexOf(":");
	return {
		remoteAddress: remote.slice(0, at).replace(/^\[|\]$/g, ""), remotePort: Number(remote.slice(at + 1)), remoteFamily: remote.startsWith("[") ? "IPv6" : "IPv4",
		encrypted: false, destroyed: false, writable: true,
		destroy() { this.destroyed = true; cut(); return this; },
		setTimeout() { return this; }, setNoDelay() { return this; }, setKeepAlive() { return this; },
		on() { return this; }, once() { return this; }, off() { return this; }, removeListener() { return this; },
	};
}

class IncomingRequest extends Readable {
	#id;
	#asked = false;
	complete = false;
	aborted = false;
	constructor({ request, method, url, version, headers, remote }, cut) {
		super({});
		this.#id = request;
		Object.assign(this, { method, url, httpVersion: version, rawHeaders: headers.flat(), headers: {}, socket: socketOf(remote, cut) });
		[this.httpVersionMajor, this.httpVersionMinor] = version.split(".").map(Number);
		this.connection = this.socket;
		for (const [name, value] of headers) {
			const key = name.toLowerCase();
			if (key === "set-cookie") (this.headers[key] ??= []).push(value);
			else this.headers[key] = key in this.headers ? this.headers[key] + (key === "cookie" ? "; " : ", ") + value : value;
		}
	}
	_read() {
		if (this.#asked) return;
		this.#asked = true;
		hostStream("http.body", { request: this.#id }, (part) => this.push(Buffer.from(part, "base64"))).done.then(
			() => { this.complete = true; this.push(null); },
			(error) => this.destroy(Object.assign(error, { code: error.code ?? "ECONNRESET" })),
		);
	}
	setTimeout() { return this; }
}

export class ServerResponse extends Writable {
	#id;
	#headers = new Map(); // name in small letters to [name, value]
	#head = true;
	#fixed = false; // by writeHead
	statusCode = 200;
	statusMessage = "";
	sendDate = true;

	constructor(req, id) {
		super({
			write: (chunk, encoding, done) => this.#send({ data: Buffer.from(chunk).toString("base64") }).then(() => done(), done),
			final: (done) => this.#send({ end: true }).then(() => done(), done),
		});
		this.#id = id;
		this.req = req;
		this.socket = this.connection = req.socket;
	}
	async #send(part) {
		const head = this.#head && { status: this.statusCode, headers: [...this.#headers.values()].flatMap(([name, value]) => [value].flat().map((v) => [name, String(v)])) };
		this.#head = false;
		await hostAsync("http.write", { request: this.#id, ...head, ...part });
	}
	get headersSent() { return this.#fixed || !this.#head || this.writableLength > 0; }
	get finished() { return this.writableEnded; }
	setHeader(name, value) {
		if (this.headersSent) throw Object.assign(new Error("Cannot set headers after they are sent to the client"), { code: "ERR_HTTP_HEADERS_SENT" });
		this.#headers.set(String(name).toLowerCase(), [String(name), value]);
		return this;
	}
	appendHeader(name, value) {
		const had = this.getHeader(name);
		return this.setHeader(name, had === undefined ? value : [had, value].flat());
	}
	setHeaders(headers) { for (const [name, value] of headers) this.setHeader(name, value); return this; }
	getHeader(name) { return this.#headers.get(String(name).toLowerCase())?.[1]; }
	hasHeader(name) { return this.#headers.has(String(name).toLowerCase()); }
	removeHeader(name) { this.#headers.delete(String(name).toLowerCase()); }
	getHeaderNames() { return [...this.#headers.keys()]; }
	getHeaders() { return Object.fromEntries([...this.#headers].map(([key, [, value]]) => [key, value])); }
	writeHead(status, message, headers = message) {
		if (!(status >= 100 && status <= 999)) throw Object.assign(new RangeError(`Invalid status code: ${status}`), { code: "ERR_HTTP_INVALID_STATUS_CODE" });
		this.statusCode = status;
		this.statusMessage = typeof message === "string" ? message : (STATUS_CODES[status] ?? "");
		if (Array.isArray(headers)) for (let i = 0; i < headers.length; i += 2) this.setHeader(headers[i], headers[i + 1]);
		else if (typeof headers === "object" && headers !== null) for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, value);
		this.#fixed = true;
		return this;
	}
	flushHeaders() { if (this.#head) this.#send({}).catch((error) => this.destroy(error)); }
	writeContinue() {}
	assignSocket() {}
	setTimeout(ms, fn) { if (fn) this.once("timeout", fn); return this; }
	_destroy(error, done) { if (!this.writableFinished) hostAsync("http.cut", { request: this.#id }).catch(() => {}); done(error); }
}

export class Server extends Listener {
	#open = new Map(); // number to request and answer
	timeout = 0;
	keepAliveTimeout = 5000;
	headersTimeout = 60000;
	requestTimeout = 300000;
	maxHeadersCount = null;

	constructor(options, onRequest = options) {
		super("http.listen");
		if (typeof onRequest === "function") this.on("request", onRequest);
	}
	arrived(r) {
		if (r.gone) return this.#gone(r.gone);
		if (r.upgrade && this.listenerCount("upgrade") > 0) return this.#upgrade(r);
		const req = new IncomingRequest(r, () => res.destroy());
		const res = new ServerResponse(req, r.request);
		this.#open.set(r.request, { req, res });
		res.once("close", () => this.#open.delete(r.request));
		if (!this.emit("request", req, res)) res.writeHead(404).end();
	}
	#gone(id) {
		const { req, res } = this.#open.get(id) ?? {};
		if (!res || res.writableFinished) return;
		req.aborted = true;
		req.socket.destroyed = true;
		req.emit("aborted");
		res.destroy();
		req.destroy();
	}
	async #upgrade(r) {
		const req = new IncomingRequest(r, () => {});
		try {
			const conn = await hostAsync("http.hijack", { request: r.request });
			const socket = new net.Socket();
			req.socket = req.connection = socket;
			this.connections++;
			socket.once("close", () => { this.connections--; this.emptied(); });
			this.emit("upgrade", req, socket.attach(conn), Buffer.alloc(0));
		} catch (error) {
			this.emit("clientError", error, req.socket);
		}
	}
	stop() { hostAsync("http.close", { id: this.id }).catch(() => {}); }
	closeAllConnections() { hostAsync("http.close", { id: this.id, force: true }).catch(() => {}); }
	closeIdleConnections() {}
	setTimeout(ms, fn) { if (fn) this.on("timeout", fn); return this; }
}
export const createServer = (...args) => new Server(...args);
