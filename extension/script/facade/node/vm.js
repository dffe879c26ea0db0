// Code that is run as text. A context is an object whose members are found as variables; it
// keeps nothing apart from the rest.
const contexts = new WeakSet();
export const createContext = (sandbox = {}) => { contexts.add(sandbox); return sandbox; };
export const isContext = (sandbox) => contexts.has(sandbox);
export const runInThisContext = (code) => (0, eval)(String(code));
const inside = new Function("__sandbox", "__code", "with (__sandbox) { return eval(__code); }");
export function runInContext(code, sandbox) {
	const names = new Proxy(sandbox, {
		has: (target, name) => typeof name === "string" && name !== "__code" && name !== "eval",
		get: (target, name) => (name === Symbol.unscopables ? undefined : name in target ? target[name] : name === "globalThis" ? sandbox : reach(name)),
	});
	return inside(names, String(code));
}
function reach(name) {
	if (name in globalThis) return globalThis[name];
	throw new ReferenceError(`${name} is not defined`);
}
export const runInNewContext = (code, sandbox) => runInContext(code, createContext(sandbox));
export class Script {
	#code;
	constructor(code) {
		this.#code = String(code);
		new Function(this.#code); // refuses what is no code now
	}
	runInThisContext() { return runInThisContext(this.#code); }
	runInContext(sandbox) { return runInContext(this.#code, sandbox); }
	runInNewContext(sandbox) { return runInNewContext(this.#code, sandbox); }
}
export const compileFunction = (code, names = []) => new Function(...names, code);
export default { createContext, isContext, runInThisContext, runInContext, runInNewContext, Script, compileFunction };
