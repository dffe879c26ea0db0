// Streams of the web, as far as bodies and pipes use them.
export class ReadableStream {
	#queue = [];
	#waiting = [];
	#state = "open";
	#error;
	#source;
	#reader = null;
	#started;
	constructor(source = {}) {
		this.#source = source;
		const stream = this;
		this.controller = {
			get desiredSize() { return 1 - stream.#queue.length; },
			enqueue: (chunk) => {
				if (this.#state !== "open") throw new TypeError("The stream is closed");
				const w = this.#waiting.shift();
				if (w) w.resolve({ value: chunk, done: false });
				else this.#queue.push(chunk);
			},
			close: () => {
				if (this.#state !== "open") return;
				this.#state = "closed";
				for (const w of this.#waiting.splice(0)) w.resolve({ value: undefined, done: true });
			},
			error: (error) => {
				if (this.#state !== "open") return;
				this.#state = "errored";
				this.#error = error;
				for (const w of this.#waiting.splice(0)) w.reject(error);
			},
		};
		this.#started = Promise.resolve(source.start?.(this.controller)).catch((error) => this.controller.error(error));
	}
	static from(iterable) {
		const it = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]();
		return new ReadableStream({ async pull(c) { const { value, done } = await it.next(); if (done) c.close(); else c.enqueue(value); }, cancel: () => it.return?.() });
	}
	get locked() { return this.#reader !== null; }
	#read() {
		if (this.#queue.length > 0) return Promise.resolve({ value: this.#queue.shift(), done: false });
		if (this.#state === "closed") return Promise.resolve({ value: undefined, done: true });
		if (this.#state === "errored") return Promise.reject(this.#error);
		return new Promise((resolve, reject) => {
			this.#waiting.push({ resolve, reject });
			if (this.#source.pull) this.#started.then(() => (this.#waiting.length > 0 ? this.#source.pull(this.controller) : undefined)).catch((error) => this.controller.error(error));
		});
	}
	getReader() {
		if (this.#reader) throw new TypeError("The stream is locked by a reader");
		const reader = this.#reader = {
			read: () => this.#read(),
			cancel: (reason) => this.#cancel(reason),
			releaseLock: () => { if (this.#reader === reader) this.#reader = null; },
			closed: new Promise(() => {}),
		};
		return reader;
	}
	async #cancel(reason) {
		this.#queue = [];
		const was = this.#state;
		this.controller.close();
		if (was === "open") await this.#source.cancel?.(reason);
	}
	cancel(reason) { return this.#cancel(reason); }
	async *values() {
		const reader = this.getReader();
		try {
			for (;;) {
				const { value, done } = await reader.read();
				if (done) return;
				yield value;
			}
		} finally {
			reader.releaseLock();
			await this.#cancel();
		}
	}
	[Symbol.asyncIterator]() { return this.values(); }
	pipeThrough({ readable, writable }) { this.pipeTo(writable).catch(() => {}); return readable; }
	async pipeTo(to) {
		const writer = to.getWriter();
		try {
			const reader = this.getReader();
			for (;;) {
				const { value, done } = await reader.read();
				if (done) break;
				await writer.write(value);
			}
			await writer.close();
		} catch (error) {
			await writer.abort(error);
			throw error;
		}
	}
	tee() {
		const reader = this.getReader();
		const outs = [];
		let pulling = null;
		const pull = () => (pulling ??= reader.read().then(({ value, done }) => { pulling = null; for (const o of outs) { if (done) o.close(); else o.enqueue(value); } }, (error) => { for (const o of outs) o.error(error); }));
		return [0, 1].map(() => new ReadableStream({ start: (c) => { outs.push(c); }, pull }));
	}
}

export class WritableStream {
	#sink;
	#state = "open";
	#tail;
	constructor(sink = {}) {
		this.#sink = sink;
		this.controller = { error: () => { this.#state = "errored"; } };
		this.#tail = Promise.resolve(sink.start?.(this.controller));
	}
	get locked() { return false; }
	getWriter() {
		const after = (fn) => (this.#tail = this.#tail.then(fn));
		return {
			ready: Promise.resolve(), desiredSize: 1,
			write: (chunk) => (this.#state === "open" ? after(() => this.#sink.write?.(chunk, this.controller)) : Promise.reject(new TypeError("The stream is closed"))),
			close: () => { this.#state = "closed"; return after(() => this.#sink.close?.()); },
			abort: (reason) => { this.#state = "errored"; return Promise.resolve(this.#sink.abort?.(reason)); },
			releaseLock() {},
		};
	}
	close() { return this.getWriter().close(); }
	abort(reason) { return this.getWriter().abort(reason); }
}

export class TransformStream {
	constructor({ start, transform, flush } = {}) {
		let out;
		this.readable = new ReadableStream({ start: (c) => { out = { enqueue: c.enqueue, error: c.error, terminate: c.close, desiredSize: 1 }; } });
		this.writable = new WritableStream({
			start: () => start?.(out),
			write: (chunk) => (transform ? transform(chunk, out) : out.enqueue(chunk)),
			close: async () => { await flush?.(out); out.terminate(); },
			abort: (reason) => out.error(reason),
		});
	}
}
export class TextDecoderStream extends TransformStream {
	constructor(label, options) {
		const decoder = new TextDecoder(label, options);
		super({
			transform: (chunk, out) => { const text = decoder.decode(chunk, { stream: true }); if (text) out.enqueue(text); },
			flush: (out) => { const text = decoder.decode(); if (text) out.enqueue(text); },
		});
	}
}
export class TextEncoderStream extends TransformStream {
	constructor() { super({ transform: (chunk, out) => out.enqueue(new TextEncoder().encode(chunk)) }); }
}
