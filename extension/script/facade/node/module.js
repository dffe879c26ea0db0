// createRequire, and what there is to require.
import { host } from "rondo:host";
import { fileURLToPath } from "node:url";

export function createRequire(from) {
	const file = String(from).startsWith("file:") ? fileURLToPath(from) : String(from);
	return __rondo.requirer(/[\\/]$/.test(file) ? file + "noop.js" : file);
}
export const builtinModules = host("module.builtins");
export const isBuiltin = (name) => builtinModules.includes(String(name).replace(/^node:/, ""));
export const register = () => {};
export const registerHooks = () => ({ deregister() {} });
export const syncBuiltinESMExports = () => {};
export const enableCompileCache = () => ({ status: 3 });
export const flushCompileCache = () => {};
export const getCompileCacheDir = () => undefined;
export const findSourceMap = () => undefined;
export const constants = { compileCacheStatus: { FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 } };
export const wrap = (code) => "(function (exports, require, module, __filename, __dirname) { " + code + "\n});";
export class Module {
	exports = {};
	constructor(id = "") { this.id = this.filename = id; }
}
Object.assign(Module, { Module, createRequire, builtinModules, isBuiltin, register, registerHooks, syncBuiltinESMExports, enableCompileCache, flushCompileCache, getCompileCacheDir, findSourceMap, constants, wrap, _extensions: {}, _cache: {}, globalPaths: [] });
export default Module;
