// What servers have in common: listening at an address, and closing.
import { hostStream } from "rondo:host";
import { EventEmitter } from "node:events";

let last = 0;

// whereOf reads the many forms of listen's arguments.
function whereOf([first, ...rest]) {
	if (first !== null && typeof first === "object") return { host: first.host ?? "", port: Number(first.port ?? 0), path: first.path ?? "", signal: first.signal };
	if (typeof first === "string" && !/^\d+$/.test(first)) return { host: "", port: 0, path: first };
	return { host: rest.find((a) => typeof a === "string") ?? "", port: Number(first ?? 0), path: "" };
}

export class Listener extends EventEmitter {
	#op;
	#call;
	#address = null;
	#closing = false;
	id = ++last;
	listening = false;
	connections = 0;

	constructor(op) {
		super();
		this.#op = op;
	}

	listen(...args) {
		if (this.#call) throw Object.assign(new Error("Listen method has been called more than once without closing."), { code: "ERR_SERVER_ALREADY_LISTEN" });
		const done = args.findLast((a) => typeof a === "function");
		const { signal, ...where } = whereOf(args.filter((a) => typeof a !== "function"));
		if (!(where.port >= 0 && where.port < 65536)) throw Object.assign(new RangeError(`options.port should be >= 0 and < 65536. Received ${where.port}.`), { code: "ERR_SOCKET_BAD_PORT" });
		if (done) this.once("listening", done);
		this.#closing = false;
		const call = (this.#call = hostStream(this.#op, { id: this.id, ...where }, (part) => {
			if (!part.address) return this.arrived(part);
			this.#address = where.path || addressOf(part.address);
			this.listening = true;
			this.emit("listening");
		}));
		call.done.then(() => this.#ended(), (error) => {
			this.#call = undefined;
			if (this.listening || error.code === "ABORT_ERR") this.#ended();
			else this.emit("error", Object.assign(error, { address: where.host, port: where.port }));
		});
		signal?.addEventListener("abort", () => this.close(), { once: true });
		return this;
	}

	address() { return this.#address; }

	close(done) {
		if (done) this.once("close", this.#call ? () => done() : () => done(Object.assign(new Error("Server is not running."), { code: "ERR_SERVER_NOT_RUNNING" })));
		if (!this.#call) { queueMicrotask(() => this.emit("close")); return this; }
		this.stop(this.#call);
		return this;
	}
	// stop ends the listening; what has come is served to its end.
	stop(call) { call.cancel(); }

	#ended() {
		this.#call = undefined;
		this.listening = false;
		this.#address = null;
		this.#closing = true;
		this.emptied();
	}
	// emptied tells the close once the last connection has ended.
	emptied() {
		if (!this.#closing || this.connections > 0) return;
		this.#closing = false;
		this.emit("close");
	}

	ref() { return this; }
	unref() { return this; }
	[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { return new Promise((resolve) => this.close(() => resolve())); }
}

function addressOf(text) {
	const at = text.lastIndexOf(":");
	const address = text.slice(0, at).replace(/^\[|\]$/g, "");
	return { address, family: address.includes(":") ? "IPv6" : "IPv4", port: Number(text.slice(at + 1)) };
}
