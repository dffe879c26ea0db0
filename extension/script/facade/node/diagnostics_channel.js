// Channels on which packages tell who wants to hear it what they do.
const channels = new Map();

export class Channel {
	#heard = [];
	constructor(name) { this.name = name; }
	get hasSubscribers() { return this.#heard.length > 0; }
	subscribe(fn) {
		if (typeof fn !== "function") throw Object.assign(new TypeError('The "subscription" argument must be of type function'), { code: "ERR_INVALID_ARG_TYPE" });
		this.#heard = [...this.#heard, fn];
	}
	unsubscribe(fn) {
		const at = this.#heard.indexOf(fn);
		if (at < 0) return false;
		this.#heard = this.#heard.toSpliced(at, 1);
		return true;
	}
	publish(message) {
		for (const fn of this.#heard) {
			try { fn(message, this.name); } catch (error) { queueMicrotask(() => { throw error; }); }
		}
	}
	bindStore() {}
	unbindStore() { return false; }
	runStores(message, fn, self, ...args) {
		this.publish(message);
		return Reflect.apply(fn, self, args);
	}
}

export function channel(name) {
	let found = channels.get(name);
	if (!found) channels.set(name, (found = new Channel(name)));
	return found;
}
export const hasSubscribers = (name) => channels.get(name)?.hasSubscribers ?? false;
export const subscribe = (name, fn) => channel(name).subscribe(fn);
export const unsubscribe = (name, fn) => channels.get(name)?.unsubscribe(fn) ?? false;

const phases = ["start", "end", "asyncStart", "asyncEnd", "error"];

class TracingChannel {
	constructor(name) { for (const phase of phases) this[phase] = typeof name === "string" ? channel(`tracing:${name}:${phase}`) : name[phase]; }
	get hasSubscribers() { return phases.some((phase) => this[phase].hasSubscribers); }
	subscribe(heard) { for (const phase of phases) if (heard[phase]) this[phase].subscribe(heard[phase]); }
	unsubscribe(heard) { return phases.every((phase) => !heard[phase] || this[phase].unsubscribe(heard[phase])); }
	#run(fn, message, self, args) {
		this.start.publish(message);
		try {
			return Reflect.apply(fn, self, args);
		} catch (error) {
			message.error = error;
			this.error.publish(message);
			throw error;
		}
	}
	traceSync(fn, message = {}, self, ...args) {
		try {
			return (message.result = this.#run(fn, message, self, args));
		} finally {
			this.end.publish(message);
		}
	}
	tracePromise(fn, message = {}, self, ...args) {
		const settle = (key, value) => {
			message[key] = value;
			if (key === "error") this.error.publish(message);
			this.asyncStart.publish(message);
			this.asyncEnd.publish(message);
		};
		try {
			return Promise.resolve(this.#run(fn, message, self, args)).then(
				(value) => { settle("result", value); return value; },
				(error) => { settle("error", error); throw error; },
			);
		} finally {
			this.end.publish(message);
		}
	}
	traceCallback(fn, position = -1, message = {}, self, ...args) {
		const at = position < 0 ? args.length + position : position;
		const callback = args[at];
		args[at] = (...outcome) => {
			if (outcome[0]) {
				message.error = outcome[0];
				this.error.publish(message);
			} else message.result = outcome[1];
			this.asyncStart.publish(message);
			try { return callback(...outcome); } finally { this.asyncEnd.publish(message); }
		};
		try {
			return this.#run(fn, message, self, args);
		} finally {
			this.end.publish(message);
		}
	}
}
export const tracingChannel = (name) => new TracingChannel(name);

export default { channel, hasSubscribers, subscribe, unsubscribe, tracingChannel, Channel };
