import { inspect, isDeepStrictEqual } from "node:util";

export class AssertionError extends Error {
	constructor({ message, actual, expected, operator }) {
		super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
		Object.assign(this, { name: "AssertionError", code: "ERR_ASSERTION", actual, expected, operator });
	}
}
const fail0 = (message, actual, expected, operator) => { if (message instanceof Error) throw message; throw new AssertionError({ message, actual, expected, operator }); };
export const ok = (value, message) => { if (!value) fail0(message ?? "The expression evaluated to a falsy value", value, true, "=="); };
export const strictEqual = (a, b, m) => { if (!Object.is(a, b)) fail0(m, a, b, "strictEqual"); };
export const notStrictEqual = (a, b, m) => { if (Object.is(a, b)) fail0(m, a, b, "notStrictEqual"); };
export const equal = (a, b, m) => { if (!(a == b)) fail0(m, a, b, "=="); }; // eslint-disable-line eqeqeq
export const notEqual = (a, b, m) => { if (a == b) fail0(m, a, b, "!="); }; // eslint-disable-line eqeqeq
export const deepStrictEqual = (a, b, m) => { if (!isDeepStrictEqual(a, b)) fail0(m, a, b, "deepStrictEqual"); };
export const notDeepStrictEqual = (a, b, m) => { if (isDeepStrictEqual(a, b)) fail0(m, a, b, "notDeepStrictEqual"); };
export const deepEqual = deepStrictEqual;
export const fail = (message = "Failed") => fail0(message, undefined, undefined, "fail");
export const match = (text, pattern, m) => { if (!pattern.test(text)) fail0(m, text, pattern, "match"); };
const fits = (error, want) => !want || (want instanceof RegExp ? want.test(String(error)) : typeof want === "function" ? error instanceof want || want(error) === true : Object.keys(want).every((k) => (want[k] instanceof RegExp ? want[k].test(error[k]) : error[k] === want[k])));
export function throws(fn, want, m) {
	try { fn(); } catch (error) { if (!fits(error, want)) throw error; return; }
	fail0(m ?? "Missing expected exception", undefined, want, "throws");
}
export const doesNotThrow = (fn) => { fn(); };
export const doesNotReject = async (p) => { await (typeof p === "function" ? p() : p); };
export const doesNotMatch = (text, pattern, m) => { if (pattern.test(text)) fail0(m, text, pattern, "doesNotMatch"); };
export const ifError = (value) => { if (value !== null && value !== undefined) throw value; };
export const notDeepEqual = notDeepStrictEqual;
export async function rejects(p, want, m) {
	try { await (typeof p === "function" ? p() : p); } catch (error) { if (!fits(error, want)) throw error; return; }
	fail0(m ?? "Missing expected rejection", undefined, want, "rejects");
}
const assert = Object.assign((v, m) => ok(v, m), { AssertionError, ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, deepStrictEqual, notDeepStrictEqual, notDeepEqual, fail, match, doesNotMatch, throws, doesNotThrow, rejects, doesNotReject, ifError });
assert.strict = assert;
export const strict = assert;
export default assert;
