// fetch and what it works with.
import { hostStream } from "rondo:host";
import { bytesOf } from "rondo:encoding";

export class Headers {
	#map = new Map();
	constructor(init) {
		if (!init) return;
		const list = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
		for (const [name, value] of list) if (value !== undefined && value !== null) this.append(name, value);
	}
	static #name(n) {
		const name = String(n).toLowerCase();
		if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) throw new TypeError(`${n} is not a legal HTTP header name`);
		return name;
	}
	append(name, value) { const n = Headers.#name(name); this.#map.set(n, [...(this.#map.get(n) ?? []), String(value).trim()]); }
	set(name, value) { this.#map.set(Headers.#name(name), [String(value).trim()]); }
	get(name) { return this.#map.get(Headers.#name(name))?.join(", ") ?? null; }
	getSetCookie() { return this.#map.get("set-cookie") ?? []; }
	has(name) { return this.#map.has(Headers.#name(name)); }
	delete(name) { this.#map.delete(Headers.#name(name)); }
	forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
	*entries() { for (const k of [...this.#map.keys()].sort()) { if (k === "set-cookie") for (const v of this.#map.get(k)) yield [k, v]; else yield [k, this.#map.get(k).join(", ")]; } }
	*keys() { for (const [k] of this.entries()) yield k; }
	*values() { for (const [, v] of this.entries()) yield v; }
	[Symbol.iterator]() { return this.entries(); }
}

export class Blob {
	#bytes;
	constructor(parts = [], options = {}) {
		const all = parts.map((p) => (typeof p === "string" ? new TextEncoder().encode(p) : p instanceof Blob ? p.#bytes : bytesOf(p)));
		this.#bytes = new Uint8Array(all.reduce((n, b) => n + b.length, 0));
		let at = 0;
		for (const b of all) { this.#bytes.set(b, at); at += b.length; }
		this.type = String(options.type ?? "").toLowerCase();
	}
	get size() { return this.#bytes.length; }
	async arrayBuffer() { return this.#bytes.slice().buffer; }
	async bytes() { return this.#bytes.slice(); }
	async text() { return new TextDecoder().decode(this.#bytes); }
	slice(start, end, type) { return new Blob([this.#bytes.slice(start, end)], { type }); }
	stream() { const bytes = this.#bytes; return new ReadableStream({ start(c) { if (bytes.length) c.enqueue(bytes); c.close(); } }); }
	static raw(blob) { return blob.#bytes; }
}
export class File extends Blob {
	constructor(parts, name, options = {}) {
		super(parts, options);
		this.name = String(name);
		this.lastModified = options.lastModified ?? Date.now();
	}
}

export class FormData {
	#list = [];
	append(name, value, file) { this.#list.push([String(name), value instanceof Blob ? (value instanceof File && !file ? value : new File([value], file ?? value.name ?? "blob", { type: value.type })) : String(value)]); }
	set(name, value, file) { this.delete(name); this.append(name, value, file); }
	get(name) { return this.#list.find(([k]) => k === name)?.[1] ?? null; }
	getAll(name) { return this.#list.filter(([k]) => k === name).map(([, v]) => v); }
	has(name) { return this.#list.some(([k]) => k === name); }
	delete(name) { this.#list = this.#list.filter(([k]) => k !== name); }
	forEach(fn, self) { for (const [k, v] of this.#list) fn.call(self, v, k, this); }
	entries() { return this.#list[Symbol.iterator](); }
	[Symbol.iterator]() { return this.entries(); }
}

function multipart(form) {
	const boundary = "----rondo" + crypto.randomUUID().replaceAll("-", "");
	const quote = (s) => s.replace(/"/g, "%22").replace(/\r?\n/g, "%0A");
	const parts = [];
	for (const [name, value] of form) {
		const file = value instanceof Blob ? `; filename="${quote(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}` : "";
		parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"${file}\r\n\r\n`, value, "\r\n");
	}
	parts.push(`--${boundary}--\r\n`);
	return [Blob.raw(new Blob(parts)), `multipart/form-data; boundary=${boundary}`];
}

// bodyOf gives the bytes of a body (or a stream) and the type that it implies.
function bodyOf(body) {
	if (body === undefined || body === null) return [null, null];
	if (typeof body === "string") return [new TextEncoder().encode(body), "text/plain;charset=UTF-8"];
	if (body instanceof URLSearchParams) return [new TextEncoder().encode(body.toString()), "application/x-www-form-urlencoded;charset=UTF-8"];
	if (body instanceof FormData) return multipart(body);
	if (body instanceof Blob) return [Blob.raw(body), body.type || null];
	if (body instanceof ReadableStream || typeof body[Symbol.asyncIterator] === "function") return [body, null];
	return [bytesOf(body).slice(), null];
}

async function collect(stream) {
	const parts = [];
	for await (const part of stream) parts.push(typeof part === "string" ? new TextEncoder().encode(part) : bytesOf(part));
	return Blob.raw(new Blob(parts));
}

class Body {
	#bytes = null;
	#stream = null;
	bodyUsed = false;
	setBody(body) {
		if (body instanceof Uint8Array) this.#bytes = body;
		else this.#stream = body;
	}
	get body() {
		if (this.#bytes) { const bytes = this.#bytes; this.#bytes = null; this.#stream = new ReadableStream({ start(c) { c.enqueue(bytes); c.close(); } }); }
		return this.#stream;
	}
	async #all() {
		if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
		this.bodyUsed = true;
		return this.#bytes ?? (this.#stream ? collect(this.#stream) : new Uint8Array(0));
	}
	async bytes() { return this.#all(); }
	async arrayBuffer() { const b = await this.#all(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); }
	async text() { return new TextDecoder().decode(await this.#all()); }
	async json() { return JSON.parse(await this.text()); }
	async blob() { return new Blob([await this.#all()], { type: this.headers.get("content-type") ?? "" }); }
	async formData() {
		if (!(this.headers.get("content-type") ?? "").includes("urlencoded")) throw new Error("formData of a body that is not urlencoded is not supported by this host");
		const form = new FormData();
		for (const [k, v] of new URLSearchParams(await this.text())) form.append(k, v);
		return form;
	}
	split() {
		if (this.bodyUsed) throw new TypeError("Body has already been read");
		if (this.#bytes) return this.#bytes;
		if (!this.#stream) return null;
		const [a, b] = this.#stream.tee();
		this.#stream = a;
		return b;
	}
}

export class Request extends Body {
	constructor(input, init = {}) {
		super();
		const from = input instanceof Request ? input : null;
		this.url = from ? from.url : new URL(String(input)).href;
		this.method = (init.method ?? from?.method ?? "GET").toUpperCase();
		this.headers = new Headers(init.headers ?? from?.headers);
		this.redirect = init.redirect ?? from?.redirect ?? "follow";
		this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
		const [body, type] = bodyOf(init.body ?? from?.split());
		if (body && ["GET", "HEAD"].includes(this.method)) throw new TypeError("Request with GET/HEAD method cannot have body.");
		this.setBody(body);
		if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
	}
	clone() { return new Request(this); }
}

export class Response extends Body {
	constructor(body, init = {}) {
		super();
		this.status = init.status ?? 200;
		this.statusText = init.statusText ?? "";
		this.headers = new Headers(init.headers);
		this.url = init.url ?? "";
		this.redirected = Boolean(init.redirected);
		this.type = "default";
		const [bytes, type] = bodyOf(body);
		this.setBody(bytes);
		if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
	}
	get ok() { return this.status >= 200 && this.status < 300; }
	clone() { return new Response(this.split(), this); }
	static json(data, init = {}) { const headers = new Headers(init.headers); if (!headers.has("content-type")) headers.set("content-type", "application/json"); return new Response(JSON.stringify(data), { ...init, headers }); }
	static error() { return Object.assign(new Response(null, { status: 200 }), { type: "error", status: 0 }); }
	static redirect(url, status = 302) { return new Response(null, { status, headers: { location: String(url) } }); }
}

// A dispatcher of undici, given or global, says how requests are made.
const settings = Symbol.for("rondo.dispatcher");
const globalDispatcher = Symbol.for("undici.globalDispatcher.1");
export function dispatcherOf(init) {
	const dispatcher = init?.dispatcher ?? globalThis[globalDispatcher];
	if (!dispatcher) return undefined;
	if (!dispatcher[settings]) throw new TypeError("the dispatcher of a request is none of the module undici that this host has");
	return dispatcher[settings]();
}

export async function fetch(input, init) {
	const request = new Request(input, init);
	const dispatcher = dispatcherOf(init);
	const { signal } = request;
	if (signal.aborted) throw signal.reason;
	const url = new URL(request.url);
	if (url.protocol === "data:") {
		const [, type, base64, data] = /^([^,]*?)(;base64)?,(.*)$/s.exec(url.href.slice(5));
		return new Response(base64 ? Uint8Array.fromBase64(decodeURIComponent(data)) : decodeURIComponent(data), { headers: { "content-type": type || "text/plain" } });
	}
	const body = await request.bytes();
	if (signal.aborted) throw signal.reason;
	return new Promise((resolve, reject) => {
		let out = null;
		const fail = (error) => { reject(error); out?.error(error); };
		const call = hostStream("net.fetch", { url: request.url, method: request.method, headers: [...request.headers], body: body.toBase64(), redirect: request.redirect, dispatcher }, (part) => {
			if (typeof part === "string") {
				out?.enqueue(Uint8Array.fromBase64(part));
				return;
			}
			const empty = request.method === "HEAD" || [204, 205, 304].includes(part.status);
			const stream = empty ? null : new ReadableStream({ start: (c) => { out = c; }, cancel: () => call.cancel() });
			resolve(new Response(stream, part));
		});
		const onAbort = () => { call.cancel(); fail(signal.reason); };
		signal.addEventListener("abort", onAbort, { once: true });
		call.done.then(() => out?.close(), (error) => { if (!signal.aborted) fail(error); }).finally(() => signal.removeEventListener("abort", onAbort));
	});
}
