// AsyncLocalStorage: what runs has a frame, the stores of all storages, which its callbacks and
// continuations keep. The engine does not tell when an await goes on, so bundles that have a
// storage are made without await (see the bundler), and go on by then.
const none = new Map();
let frame = none;

function within(stores, fn, self, args) {
	const outer = frame;
	frame = stores;
	try { return fn.apply(self, args); } finally { frame = outer; }
}

function kept(fn) {
	if (typeof fn !== "function" || frame === none) return fn;
	const stores = frame;
	return function (...args) { return within(stores, fn, this, args); };
}

// watch makes callbacks keep their frame, once there is a storage.
let watching = false;
function watch() {
	if (watching) return;
	watching = true;
	const replace = (on, name, make) => Object.defineProperty(on, name, { value: make(on[name]), writable: true, configurable: true });
	replace(Promise.prototype, "then", (then) => function (ok, failed) { return then.call(this, kept(ok), kept(failed)); });
	for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]) replace(globalThis, name, (start) => Object.assign((fn, ...rest) => start(kept(fn), ...rest), start));
	replace(process, "nextTick", (tick) => (fn, ...args) => tick(kept(fn), ...args));
}

export class AsyncLocalStorage {
	#name;
	#otherwise;
	constructor({ name = "", defaultValue } = {}) {
		watch();
		this.#name = name;
		this.#otherwise = defaultValue;
	}
	get name() { return this.#name; }
	run(store, fn, ...args) { return within(new Map(frame).set(this, store), fn, undefined, args); }
	exit(fn, ...args) { return this.run(undefined, fn, ...args); }
	enterWith(store) { frame = new Map(frame).set(this, store); }
	getStore() { return frame.has(this) ? frame.get(this) : this.#otherwise; }
	disable() { frame = new Map(frame); frame.delete(this); }
	static bind(fn) { const stores = frame; return function (...args) { return within(stores, fn, this, args); }; }
	static snapshot() { const stores = frame; return (fn, ...args) => within(stores, fn, undefined, args); }
}

export class AsyncResource {
	#stores = frame;
	constructor(type) { this.type = type; }
	runInAsyncScope(fn, self, ...args) { return within(this.#stores, fn, self, args); }
	asyncId() { return 0; }
	triggerAsyncId() { return 0; }
	bind(fn) { const stores = this.#stores; return function (...args) { return within(stores, fn, this, args); }; }
	emitDestroy() { return this; }
	static bind(fn) { return AsyncLocalStorage.bind(fn); }
}
export const createHook = () => ({ enable() { return this; }, disable() { return this; } });
export const executionAsyncId = () => 0;
export const triggerAsyncId = () => 0;
export const executionAsyncResource = () => ({});
export default { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId, executionAsyncResource };
