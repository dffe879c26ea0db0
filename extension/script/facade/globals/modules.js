// Modules that a script asks for while it runs: by a path that is computed, or by createRequire.
import { evaluate, find, hostAsync, load, require } from "rondo:host";

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

export async function importFrom(from, name) {
	const wanted = { kind: "import", name: String(name), from };
	await hostAsync("module.prepare", wanted);
	const found = find(wanted);
	if (found.builtin) return require(found.builtin);
	running.add(found.module);
	try {
		return namespace(found, await load(found.module));
	} finally {
		running.delete(found.module);
	}
}

export function requireFrom(from, name) {
	const found = find({ kind: "require", name: String(name), from });
	if (found.builtin) return require(found.builtin);
	const { module, wrapped, file } = found;
	if (values.has(module)) return values.get(module);
	if (running.has(module)) throw new Error(`${file} is required while it is being loaded: import it at the top of the file, or later`);
	running.add(module);
	try {
		const exports = evaluate(module, file);
		values.set(module, wrapped ? exports.default : exports);
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
