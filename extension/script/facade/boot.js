// What every other module relies on: host calls, promises of the host, timers, the registry of
// modules and entries, lazily made globals. Runs once, first, as a plain script.
import { here, install, places, without } from "./globals/errors.js";

(() => {
	"use strict";
	const g = globalThis;
	// __native is the require of a machine that has Node's modules and globals of its own.
	const { __host, __hostAsync, __cancel, __settle, __timer, __report, __log, __library, __module, __evaluate, __native } = g;
	for (const name of ["__host", "__hostAsync", "__cancel", "__settle", "__timer", "__report", "__log", "__library", "__module", "__evaluate", "__native"]) delete g[name];

	const { parse, stringify } = JSON; // an extension may change what it finds
	// Errors of Go arrive as JSON in the message of an exception.
	const classes = { TypeError, RangeError, SyntaxError };
	function hostError(json, stack) {
		let f;
		try { f = parse(json); } catch { return new Error(json); }
		const error = new (classes[f.name] ?? Error)(f.message);
		if (f.name && !classes[f.name]) error.name = f.name;
		for (const key of ["code", "errno", "syscall", "path"]) if (f[key] !== undefined) error[key] = f[key];
		if (stack) error.stack = `${error}\n${stack}`;
		return error;
	}

	function encode(value) {
		const json = stringify(value);
		return json === undefined ? "null" : json;
	}
	const decode = (json) => (json === "" || json === undefined || json === null ? undefined : parse(json));

	// A machine of its own throws the error of an operation; the engine returns it behind a !.
	const failed = (out) => typeof out === "string" && out[0] === "!";

	function host(op, arg) {
		let out;
		try {
			out = __host(op, encode(arg));
		} catch (e) {
			throw hostError(e.message);
		}
		if (failed(out)) throw hostError(out.slice(1));
		return decode(out);
	}

	const waiting = new Map();
	let lastWait = 0;

	// hostStream starts an operation; onChunk gets what it emits. cancel ends its context.
	function hostStream(op, arg, onChunk) {
		const id = ++lastWait;
		const stack = __native ? new Error() : here();
		const done = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, onChunk, stack }));
		let out;
		try {
			out = __hostAsync(op, encode(arg), id);
		} catch (e) {
			out = "!" + e.message;
		}
		if (failed(out)) {
			waiting.delete(id);
			return { done: Promise.reject(hostError(out.slice(1))), cancel() {} };
		}
		return { done, cancel: () => __cancel(id) };
	}

	function hostAsync(op, arg, signal) {
		const call = hostStream(op, arg);
		if (!signal) return call.done;
		if (signal.aborted) call.cancel();
		else signal.addEventListener("abort", call.cancel, { once: true });
		return call.done.finally(() => signal.removeEventListener?.("abort", call.cancel));
	}

	function deliver(id, kind, payload) {
		const w = waiting.get(id);
		if (!w) return;
		if (kind === "chunk") {
			w.onChunk?.(decode(payload));
			return;
		}
		waiting.delete(id);
		if (kind === "error") w.reject(hostError(payload, places(__native ? w.stack.stack : w.stack, 1)));
		else w.resolve(decode(payload));
	}

	// Reports: errors that nobody waits for. What is thrown may be anything, and throw itself.
	function attempt(fn, otherwise) {
		try { return fn(); } catch { return otherwise; }
	}
	function describe(error) {
		const nameless = "an error without text";
		const isError = attempt(() => error instanceof Error || (error && typeof error === "object" && typeof error.stack === "string"), false);
		if (isError) {
			return {
				name: attempt(() => String(error.name ?? "Error"), "Error"),
				message: attempt(() => String(error.message), nameless),
				stack: attempt(() => without(error, String(error.stack ?? "")), ""),
			};
		}
		return { message: attempt(() => (typeof error === "string" ? error : error === undefined ? "undefined" : (stringify(error) ?? String(error))), nameless) };
	}
	function report(kind, error) {
		const d = describe(error);
		__report(kind, d.message, d.stack ?? "");
	}

	// Timers.
	const timers = new Map();
	const maxTimers = 10000;
	let lastTimer = 0;
	const delay = (ms) => {
		const n = Math.trunc(Number(ms));
		return n >= 1 && n <= 0x7fffffff ? n : 1;
	};
	class Timeout {
		constructor(fn, ms, args, again) {
			this.id = ++lastTimer;
			this.fn = fn;
			this.ms = ms;
			this.args = args;
			this.again = again;
			if (timers.size >= maxTimers) throw new RangeError(`there are ${maxTimers} timers already: clear some, or wait for them`);
			timers.set(this.id, this);
			__timer(this.id, ms);
		}
		ref() { return this; }
		unref() { return this; }
		hasRef() { return true; }
		refresh() { if (timers.has(this.id)) __timer(this.id, this.ms); return this; }
		close() { clear(this); return this; }
		[Symbol.toPrimitive]() { return this.id; }
	}
	function start(fn, ms, args, again) {
		if (typeof fn !== "function") throw new TypeError("The callback of a timer must be a function");
		return new Timeout(fn, ms, args, again);
	}
	function clear(timer) {
		const id = timer instanceof Timeout ? timer.id : Number(timer);
		if (timers.delete(id)) __timer(id, -1);
	}
	function fire(id) {
		const t = timers.get(id);
		if (!t) return;
		if (t.again) __timer(id, t.ms);
		else timers.delete(id);
		try {
			t.fn(...t.args);
		} catch (error) {
			report("timer", error);
		}
	}
	if (!__native) {
		g.setTimeout = (fn, ms, ...args) => start(fn, delay(ms), args, false);
		g.setInterval = (fn, ms, ...args) => start(fn, delay(ms), args, true);
		g.setImmediate = (fn, ...args) => start(fn, 0, args, false);
		g.clearTimeout = g.clearInterval = g.clearImmediate = clear;
		g.queueMicrotask ??= (fn) => { Promise.resolve().then(fn).catch((error) => report("rejection", error)); };
	}

	// Promises rejected without a handler are reported once the turn is over.
	const rejected = new Map();
	let flushing = false;
	function onRejection(promise, reason, handled) {
		if (handled) {
			rejected.delete(promise);
			return;
		}
		rejected.set(promise, reason);
		if (flushing) return;
		flushing = true;
		start(() => {
			flushing = false;
			const now = [...rejected.values()];
			rejected.clear();
			for (const reason of now) report("rejection", reason);
		}, 0, [], false);
	}

	// forgive drops a rejection that is told otherwise. The engine rejects a promise that nobody
	// has when a module throws.
	function forgive(reason) {
		for (const [promise, its] of rejected) if (its === reason) rejected.delete(promise);
		return reason;
	}
	const load = (name) => import(name).catch((error) => { throw forgive(error); });

	// Modules of the library.
	const factories = new Map();
	const loaded = new Map();
	const quiet = new Set(["__esModule", "then", "default", "toJSON", "constructor", "prototype", "$$typeof", "nodeType"]);
	function missing(module, name) {
		const hint = module.startsWith("node:") ? ": name the extension in extensionHosts of settings.json to run it in Node" : "";
		const message = `${name} of ${module} is not supported by this host${hint}`;
		const fail = () => { throw new Error(message); };
		return new Proxy(function () {}, {
			apply: fail,
			construct: fail,
			// It can be asked for instances, and be extended; there are none.
			get: (target, key) => (key === "prototype" ? target.prototype : key === "name" ? name : key === "length" ? 0 : typeof key === "symbol" || quiet.has(key) ? undefined : fail()),
		});
	}
	// What a module imports is loaded when the module first needs something of it.
	const later = (load) => {
		let module;
		return () => (module ??= load());
	};
	// A name that a module lacks is met at its first use, not at import.
	function guard(module, exports) {
		const proto = Object.getPrototypeOf(exports);
		if (proto !== Object.prototype && proto !== null) return exports;
		const found = new Map();
		Object.setPrototypeOf(exports, new Proxy(Object.create(proto), {
			get(target, key) {
				if (typeof key === "symbol" || quiet.has(key) || key in Object.prototype) return target[key];
				if (!found.has(key)) found.set(key, missing(module, String(key)));
				return found.get(key);
			},
			has: (target, key) => key in target,
		}));
		return exports;
	}
	function require(name) {
		const known = loaded.get(name);
		if (known) return known.exports;
		if (__native && name.startsWith("node:")) return __native(name);
		const canonical = __library(name); // defines it, unless another name of it has done so
		if (canonical === "") {
			const module = { exports: guard(name, {}) };
			loaded.set(name, module);
			return module.exports;
		}
		let module = loaded.get(canonical);
		if (!module) {
			module = { exports: {} };
			loaded.set(canonical, module);
			factories.get(canonical)(module, module.exports, require, later);
			const main = module.exports.default;
			const own = canonical.startsWith("node:") && main !== g.process && main !== g.console;
			if (own && (typeof main === "function" || typeof main === "object")) {
				// The module itself is what it exports by default, which programs may change.
				for (const key of Object.keys(module.exports)) if (!(key in main)) main[key] = module.exports[key];
				for (const [key, value] of [["__esModule", true], ["default", main]]) Object.defineProperty(main, key, { value, writable: true, configurable: true });
				module.exports = main;
				if (typeof main === "object") guard(canonical, main);
			} else guard(canonical, module.exports);
		}
		loaded.set(name, module);
		return module.exports;
	}

	// Modules that are asked for while a script runs: see rondo:modules.
	const shared = new Map(); // modules of files, which may be parts of bundles
	function find(wanted) {
		const out = __module(stringify({ ...wanted, shared: [...shared.keys()] }));
		if (failed(out)) throw hostError(out.slice(1));
		return parse(out);
	}
	let evaluated;
	const evaluate = __native ? __evaluate : (name, file) => {
		const state = __evaluate(name); // which calls keep
		const { __promise, __reason } = g;
		delete g.__promise;
		delete g.__reason;
		__promise?.catch(() => {});
		if (state === "fulfilled") return evaluated;
		if (state === "rejected") throw forgive(__reason);
		throw Object.assign(new Error(`${file} waits for something at its top: import() it`), { code: "ERR_REQUIRE_ASYNC_MODULE" });
	};
	const modules = () => require("rondo:modules");
	const importer = (file) => (name) => modules().importFrom(file, name);
	const resolver = (file) => (name) => modules().urlFrom(file, name);
	const requirer = (file) => Object.assign((name) => modules().requireFrom(file, name), {
		resolve: Object.assign((name) => modules().resolveFrom(file, name), { paths: () => [] }), cache: {}, extensions: {}, main: undefined,
	});

	// Entries: functions that Go calls by name.
	const entries = new Map();
	const entry = (name, fn) => { entries.set(name, fn); };
	const failure = (error) => attempt(() => "!" + stringify(describe(error)), '!{"message":"an error that cannot be told, out of memory it may be"}');
	const success = (value) => {
		const json = stringify(value);
		return json === undefined ? "=" : "=" + json;
	};
	// settle always has an outcome: somebody waits for it.
	const settle = (id, value) => {
		let s;
		try { s = success(value); } catch (error) { s = failure(error); }
		__settle(id, s);
	};
	function enter(id, name, json) {
		try {
			const out = entries.get(name)(decode(json));
			if (out === null || typeof out !== "object" || typeof out.then !== "function") return success(out);
			out.then((value) => settle(id, value), (error) => __settle(id, failure(error)));
			return undefined;
		} catch (error) {
			return failure(error);
		}
	}

	// A global that is made when somebody first asks for it.
	function lazy(module, names) {
		for (const name of names) {
			const set = (value) => Object.defineProperty(g, name, { value, writable: true, configurable: true, enumerable: false });
			Object.defineProperty(g, name, {
				configurable: true,
				enumerable: false,
				get() {
					const value = require(module)[name];
					set(value);
					return value;
				},
				set,
			});
		}
	}

	loaded.set("rondo:host", { exports: { __esModule: true, host, hostAsync, hostStream, entry, report, describe, lazy, require, load, find, evaluate, sharedAs: (file) => shared.get(file), missing, log: __log } });
	Object.defineProperty(g, "__rondo", {
		value: Object.freeze({
			enter, deliver, fire, onRejection, require, importer, resolver, requirer,
			define: (name, factory) => factories.set(name, factory), keep: (namespace) => { evaluated = namespace; },
			share: (file, exports, esm) => { if (!shared.has(file)) shared.set(file, { exports, esm }); }, shared: (file) => shared.get(file).exports,
		}),
	});
	entry("require", (name) => { require(name); });
	entry("import", async (path) => { await load(path); });
	if (__native) return;

	g.global = g;
	lazy("rondo:encoding", ["TextEncoder", "TextDecoder", "atob", "btoa"]);
	lazy("rondo:events", ["EventTarget", "Event", "CustomEvent", "AbortController", "AbortSignal", "DOMException"]);
	lazy("rondo:url", ["URL", "URLSearchParams"]);
	lazy("rondo:fetch", ["fetch", "Headers", "Request", "Response", "FormData", "Blob", "File"]);
	lazy("rondo:streams", ["ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream", "TextEncoderStream"]);
	lazy("rondo:clone", ["structuredClone"]);
	lazy("rondo:messages", ["MessageChannel", "MessagePort", "MessageEvent", "BroadcastChannel", "CompressionStream", "DecompressionStream", "CountQueuingStrategy", "ByteLengthQueuingStrategy", "navigator"]);
	lazy("rondo:console", ["console"]);
	lazy("rondo:intl", ["Intl"]);
	lazy("rondo:performance", ["performance"]);
	lazy("rondo:crypto", ["crypto"]);
	lazy("node:buffer", ["Buffer"]);
	lazy("rondo:process", ["process"]);
	// What the engine does in its own way.
	const patch = (proto, methods) => { for (const [name, value] of Object.entries(methods)) Object.defineProperty(proto, name, { value, writable: true, configurable: true }); };
	patch(Date.prototype, {
		toLocaleString(locale, options) { return Number.isNaN(this.getTime()) ? "Invalid Date" : new Intl.DateTimeFormat(locale, options, "all").format(this); },
		toLocaleDateString(locale, options) { return Number.isNaN(this.getTime()) ? "Invalid Date" : new Intl.DateTimeFormat(locale, options, "date").format(this); },
		toLocaleTimeString(locale, options) { return Number.isNaN(this.getTime()) ? "Invalid Date" : new Intl.DateTimeFormat(locale, options, "time").format(this); },
	});
	patch(Number.prototype, { toLocaleString(locale, options) { return new Intl.NumberFormat(locale, options).format(this); } });
	patch(BigInt.prototype, { toLocaleString(locale, options) { return new Intl.NumberFormat(locale, options).format(this.valueOf()); } });
	patch(String.prototype, { localeCompare(other, locale, options) { return new Intl.Collator(locale, options).compare(String(this), String(other)); } });
	patch(Array, { async fromAsync(items, map, self) { const out = []; let i = 0; for await (const item of items) out.push(map ? await map.call(self, item, i++) : item); return out; } });
	install();
	Symbol.dispose ??= Symbol("Symbol.dispose");
	Symbol.asyncDispose ??= Symbol("Symbol.asyncDispose");
})();
