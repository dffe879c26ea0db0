// AsyncLocalStorage holds its value for the synchronous part of a call alone: the engine does
// not tell when a promise goes on.
export class AsyncLocalStorage {
	#store;
	run(store, fn, ...args) {
		const outer = this.#store;
		this.#store = store;
		try { return fn(...args); } finally { this.#store = outer; }
	}
	exit(fn, ...args) { return this.run(undefined, fn, ...args); }
	enterWith(store) { this.#store = store; }
	getStore() { return this.#store; }
	disable() { this.#store = undefined; }
}
export class AsyncResource {
	runInAsyncScope(fn, self, ...args) { return fn.apply(self, args); }
	emitDestroy() { return this; }
	static bind(fn) { return fn; }
}
export default { AsyncLocalStorage, AsyncResource };
