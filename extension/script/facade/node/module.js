// createRequire: modules of the library, JSON files and files of CommonJS.
import { host } from "rondo:host";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const cache = new Map();

export function createRequire(from) {
	const dir = path.dirname(String(from).startsWith("file:") ? fileURLToPath(from) : String(from));
	const require = (name) => {
		const { builtin, file, code } = host("module.load", { name, dir });
		if (builtin) return __rondo.require(builtin);
		if (cache.has(file)) return cache.get(file).exports;
		const module = { exports: {}, filename: file, id: file };
		cache.set(file, module);
		(0, eval)("(function (module, exports, require) {" + code + "\n})")(module, module.exports, require);
		return module.exports;
	};
	require.resolve = (name) => { const { builtin, file } = host("module.load", { name, dir }); return builtin || file; };
	require.resolve.paths = () => [];
	require.cache = {};
	require.extensions = {};
	require.main = undefined;
	return require;
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
