// Calls of Go into extensions: whose call is running, and the signals of calls.
import { host, hostAsync } from "rondo:host";

// The call whose synchronous part runs now: { x: instance, c: call }.
let current = { x: 0, c: 0 };

// run calls fn as part of a call.
export function run(call, fn) {
	const outer = current;
	current = call;
	try {
		return fn();
	} finally {
		current = outer;
	}
}

// ask asks Go for something of an instance, and waits.
export const ask = (op, x, arg) => host("pi." + op, { x, c: current.c, a: arg ?? null });

// later asks without making JavaScript wait.
export const later = (op, x, arg, { c = current.c, signal } = {}) => hostAsync("pi." + op, { x, c, a: arg ?? null }, signal);

// Signals of calls, made when somebody looks at one.
const controllers = new Map();
const aborted = new Set();

export function signalOf(c) {
	let controller = controllers.get(c);
	if (!controller) {
		controller = new AbortController();
		controllers.set(c, controller);
		if (aborted.has(c)) controller.abort();
	}
	return controller.signal;
}

export function abort(c) {
	const controller = controllers.get(c);
	if (controller) controller.abort();
	else aborted.add(c);
}

export function forget(c) {
	controllers.delete(c);
	aborted.delete(c);
}
