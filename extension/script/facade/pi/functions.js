// Functions of extensions that Go knows by a number.
import { entry } from "rondo:host";

const functions = new Map();
let last = 0;

// fresh is a number that stands for nothing yet, nor has in an earlier machine.
export const fresh = () => ++last;

export function get(fn) {
	functions.set(fresh(), fn);
	return last;
}

export function call(h, ...args) {
	const fn = functions.get(h);
	if (!fn) throw new Error("this function of the extension is gone");
	return fn(...args);
}

// A machine that is started again numbers its functions on from those of the one before.
entry("numbers", (n) => { last = n; });

export const drop = (h) => functions.delete(h);
