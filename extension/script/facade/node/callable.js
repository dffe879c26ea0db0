// Classes that old programs call as functions: EventEmitter.call(this).
let waiting = null;

// take hands the object over that is to become an instance; the first class of a chain returns
// it, so that the fields of all are put on it.
export function take() {
	const object = waiting;
	waiting = null;
	return object;
}

export function callable(Class, name = Class.name) {
	Object.defineProperty(Class, "name", { value: name, configurable: true });
	const proxy = new Proxy(Class, {
		apply(_, self, args) {
			if (self === null || (typeof self !== "object" && typeof self !== "function")) return new proxy(...args);
			waiting = self;
			try { Reflect.construct(Class, args); } finally { waiting = null; }
			return undefined;
		},
	});
	Object.defineProperty(Class.prototype, "constructor", { value: proxy, writable: true, configurable: true });
	return proxy;
}
