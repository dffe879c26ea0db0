// Modules that a script asks for while it runs: by a path that is computed, or by createRequire.
import { evaluate, find, hostAsync, load, require, sharedAs } from "rondo:host";

const running = new Set(); // modules whose end is not reached
const namespaces = new Map(); // of those that are none of ECMAScript
const values = new Map(); // what require has returned

function namespace({ module, wrapped }, exports) {
	if (!wrapped) return exports;
	if (!namespaces.has(module)) {
		const value = exports.default;
		const main = value?.__esModule && "default" in value ? value.default : value;
		const named = value !== null && typeof value === "object" ? value : Object.assign({}, value);
		namespaces.set(module, Object.freeze({ __proto__: null, ...named, default: main }));
	}
	return namespaces.get(module);
}

// start runs a module as far as it goes without waiting, so that what is imported next finds
// the files that both have.
function start({ module, file, url }) {
	if (module === url) return; // Node's own business
	try {
		evaluate(module, file);
	} catch (error) {
		if (error.code !== "ERR_REQUIRE_ASYNC_MODULE" && error.code !== "ERR_REQUIRE_ESM") throw error;
	}
}

// exported is what a module exports, which may be more than its bundle names. A part of
// another bundle has exported it there.
function exported(found, exports) {
	const part = found.anew ? undefined : sharedAs(found.file);
	if (!part) return namespace(found, exports);
	return part.esm ? part.exports : namespace({ module: found.file, wrapped: true }, { default: part.exports });
}

export async function importFrom(from, name) {
	const wanted = { kind: "import", name: String(name), from };
	await hostAsync("module.prepare", wanted);
	const found = find(wanted);
	if (found.builtin) return require(found.builtin);
	if (found.shared) return exported(found);
	const first = !running.has(found.module);
	running.add(found.module);
	try {
		if (first) start(found);
		return exported(found, await load(found.module));
	} finally {
		running.delete(found.module);
	}
}

export function requireFrom(from, name) {
	const found = find({ kind: "require", name: String(name), from });
	if (found.builtin) return require(found.builtin);
	if (found.shared) return sharedAs(found.file).exports;
	const { module, wrapped, file } = found;
	if (values.has(module)) return values.get(module);
	if (running.has(module)) throw new Error(`${file} is required while it is being loaded: import it at the top of the file, or later`);
	running.add(module);
	try {
		const exports = evaluate(module, file);
		const part = found.anew ? undefined : sharedAs(file);
		values.set(module, part ? part.exports : wrapped ? exports.default : exports);
		return values.get(module);
	} finally {
		running.delete(module);
	}
}

export function resolveFrom(from, name) {
	const { builtin, file } = find({ kind: "resolve", name: String(name), from });
	return builtin ?? file;
}

export const urlFrom = (from, name) => find({ kind: "resolve", name: String(name), from }).url;
