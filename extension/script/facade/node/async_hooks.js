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
	static bind(fn) { return (...args) => fn(...args); }
	static snapshot() { return (fn, ...args) => fn(...args); }
}
export class AsyncResource {
	runInAsyncScope(fn, self, ...args) { return fn.apply(self, args); }
	constructor(type) { this.type = type; }
	asyncId() { return 0; }
	triggerAsyncId() { return 0; }
	bind(fn) { return fn; }
	emitDestroy() { return this; }
	static bind(fn) { return fn; }
}
export const createHook = () => ({ enable() { return this; }, disable() { return this; } });
export const executionAsyncId = () => 0;
export const triggerAsyncId = () => 0;
export const executionAsyncResource = () => ({});
export default { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId, executionAsyncResource };
