// Node's EventEmitter.
export class EventEmitter {
	#list(name) {
		const all = (this._events ??= new Map());
		if (!all.has(name)) all.set(name, []);
		return all.get(name);
	}
	on(name, listener) { return this.#add(name, listener, false, false); }
	addListener(name, listener) { return this.on(name, listener); }
	prependListener(name, listener) { return this.#add(name, listener, false, true); }
	once(name, listener) { return this.#add(name, listener, true, false); }
	prependOnceListener(name, listener) { return this.#add(name, listener, true, true); }
	#add(name, listener, once, first) {
		if (typeof listener !== "function") throw new TypeError('The "listener" argument must be of type function');
		if (name !== "newListener" && this._events?.has("newListener")) this.emit("newListener", name, listener);
		this.#list(name)[first ? "unshift" : "push"]({ listener, once });
		return this;
	}
	off(name, listener) {
		const list = this.#list(name);
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
export const setMaxListeners = () => {};
export const getEventListeners = (emitter, name) => emitter.listeners?.(name) ?? [];
export const defaultMaxListeners = 10;
export default EventEmitter;
