// Events and aborts of the web.
import { report } from "rondo:host";

export class DOMException extends Error {
	constructor(message = "", name = "Error") {
		super(message);
		Object.defineProperty(this, "name", { value: name, configurable: true });
		this.code = { AbortError: 20, TimeoutError: 23, InvalidCharacterError: 5, DataCloneError: 25 }[name] ?? 0;
	}
}

export class Event {
	#stopped = false;
	constructor(type, init = {}) {
		this.type = String(type);
		this.bubbles = Boolean(init.bubbles);
		this.cancelable = Boolean(init.cancelable);
		this.defaultPrevented = false;
		this.target = null;
		this.currentTarget = null;
		this.timeStamp = Date.now();
	}
	preventDefault() { if (this.cancelable) this.defaultPrevented = true; }
	stopPropagation() {}
	stopImmediatePropagation() { this.#stopped = true; }
	static stopped(event) { return event.#stopped; }
}

export class CustomEvent extends Event {
	constructor(type, init = {}) {
		super(type, init);
		this.detail = init.detail ?? null;
	}
}

export class EventTarget {
	#listeners = new Map();
	addEventListener(type, listener, options) {
		if (!listener) return;
		const once = typeof options === "object" && Boolean(options?.once);
		const signal = typeof options === "object" ? options?.signal : undefined;
		if (signal?.aborted) return;
		const list = this.#listeners.get(type) ?? [];
		if (list.some((l) => l.listener === listener)) return;
		this.#listeners.set(type, [...list, { listener, once }]);
		signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
	}
	removeEventListener(type, listener) {
		const list = this.#listeners.get(type);
		if (list) this.#listeners.set(type, list.filter((l) => l.listener !== listener));
	}
	dispatchEvent(event) {
		event.target ??= this;
		event.currentTarget = this;
		const own = this["on" + event.type];
		for (const { listener, once } of [...(typeof own === "function" ? [{ listener: own }] : []), ...(this.#listeners.get(event.type) ?? [])]) {
			if (once) this.removeEventListener(event.type, listener);
			try {
				if (typeof listener === "function") listener.call(this, event);
				else listener.handleEvent(event);
			} catch (error) {
				report("event:" + event.type, error);
			}
			if (Event.stopped(event)) break;
		}
		return !event.defaultPrevented;
	}
}

const key = Symbol("signal");

export class AbortSignal extends EventTarget {
	#aborted = false;
	#reason;
	onabort = null;
	constructor(k) {
		if (k !== key) throw new TypeError("An AbortSignal is made by an AbortController");
		super();
	}
	get aborted() { return this.#aborted; }
	get reason() { return this.#reason; }
	throwIfAborted() { if (this.#aborted) throw this.#reason; }
	static [key](signal, reason) {
		if (signal.#aborted) return;
		signal.#aborted = true;
		signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
		signal.dispatchEvent(new Event("abort"));
	}
	static abort(reason) {
		const signal = new AbortSignal(key);
		AbortSignal[key](signal, reason);
		return signal;
	}
	static timeout(ms) {
		const signal = new AbortSignal(key);
		setTimeout(() => AbortSignal[key](signal, new DOMException("The operation timed out", "TimeoutError")), ms);
		return signal;
	}
	static any(signals) {
		const all = new AbortSignal(key);
		for (const s of signals) {
			if (s.aborted) {
				AbortSignal[key](all, s.reason);
				break;
			}
			s.addEventListener("abort", () => AbortSignal[key](all, s.reason), { once: true });
		}
		return all;
	}
}

export class AbortController {
	#signal = new AbortSignal(key);
	get signal() { return this.#signal; }
	abort(reason) { AbortSignal[key](this.#signal, reason); }
}
