// What is done with whole streams: their end, pipelines of them, and operators.

const isNode = (s) => s !== null && typeof s === "object" && typeof s.pipe === "function" && typeof s.on === "function";
const takesWrites = (s) => s !== null && typeof s === "object" && typeof s.write === "function" && typeof s.on === "function";
const premature = () => Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
const abortion = (signal) => Object.assign(new DOMException("The operation was aborted", "AbortError"), { cause: signal.reason });

// finished calls done when the sides of a stream that it has are over.
export function finished(stream, options, done = options) {
	const { readable, writable, signal } = typeof options === "object" && options !== null ? options : {};
	const reads = readable !== false && typeof stream._read === "function";
	const writes = writable !== false && typeof stream._write === "function";
	let over = false;
	const complete = () => (!reads || stream.readableEnded) && (!writes || stream.writableFinished);
	const heard = { end: () => check(), finish: () => check(), close: () => end(complete() ? undefined : premature()), error: (error) => end(error) };
	const aborted = () => end(abortion(signal));
	function off() {
		for (const [name, listener] of Object.entries(heard)) stream.off?.(name, listener);
		signal?.removeEventListener("abort", aborted);
	}
	function end(error) {
		if (over) return;
		over = true;
		off();
		done.call(stream, error ?? undefined);
	}
	// Streams of other makes tell by their events alone.
	function check() { if (reads || writes ? complete() : true) end(); }
	for (const [name, listener] of Object.entries(heard)) stream.on(name, listener);
	if (signal?.aborted) queueMicrotask(aborted);
	else signal?.addEventListener("abort", aborted, { once: true });
	if ((reads || writes) && (complete() || stream.closed)) queueMicrotask(() => end(stream.errored ?? (complete() ? undefined : premature())));
	return () => { over = true; off(); };
}

// pump writes what an iterable gives.
async function pump(from, to, end) {
	for await (const chunk of from) {
		if (to.destroyed) throw premature();
		if (to.write(chunk) === false) await new Promise((resolve) => { for (const name of ["drain", "close", "error"]) to.once(name, resolve); });
	}
	if (end !== false) to.end();
}

const whole = (stream, options) => new Promise((resolve, reject) => finished(stream, options, (error) => (error ? reject(error) : resolve())));

// flowing connects the parts, which are streams, iterables and functions that make some.
async function flowing(parts, { signal, end } = {}) {
	const streams = [...new Set(parts.filter((part) => isNode(part) || takesWrites(part)))];
	const waits = streams.map((s, i) => whole(s, { readable: s !== parts.at(-1), writable: s !== parts[0] && (end !== false || i < streams.length - 1) }));
	const fail = (error) => { for (const s of streams) if (s !== globalThis.process?.stdout) s.destroy?.(error); };
	const aborted = signal && new Promise((_, reject) => { const stop = () => reject(abortion(signal)); if (signal.aborted) stop(); else signal.addEventListener("abort", stop, { once: true }); });
	aborted?.catch(() => {});
	for (const s of streams) s.on("error", () => {});
	let value;
	let current = typeof parts[0] === "function" ? parts[0]({ signal }) : parts[0];
	parts.slice(1).forEach((part, i) => {
		const last = i === parts.length - 2;
		if (typeof part === "function") {
			const out = part(current, { signal });
			if (last && typeof out?.then === "function") waits.push(out.then((v) => { value = v; }));
			else if (last) waits.push((async () => { for await (const _ of out); })()); // eslint-disable-line no-unused-vars
			current = out;
			return;
		}
		if (isNode(current)) current.pipe(part, { end: !last || end !== false });
		else waits.push(pump(current, part, last ? end : true));
		current = part;
	});
	const all = Promise.all(waits);
	try {
		await (aborted ? Promise.race([all, aborted]) : all);
	} catch (error) {
		all.catch(() => {});
		fail(error);
		throw error;
	}
	return value;
}

