// structuredClone.
export function structuredClone(value, options) {
	void options;
	const seen = new Map();
	const refuse = (what) => { throw new DOMException(`${what} could not be cloned.`, "DataCloneError"); };
	const copy = (v) => {
		if (typeof v === "function" || typeof v === "symbol") refuse(String(v));
		if (v === null || typeof v !== "object") return v;
		if (seen.has(v)) return seen.get(v);
		const keep = (c) => { seen.set(v, c); return c; };
		if (v instanceof Date) return keep(new Date(v.getTime()));
		if (v instanceof RegExp) return keep(new RegExp(v.source, v.flags));
		if (v instanceof ArrayBuffer) return keep(v.slice(0));
		if (v instanceof DataView) return keep(new DataView(copy(v.buffer), v.byteOffset, v.byteLength));
		if (ArrayBuffer.isView(v)) return keep(new v.constructor(copy(v.buffer), v.byteOffset, v.length));
		if (v instanceof Boolean || v instanceof Number || v instanceof String) return keep(Object(v.valueOf()));
		if (v instanceof Map) {
			const c = keep(new Map());
			for (const [k, x] of v) c.set(copy(k), copy(x));
			return c;
		}
		if (v instanceof Set) {
			const c = keep(new Set());
			for (const x of v) c.add(copy(x));
			return c;
		}
		if (v instanceof Error) {
			const c = keep(new (globalThis[v.name] ?? Error)(v.message));
			c.stack = v.stack;
			if ("cause" in v) c.cause = copy(v.cause);
			return c;
		}
		if (v instanceof Promise || v instanceof WeakMap || v instanceof WeakSet) refuse(String(v));
		if (Array.isArray(v)) {
			const c = keep(new Array(v.length));
			for (const k of Object.keys(v)) c[k] = copy(v[k]);
			return c;
		}
		const c = keep({});
		for (const k of Object.keys(v)) c[k] = copy(v[k]);
		return c;
	};
	return copy(value);
}
