// Node's streams, as far as programs use them: data, end, pipe, async iteration.
import { callable } from "rondo:callable";
import { EventEmitter } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { addAbortSignal, destroy, finished, getDefaultHighWaterMark, isDisturbed, isErrored, isReadable, isWritable, operators, pipeline, promises, setDefaultHighWaterMark } from "./stream_flow.js";

class StreamClass extends EventEmitter {
	pipe(to, options) {
		this.on("data", (chunk) => { if (to.write(chunk) === false) { this.pause?.(); to.once("drain", () => this.resume?.()); } });
		if (options?.end !== false) this.on("end", () => to.end());
		to.emit("pipe", this);
		return to;
	}
}
export const Stream = callable(StreamClass, "Stream");

class ReadableClass extends Stream {
	#queue = [];
	#flowing = null;
	#reading = false;
	#ended = false;
	#decoder = null;
	#object;
	readable = true;
	destroyed = false;
	closed = false;
	errored = null;
	readableEnded = false;
	readableDidRead = false;

	constructor(options = {}) {
		super();
		this.#object = Boolean(options.objectMode || options.readableObjectMode);
		if (options.read) this._read = options.read;
		if (options.destroy) this._destroy = options.destroy;
		if (options.encoding) this.setEncoding(options.encoding);
	}
	static from(iterable, options) {
		const it = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
		return new Readable({ objectMode: true, ...options, async read() {
			try {
				const { value, done } = await it.next();
				this.push(done ? null : await value);
			} catch (error) {
				this.destroy(error);
			}
		} });
	}
	_read() {}
	setEncoding(encoding) { this.#decoder = new StringDecoder(encoding); return this; }
	get readableFlowing() { return this.#flowing; }
	get readableAborted() { return this.destroyed && !this.readableEnded; }
	get readableObjectMode() { return this.#object; }
	get readableHighWaterMark() { return getDefaultHighWaterMark(this.#object); }
	get readableLength() { return this.#queue.length; }
	push(chunk, encoding) {
		this.#reading = false;
		if (this.#ended || this.destroyed) return false;
		if (chunk === null) {
			this.#ended = true;
			const rest = this.#decoder?.end();
			if (rest) this.#queue.push(rest);
		} else if (this.#object) this.#queue.push(chunk);
		else {
			const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
			const out = this.#decoder ? this.#decoder.write(bytes) : bytes;
			if (out.length > 0) this.#queue.push(out);
		}
		this.#soon();
		return this.#queue.length < 16;
	}
	unshift(chunk) { this.#queue.unshift(chunk); this.#soon(); }
	#scheduled = false;
	#soon() {
		if (this.#scheduled) return;
		this.#scheduled = true;
		queueMicrotask(() => { this.#scheduled = false; this.#flow(); });
	}
	#flow() {
		if (this.destroyed) return;
		if (this.#flowing) {
			while (this.#queue.length > 0 && this.#flowing) { this.readableDidRead = true; this.emit("data", this.#queue.shift()); }
		} else if (this.listenerCount("readable") > 0 && (this.#queue.length > 0 || this.#ended)) this.emit("readable");
		if (this.#queue.length === 0 && this.#ended && !this.readableEnded && (this.#flowing || this.listenerCount("readable") > 0)) {
			this.readableEnded = true;
			this.readable = false;
			this.emit("end");
			this.sideOver();
		} else if (this.#queue.length === 0 && !this.#ended && !this.#reading && this.#flowing !== false) {
			this.#reading = true;
			this._read(65536);
		}
	}
	on(name, listener) {
		super.on(name, listener);
		if (name === "data" && this.#flowing !== false) this.resume();
		if (name === "readable") this.#soon();
		return this;
	}
	addListener(name, listener) { return this.on(name, listener); }
	read() {
		if (this.#queue.length === 0) { this.#soon(); return null; }
		const all = this.#queue.splice(0, this.#object ? 1 : Infinity);
		this.#soon();
		return all.length === 1 ? all[0] : typeof all[0] === "string" ? all.join("") : Buffer.concat(all);
	}
	pause() { this.#flowing = false; return this; }
	resume() { this.#flowing = true; this.#soon(); return this; }
	isPaused() { return this.#flowing === false; }
	unpipe() { this.removeAllListeners("data"); return this; }
	// sideOver is called when reading, or writing, has come to its end.
	sideOver() { this.destroy(); }
	_destroy(error, done) { done(error); }
	destroy(error) {
		if (this.destroyed) return this;
		this.destroyed = true;
		this.readable = false;
		this._destroy(error ?? null, (e) => { this.errored = e ?? null; queueMicrotask(() => { this.closed = true; if (e) this.emit("error", e); this.emit("close"); }); });
		return this;
	}
	async *[Symbol.asyncIterator]() {
		const queue = [];
		let wake = () => {}, over = false, failure;
		this.on("data", (chunk) => { queue.push(chunk); wake(); });
		for (const name of ["end", "close"]) this.on(name, () => { over = true; wake(); });
		this.on("error", (error) => { failure = error; over = true; wake(); });
		try {
			for (;;) {
				while (queue.length > 0) yield queue.shift();
				if (failure) throw failure;
				if (over) return;
				await new Promise((resolve) => { wake = resolve; });
			}
		} finally {
			this.destroy();
		}
	}
	async toArray() { const all = []; for await (const chunk of this) all.push(chunk); return all; }
}
export const Readable = callable(ReadableClass, "Readable");

// writing adds a writable's side to a class.
const writing = (Base) => class extends Base {
	#queue = [];
	#busy = false;
	#ending = false;
	#corked = 0;
	#autoDestroy = true;
	writable = true;
	writableEnded = false;
	writableFinished = false;
	constructor(options = {}) {
		super(options);
		this.objectWrites = Boolean(options.objectMode || options.writableObjectMode);
		this.encoding = options.defaultEncoding ?? "utf8";
		if (options.write) this._write = options.write;
		if (options.final) this._final = options.final;
		if (options.autoDestroy === false) this.#autoDestroy = false;
		if (options.destroy) this._destroy = options.destroy;
	}
	_write(chunk, encoding, done) { done(); }
	_final(done) { done(); }
	get writableObjectMode() { return this.objectWrites; }
	get writableHighWaterMark() { return getDefaultHighWaterMark(this.objectWrites); }
	get writableCorked() { return this.#corked; }
	get writableLength() { return this.#queue.length; }
	get writableNeedDrain() { return this.#queue.length >= 16; }
	write(chunk, encoding, done) {
		if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
		if (this.#ending) {
			const error = Object.assign(new Error("write after end"), { code: "ERR_STREAM_WRITE_AFTER_END" });
			queueMicrotask(() => { done?.(error); this.emit("error", error); });
			return false;
		}
		const value = this.objectWrites || typeof chunk !== "string" ? chunk : Buffer.from(chunk, encoding ?? this.encoding);
		this.#queue.push({ chunk: value, encoding: typeof chunk === "string" ? (encoding ?? "utf8") : "buffer", done });
		this.#next();
		return this.#queue.length < 16;
	}
	#next() {
		if (this.#busy || this.#corked > 0 || this.destroyed) return;
		const item = this.#queue.shift();
		if (!item) {
			if (this.#ending && !this.writableFinished) {
				this.#busy = true;
				this._final((error) => {
					this.#busy = false;
					if (error) return this.destroy(error);
					this.writableFinished = true;
					queueMicrotask(() => { this.emit("finish"); if (this.#autoDestroy) this.sideOver(); });
				});
			}
			return;
		}
		this.#busy = true;
		this._write(item.chunk, item.encoding, (error) => {
			this.#busy = false;
			item.done?.(error);
			if (error) return this.destroy(error);
			if (this.#queue.length === 0 && !this.#ending) queueMicrotask(() => this.emit("drain"));
			this.#next();
		});
	}
	end(chunk, encoding, done) {
		if (typeof chunk === "function") [chunk, done] = [undefined, chunk];
		else if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
		if (done) this.once("finish", done);
		if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
		this.#ending = this.writableEnded = true;
		this.writable = false;
		this.#next();
		return this;
	}
	cork() { this.#corked++; }
	uncork() { this.#corked = Math.max(0, this.#corked - 1); this.#next(); }
	setDefaultEncoding(encoding) { this.encoding = encoding; return this; }
};

class Destroyable extends Stream {
	destroyed = false;
	closed = false;
	errored = null;
	sideOver() { this.destroy(); }
	_destroy(error, done) { done(error); }
	destroy(error) {
		if (this.destroyed) return this;
		this.destroyed = true;
		this._destroy(error ?? null, (e) => { this.errored = e ?? null; queueMicrotask(() => { this.closed = true; if (e) this.emit("error", e); this.emit("close"); }); });
		return this;
	}
}
class WritableClass extends writing(Destroyable) {}
export const Writable = callable(WritableClass, "Writable");
class DuplexClass extends writing(Readable) {
	constructor(options = {}) {
		super(options);
		this.allowHalfOpen = options.allowHalfOpen !== false;
	}
	sideOver() {
		if (this.readableEnded && !this.allowHalfOpen && !this.writableEnded) this.end();
		if (this.readableEnded && this.writableFinished) this.destroy();
	}
}
export const Duplex = callable(DuplexClass, "Duplex");
class TransformClass extends Duplex {
	constructor(options = {}) {
		super(options);
		if (options.transform) this._transform = options.transform;
		if (options.flush) this._flush = options.flush;
	}
	_transform(chunk, encoding, done) { done(null, chunk); }
	_flush(done) { done(); }
	_write(chunk, encoding, done) { this._transform(chunk, encoding, (error, out) => { if (!error && out !== undefined && out !== null) this.push(out); done(error); }); }
	_final(done) { this._flush((error, out) => { if (!error) { if (out !== undefined && out !== null) this.push(out); this.push(null); } done(error); }); }
}
export const Transform = callable(TransformClass, "Transform");
export const PassThrough = callable(class PassThrough extends Transform {});

operators({ Readable, Writable, Duplex });
export { addAbortSignal, destroy, finished, getDefaultHighWaterMark, isDisturbed, isErrored, isReadable, isWritable, pipeline, promises, setDefaultHighWaterMark };
Object.assign(Stream, { Stream, Readable, Writable, Duplex, Transform, PassThrough, addAbortSignal, destroy, finished, getDefaultHighWaterMark, isDisturbed, isErrored, isReadable, isWritable, pipeline, promises, setDefaultHighWaterMark });
export default Stream;
