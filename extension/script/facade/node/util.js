import { format, inspect } from "rondo:inspect";

const custom = Symbol.for("nodejs.util.promisify.custom");
export function promisify(fn) {
	if (typeof fn !== "function") throw new TypeError('The "original" argument must be of type function');
	if (fn[custom]) return fn[custom];
	return function (...args) {
		return new Promise((resolve, reject) => fn.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value))));
	};
}
promisify.custom = custom;
export const callbackify = (fn) => (...args) => {
	const done = args.pop();
	fn(...args).then((value) => queueMicrotask(() => done(null, value)), (error) => queueMicrotask(() => done(error ?? new Error("rejected"))));
};
export function inherits(child, parent) {
	Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
	Object.setPrototypeOf(child.prototype, parent.prototype);
}
export const deprecate = (fn) => fn;
export const debuglog = () => Object.assign(() => {}, { enabled: false });
export const debug = debuglog;
export function isDeepStrictEqual(a, b) {
	if (Object.is(a, b)) return true;
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
	if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
	if (a instanceof Date) return a.getTime() === b.getTime();
	if (a instanceof RegExp) return String(a) === String(b);
	if (a instanceof Map) return a.size === b.size && [...a].every(([k, v]) => b.has(k) && isDeepStrictEqual(v, b.get(k)));
	if (a instanceof Set) return a.size === b.size && [...a].every((v) => b.has(v) || [...b].some((w) => isDeepStrictEqual(v, w)));
	if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
	const ka = Object.keys(a), kb = Object.keys(b);
	return ka.length === kb.length && ka.every((k) => Object.hasOwn(b, k) && isDeepStrictEqual(a[k], b[k]));
}
export const stripVTControlCharacters = (s) => String(s).replace(/[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g, "");
const styles = { reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39] };
export const styleText = (names, text) => [].concat(names).reduceRight((out, n) => { if (!styles[n]) throw new TypeError(`there is no style ${n}`); return `\x1b[${styles[n][0]}m${out}\x1b[${styles[n][1]}m`; }, text);
export function parseArgs({ args = process.argv.slice(2), options = {}, allowPositionals = false, strict = true } = {}) {
	const values = {}, positionals = [];
	for (const [name, o] of Object.entries(options)) if (o.default !== undefined) values[name] = o.default;
	const put = (name, value) => { if (options[name]?.multiple) (values[name] ??= []).push(value); else values[name] = value; };
	for (let i = 0; i < args.length; i++) {
		const a = args[i];
		if (a === "--") { positionals.push(...args.slice(i + 1)); break; }
		if (!a.startsWith("-") || a === "-") {
			if (!allowPositionals && strict) throw Object.assign(new TypeError(`Unexpected argument '${a}'`), { code: "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL" });
			positionals.push(a);
			continue;
		}
		const [, key, given] = /^--?([^=]+)(?:=(.*))?$/s.exec(a);
		const name = a.startsWith("--") ? key : (Object.keys(options).find((n) => options[n].short === key) ?? key);
		if (!options[name] && strict) throw Object.assign(new TypeError(`Unknown option '${a}'`), { code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" });
		put(name, options[name]?.type === "string" ? (given ?? args[++i]) : (given ?? true));
	}
	return { values, positionals };
}
const tag = (v) => Object.prototype.toString.call(v).slice(8, -1);
export const types = {
	isPromise: (v) => v instanceof Promise, isDate: (v) => v instanceof Date, isRegExp: (v) => v instanceof RegExp, isMap: (v) => v instanceof Map, isSet: (v) => v instanceof Set,
	isNativeError: (v) => v instanceof Error, isTypedArray: (v) => ArrayBuffer.isView(v) && !(v instanceof DataView), isUint8Array: (v) => v instanceof Uint8Array, isAnyArrayBuffer: (v) => v instanceof ArrayBuffer,
	isWeakMap: (v) => v instanceof WeakMap, isWeakSet: (v) => v instanceof WeakSet, isMapIterator: (v) => tag(v) === "Map Iterator", isSetIterator: (v) => tag(v) === "Set Iterator",
	isSharedArrayBuffer: (v) => v instanceof SharedArrayBuffer, isArrayBufferView: (v) => ArrayBuffer.isView(v), isDataView: (v) => v instanceof DataView,
	isUint8ClampedArray: (v) => v instanceof Uint8ClampedArray, isUint16Array: (v) => v instanceof Uint16Array, isUint32Array: (v) => v instanceof Uint32Array,
	isInt8Array: (v) => v instanceof Int8Array, isInt16Array: (v) => v instanceof Int16Array, isInt32Array: (v) => v instanceof Int32Array,
	isFloat32Array: (v) => v instanceof Float32Array, isFloat64Array: (v) => v instanceof Float64Array, isBigInt64Array: (v) => v instanceof BigInt64Array, isBigUint64Array: (v) => v instanceof BigUint64Array,
	isGeneratorObject: (v) => tag(v) === "Generator" || tag(v) === "AsyncGenerator", isArgumentsObject: (v) => tag(v) === "Arguments", isModuleNamespaceObject: (v) => tag(v) === "Module",
	isNumberObject: (v) => v instanceof Number, isStringObject: (v) => v instanceof String, isBooleanObject: (v) => v instanceof Boolean, isBigIntObject: (v) => typeof v === "object" && tag(v) === "BigInt",
	isSymbolObject: (v) => typeof v === "object" && tag(v) === "Symbol", isBoxedPrimitive: (v) => typeof v === "object" && ["Number", "String", "Boolean", "BigInt", "Symbol"].includes(tag(v)),
	isExternal: () => false, isKeyObject: () => false, isCryptoKey: (v) => v?.constructor?.name === "CryptoKey",
	isArrayBuffer: (v) => v instanceof ArrayBuffer, isAsyncFunction: (v) => tag(v) === "AsyncFunction", isGeneratorFunction: (v) => tag(v) === "GeneratorFunction", isProxy: () => false,
};
const { TextEncoder, TextDecoder } = globalThis;
export const isArray = Array.isArray;
export const toUSVString = (s) => String(s).toWellFormed();
export const aborted = (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
export const formatWithOptions = (options, ...args) => format(...args);
export const getCallSites = () => [];
export const transferableAbortController = () => new AbortController();
export const transferableAbortSignal = (signal) => signal;
// parseEnv reads a file of variables.
export function parseEnv(text) {
	const out = {};
	for (const [, name, double, single, back, bare] of text.matchAll(/^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\n#]*))/gm)) out[name] = double?.replace(/\\n/g, "\n") ?? single ?? back ?? bare.trim();
	return out;
}
export { format, inspect, TextEncoder, TextDecoder };
export default { promisify, callbackify, inherits, deprecate, debuglog, debug, isDeepStrictEqual, stripVTControlCharacters, styleText, parseArgs, types, format, inspect, TextEncoder, TextDecoder, isArray, toUSVString, aborted, formatWithOptions, getCallSites, transferableAbortController, transferableAbortSignal, parseEnv };
