// Errors as Node has them: a stack begins with the name and the message, and what captures
// stacks can have them as call sites. Errors that the engine throws itself have places alone.
const Base = Error;

// here is the stack at this place, as the engine writes it. Most are never looked at.
export const here = () => new Base().stack;

// places is such a stack of whoever has called, without here and those who have passed it on.
export function places(stack, skip) {
	let at = 0;
	for (let n = skip + 1; n > 0; n--) {
		at = stack.indexOf("\n", at) + 1;
		if (at === 0) return "";
	}
	return stack.slice(at);
}

// head is what the stack of an error begins with.
const head = (error) => {
	try { return Base.prototype.toString.call(error); } catch { return "Error"; }
};

// without takes it away again.
export function without(error, stack) {
	const first = head(error) + "\n";
	return stack.startsWith(first) ? stack.slice(first.length) : stack;
}

const line = /^\s*at (?:(.*?) \()?([^()]*?|native)(?::(\d+):(\d+))?\)?$/;

class CallSite {
	#text; #name; #file; #line; #column;
	constructor(text) {
		this.#text = text.trim().replace(/^at /, "");
		const [, name, file, row, column] = line.exec(text) ?? [];
		this.#name = name && name !== "<anonymous>" ? name : null;
		this.#file = file === "native" ? undefined : file;
		this.#line = row ? Number(row) : null;
		this.#column = column ? Number(column) : null;
	}
	getFunctionName() { return this.#name; }
	getMethodName() { return null; }
	getTypeName() { return null; }
	getThis() { return undefined; }
	getFunction() { return undefined; }
	getFileName() { return this.#file; }
	getScriptNameOrSourceURL() { return this.#file; }
	getEvalOrigin() { return undefined; }
	getLineNumber() { return this.#line; }
	getColumnNumber() { return this.#column; }
	isNative() { return this.#file === undefined; }
	isToplevel() { return this.#name === null; }
	isConstructor() { return false; }
	isEval() { return false; }
	isAsync() { return false; }
	isPromiseAll() { return false; }
	toString() { return this.#text; }
}

// keep gives an error its stack, which is made when it is asked for: names come late.
function keep(error, stack, skip) {
	const prepare = globalThis.Error.prepareStackTrace;
	const sites = () => places(stack, skip).split("\n").filter((text) => text.trim()).map((text) => new CallSite(text));
	const make = typeof prepare === "function" ? () => prepare(error, sites()) : () => head(error) + "\n" + places(stack, skip);
	const set = (value) => Object.defineProperty(error, "stack", { value, writable: true, configurable: true, enumerable: false });
	Object.defineProperty(error, "stack", {
		configurable: true, enumerable: false, set,
		get() {
			const value = make();
			set(value);
			return value;
		},
	});
}

function wrapped(Class) {
	const make = (args, as) => {
		const error = Reflect.construct(Class, args, as);
		keep(error, here(), 2);
		return error;
	};
	const proxy = new Proxy(Class, { construct: (_, args, as) => make(args, as), apply: (_, __, args) => make(args, proxy) });
	Object.defineProperty(Class.prototype, "constructor", { value: proxy, writable: true, configurable: true, enumerable: false });
	return proxy;
}

export function install() {
	const names = ["Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];
	for (const name of names) {
		const Class = globalThis[name];
		const proxy = wrapped(Class);
		if (Class !== Base) Object.setPrototypeOf(Class, globalThis.Error);
		Object.defineProperty(globalThis, name, { value: proxy, writable: true, configurable: true, enumerable: false });
	}
	globalThis.Error.captureStackTrace = (target) => keep(target, here(), 1);
	globalThis.Error.stackTraceLimit = 10;
}
