// Node's EventEmitter.
import { callable, take } from "rondo:callable";

function listOf(emitter, name) {
	const all = (emitter._events ??= new Map());
	if (!all.has(name)) all.set(name, []);
	return all.get(name);
}
function add(emitter, name, listener, once, first) {
	if (typeof listener !== "function") throw new TypeError('The "listener" argument must be of type function');
	if (name !== "newListener" && emitter._events?.has("newListener")) emitter.emit("newListener", name, listener);
	listOf(emitter, name)[first ? "unshift" : "push"]({ listener, once });
	return emitter;
}

// Its methods work on any object, as programs mix them into others.
class Emitter {
	constructor() {
		const adopted = take();
		if (adopted) return adopted;
	}
	on(name, listener) { return add(this, name, listener, false, false); }
	addListener(name, listener) { return this.on(name, listener); }
	prependListener(name, listener) { return add(this, name, listener, false, true); }
	once(name, listener) { return add(this, name, listener, true, false); }
	prependOnceListener(name, listener) { return add(this, name, listener, true, true); }
	off(name, listener) {
		const list = listOf(this, name);
		const at = list.findLastIndex((l) => l.listener === listener);
		if (at >= 0) this._events.set(name, list.toSpliced(at, 1));
		return this;
	}
	removeListener(name, listener) { return this.off(name, listener); }
	removeAllListeners(name) {
		if (name === undefined) this._events = new Map();
		else this._events?.delete(name);
		return this;
	}
	emit(name, ...args) {
		if (name === "error" && this._events?.has(errorMonitor)) this.emit(errorMonitor, ...args);
		const list = this._events?.get(name);
		if (!list || list.length === 0) {
			if (name === "error") throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error. (${args[0]})`);
			return false;
		}
		for (const { listener, once } of [...list]) {
			if (once) this.off(name, listener);
			listener.apply(this, args);
		}
		return true;
	}
	listeners(name) { return (this._events?.get(name) ?? []).map((l) => l.listener); }
	rawListeners(name) { return this.listeners(name); }
	listenerCount(name) { return this._events?.get(name)?.length ?? 0; }
	eventNames() { return [...(this._events ?? new Map())].filter(([, l]) => l.length > 0).map(([n]) => n); }
	setMaxListeners() { return this; }
	getMaxListeners() { return 10; }
}
export const EventEmitter = callable(Emitter, "EventEmitter");
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.defaultMaxListeners = 10;

export function once(emitter, name, { signal } = {}) {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason);
		const done = (...args) => { off(); resolve(args); };
		const fail = (error) => { off(); reject(error); };
		const off = () => { emitter.off(name, done); emitter.off("error", fail); };
		emitter.on(name, done);
		if (name !== "error") emitter.on("error", fail);
		signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
	});
}
EventEmitter.once = once;

// on gives the events of a name one by one.
export function on(emitter, name, { signal, close = [] } = {}) {
	const queue = [], waiting = [];
	let over = false, failure;
	const put = (step) => { const w = waiting.shift(); if (w) step(w); else queue.push(step); };
	const heard = (...args) => put((w) => w.resolve({ value: args, done: false }));
	const failed = (error) => { failure = error; put((w) => w.reject(error)); finish(); };
	const aborted = () => failed(Object.assign(new DOMException("The operation was aborted", "AbortError"), { cause: signal.reason }));
	function finish() {
		if (over) return;
		over = true;
		emitter.off(name, heard);
		emitter.off("error", failed);
		for (const end of close) emitter.off(end, finish);
		signal?.removeEventListener("abort", aborted);
		for (const w of waiting.splice(0)) w.resolve({ value: undefined, done: true });
	}
	emitter.on(name, heard);
	if (name !== "error") emitter.on("error", failed);
	for (const end of close) emitter.on(end, finish);
	if (signal?.aborted) aborted();
	else signal?.addEventListener("abort", aborted, { once: true });
	return {
		next() {
			if (queue.length === 0 && over) return Promise.resolve({ value: undefined, done: true });
			return new Promise((resolve, reject) => { if (queue.length > 0) queue.shift()({ resolve, reject }); else waiting.push({ resolve, reject }); });
		},
		return() { finish(); queue.length = 0; return Promise.resolve({ value: undefined, done: true }); },
		throw(error) { failed(error); return Promise.resolve({ value: undefined, done: true }); },
		[Symbol.asyncIterator]() { return this; },
	};
}
export function addAbortListener(signal, listener) {
	if (signal.aborted) queueMicrotask(listener);
	else signal.addEventListener("abort", listener, { once: true });
	return { [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() { signal.removeEventListener("abort", listener); } };
}
export const errorMonitor = Symbol("events.errorMonitor");
export const captureRejectionSymbol = Symbol.for("nodejs.rejection");
export const captureRejections = false;
export const listenerCount = (emitter, name) => emitter.listenerCount(name);
export const getMaxListeners = (emitter) => emitter.getMaxListeners?.() ?? 10;
export class EventEmitterAsyncResource extends EventEmitter {}
export const setMaxListeners = () => {};
export const getEventListeners = (emitter, name) => emitter.listeners?.(name) ?? [];
export const defaultMaxListeners = 10;
export default EventEmitter;