export function pipeline(...parts) {
	const done = typeof parts.at(-1) === "function" && parts.length > 1 ? parts.pop() : () => {};
	const list = parts.flat();
	flowing(list).then((value) => done(undefined, value), (error) => done(error));
	return list.at(-1);
}

const isOptions = (o) => o !== null && typeof o === "object" && !isNode(o) && !takesWrites(o) && !o[Symbol.asyncIterator] && !o[Symbol.iterator];
export const promises = {
	pipeline: async (...parts) => flowing(parts.flat().filter((part) => !isOptions(part)), isOptions(parts.at(-1)) ? parts.at(-1) : undefined),
	finished: (stream, options) => whole(stream, options ?? {}),
};

export function addAbortSignal(signal, stream) {
	const stop = () => stream.destroy(abortion(signal));
	if (signal.aborted) stop();
	else signal.addEventListener("abort", stop, { once: true });
	return stream;
}
export const destroy = (stream, error) => stream.destroy(error);
export const isReadable = (s) => Boolean(s?.readable && !s.destroyed && !s.readableEnded);
export const isWritable = (s) => Boolean(s?.writable && !s.destroyed && !s.writableEnded);
export const isErrored = (s) => Boolean(s?.errored);
export const isDisturbed = (s) => Boolean(s?.readableDidRead || s?.destroyed);
export const getDefaultHighWaterMark = (object) => (object ? 16 : 65536);
export const setDefaultHighWaterMark = () => {};

// operators are methods of streams that make others of them.
export function operators({ Readable, Writable, Duplex }) {
	const made = (items) => Readable.from(items);
	const methods = {
		map(fn) { const from = this; return made((async function* () { for await (const x of from) yield fn(x); })()); },
		filter(fn) { const from = this; return made((async function* () { for await (const x of from) if (await fn(x)) yield x; })()); },
		flatMap(fn) { const from = this; return made((async function* () { for await (const x of from) yield* await fn(x); })()); },
		take(n) { const from = this; return made((async function* () { let i = 0; if (n > 0) for await (const x of from) { yield x; if (++i >= n) return; } })()); },
		drop(n) { const from = this; return made((async function* () { let i = 0; for await (const x of from) if (i++ >= n) yield x; })()); },
		async forEach(fn) { for await (const x of this) await fn(x); },
		async some(fn) { for await (const x of this) if (await fn(x)) return true; return false; },
		async every(fn) { for await (const x of this) if (!(await fn(x))) return false; return true; },
		async find(fn) { for await (const x of this) if (await fn(x)) return x; return undefined; },
		async reduce(fn, ...start) {
			let has = start.length > 0, sum = start[0];
			for await (const x of this) { sum = has ? await fn(sum, x) : x; has = true; }
			if (!has) throw new TypeError("Reduce of an empty stream requires an initial value");
			return sum;
		},
		iterator() { return this[Symbol.asyncIterator](); },
	};
	for (const [name, value] of Object.entries(methods)) Object.defineProperty(Readable.prototype, name, { value, writable: true, configurable: true });
	Readable.fromWeb = (web, options) => Readable.from(web, { objectMode: false, ...options });
	Readable.toWeb = (stream) => {
		const it = stream[Symbol.asyncIterator]();
		return new ReadableStream({ async pull(c) { const { value, done } = await it.next(); if (done) c.close(); else c.enqueue(value); }, cancel(reason) { stream.destroy(reason); } });
	};
	Writable.fromWeb = (web) => { const w = web.getWriter(); return new Writable({ write(chunk, _, done) { w.write(chunk).then(() => done(), done); }, final(done) { w.close().then(() => done(), done); } }); };
	Writable.toWeb = (stream) => new WritableStream({ write: (chunk) => new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve()))), close: () => new Promise((resolve) => stream.end(resolve)), abort: (reason) => { stream.destroy(reason); } });
	Duplex.from = (source) => (isNode(source) ? source : Readable.from(typeof source === "function" ? source() : source));
}
