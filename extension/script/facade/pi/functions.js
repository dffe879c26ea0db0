// Functions of extensions that Go knows by a number.
const functions = new Map();
let last = 0;

export function get(fn) {
	functions.set(++last, fn);
	return last;
}

export function call(h, ...args) {
	const fn = functions.get(h);
	if (!fn) throw new Error("this function of the extension is gone");
	return fn(...args);
}

export const drop = (h) => functions.delete(h);
