// The client's side of HTTP, over fetch.
import { Readable, Writable } from "node:stream";
import { METHODS, STATUS_CODES } from "./http_names.js";
import { upgrade } from "./http_upgrade.js";

class IncomingMessage extends Readable {
	constructor(response, body) {
		super({});
		this.statusCode = response.status;
		this.statusMessage = response.statusText;
		this.headers = {};
		for (const [name, value] of response.headers) this.headers[name] = name === "set-cookie" ? response.headers.getSetCookie() : value;
		this.rawHeaders = Object.entries(this.headers).flat();
		this.body = body;
		this.httpVersion = "1.1";
	}
	async _read() {
		try {
			const { value, done } = await this.body.read();
			this.push(done ? null : value);
		} catch (error) {
			this.destroy(error);
		}
	}
}

class ClientRequest extends Writable {
	#controller = new AbortController();
	constructor(url, options, done) {
		const parts = [];
		super({
			autoDestroy: false, // that the body is sent is not the end
			write: (chunk, encoding, next) => { parts.push(Buffer.from(chunk)); next(); },
			final: (next) => {
				next();
				if (/upgrade/i.test(this.getHeader("connection") ?? "")) { this.#upgrade(url, Buffer.concat(parts), options); return; }
				const body = ["GET", "HEAD"].includes(this.method) ? undefined : Buffer.concat(parts);
				fetch(url, { method: this.method, headers: this.headers, body, redirect: "manual", signal: this.#controller.signal }).then((response) => {
					const message = new IncomingMessage(response, response.body?.getReader() ?? { read: async () => ({ done: true }) });
					this.emit("response", message);
				}).catch((error) => { this.emit("error", error.name === "AbortError" ? Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) : Object.assign(error, { code: error.code ?? "ECONNREFUSED" })); });
			},
		});
		this.method = (options.method ?? "GET").toUpperCase();
		this.headers = { ...options.headers };
		if (options.auth) this.headers.authorization ??= "Basic " + btoa(options.auth);
		if (done) this.once("response", done);
		options.signal?.addEventListener("abort", () => this.destroy(), { once: true });
		if (options.timeout) this.setTimeout(options.timeout);
	}
	#upgrade(url, body, options) {
		this.socket = upgrade(this, url, body, options, (head, socket, rest) => {
			const message = new IncomingMessage(head, { read: async () => ({ done: true }) });
			message.socket = socket;
			if (head.status === 101 && this.listenerCount("upgrade") > 0) {
				this.emit("upgrade", message, socket, rest);
				socket.resume();
			} else {
				this.emit("response", message);
				socket.destroy();
			}
		});
	}
	setHeader(name, value) { this.headers[name] = value; return this; }
	getHeader(name) { return this.headers[Object.keys(this.headers).find((key) => key.toLowerCase() === String(name).toLowerCase())]; }
	removeHeader(name) { delete this.headers[name]; }
	setTimeout(ms, fn) { if (fn) this.once("timeout", fn); setTimeout(() => { if (!this.destroyed) this.emit("timeout"); }, ms); return this; }
	flushHeaders() {}
	setNoDelay() {}
	abort() { this.destroy(); }
	_destroy(error, done) { this.#controller.abort(); done(error); }
}

export function makeClient(protocol) {
	const request = (url, options, done) => {
		if (typeof url === "object" && !(url instanceof URL)) [url, options, done] = [undefined, url, options];
		if (typeof options === "function") [options, done] = [{}, options];
		options ??= {};
		const host = options.hostname ?? options.host ?? "localhost";
		const full = url ? new URL(url) : new URL(`${options.protocol ?? protocol}//${host}${options.port ? ":" + options.port : ""}${options.path ?? "/"}`);
		return new ClientRequest(full.href, options, done);
	};
	const get = (...args) => request(...args).end();
	class Agent { constructor(options) { this.options = options; } destroy() {} }
	return { request, get, Agent, globalAgent: new Agent(), IncomingMessage, ClientRequest, METHODS, STATUS_CODES };
}
