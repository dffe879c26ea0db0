// Ports that post messages to each other, within one machine.
class MessageEvent extends Event {
	constructor(type, { data = null, origin = "", ports = [], ...init } = {}) {
		super(type, init);
		Object.assign(this, { data, origin, ports });
	}
}

class Port extends EventTarget {
	#queue = [];
	#open = false;
	#closed = false;
	#handler = null;
	#node = new Map(); // listeners in the style of Node
	get onmessage() { return this.#handler; }
	set onmessage(fn) {
		if (this.#handler) this.removeEventListener("message", this.#handler);
		this.#handler = fn;
		if (typeof fn === "function") { super.addEventListener("message", fn); this.start(); }
	}
	receive(data) {
		if (this.#closed) return;
		this.#queue.push(data);
		if (this.#open) this.#deliver();
	}
	#deliver() {
		queueMicrotask(() => { while (this.#queue.length > 0 && !this.#closed) this.dispatchEvent(new MessageEvent("message", { data: this.#queue.shift() })); });
	}
	take() { return this.#queue.length > 0 ? { message: this.#queue.shift() } : undefined; }
	start() { this.#open = true; this.#deliver(); }
	close() {
		if (this.#closed) return;
		this.#closed = true;
		queueMicrotask(() => this.dispatchEvent(new Event("close")));
	}
	on(name, fn) {
		const listener = (event) => fn(name === "message" ? event.data : event);
		this.#node.set(fn, listener);
		super.addEventListener(name, listener);
		if (name === "message") this.start();
		return this;
	}
	once(name, fn) {
		const listener = (value) => { this.off(name, listener); fn(value); };
		return this.on(name, listener);
	}
	off(name, fn) { super.removeEventListener(name, this.#node.get(fn) ?? fn); return this; }
	addListener(name, fn) { return this.on(name, fn); }
	removeListener(name, fn) { return this.off(name, fn); }
	ref() { return this; }
	unref() { return this; }
}

class MessagePort extends Port {
	postMessage(data) { this.other?.receive(structuredClone(data)); }
	close() { super.close(); this.other?.closeOther(); }
	closeOther() { super.close(); }
}

class MessageChannel {
	constructor() {
		this.port1 = new MessagePort();
		this.port2 = new MessagePort();
		for (const [a, b] of [[this.port1, this.port2], [this.port2, this.port1]]) Object.defineProperty(a, "other", { value: b });
	}
}

const channels = new Map(); // name to those that listen
class BroadcastChannel extends Port {
	constructor(name) {
		super();
		this.name = String(name);
		channels.set(this.name, (channels.get(this.name) ?? new Set()).add(this));
		this.start();
	}
	postMessage(data) { for (const other of channels.get(this.name)) if (other !== this) other.receive(structuredClone(data)); }
	close() { channels.get(this.name)?.delete(this); super.close(); }
}

const packing = (names) => class extends TransformStream {
	constructor(format) {
		const method = names[format];
		if (!method) throw new TypeError(`there is no format ${format}`);
		const parts = [];
		super({
			transform(chunk) { parts.push(Buffer.from(chunk.buffer ?? chunk, chunk.byteOffset, chunk.byteLength)); },
			flush(controller) { controller.enqueue(new Uint8Array(__rondo.require("node:zlib")[method](Buffer.concat(parts)))); },
		});
	}
};
const CompressionStream = packing({ gzip: "gzipSync", deflate: "deflateSync", "deflate-raw": "deflateRawSync" });
const DecompressionStream = packing({ gzip: "gunzipSync", deflate: "inflateSync", "deflate-raw": "inflateRawSync" });

class CountQueuingStrategy {
	constructor({ highWaterMark }) { this.highWaterMark = highWaterMark; }
	size() { return 1; }
}
class ByteLengthQueuingStrategy {
	constructor({ highWaterMark }) { this.highWaterMark = highWaterMark; }
	size(chunk) { return chunk.byteLength; }
}

const navigator = {
	hardwareConcurrency: 1, language: "en-US", languages: ["en-US"],
	get userAgent() { return `Node.js/${process.versions.node.split(".")[0]}`; },
	get platform() { return process.platform; },
};

export { BroadcastChannel, ByteLengthQueuingStrategy, CompressionStream, CountQueuingStrategy, DecompressionStream, MessageChannel, MessageEvent, MessagePort, navigator };
