// How values are written for people, as Node writes them.
const identifier = /^[A-Za-z_$][\w$]*$/;
const quote = (s) => (s.includes("'") && !s.includes('"') ? JSON.stringify(s) : "'" + JSON.stringify(s).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'") + "'");

function primitive(v, top) {
	if (typeof v === "string") return top ? v : quote(v);
	if (typeof v === "bigint") return v + "n";
	if (Object.is(v, -0)) return "-0";
	return String(v);
}

export function inspect(value, options = {}) {
	const depth = options === true ? Infinity : options.depth === null ? Infinity : (options.depth ?? 2);
	const seen = [];
	const write = (v, level) => {
		if (v === null || (typeof v !== "object" && typeof v !== "function")) return primitive(v, false);
		if (seen.includes(v)) return "[Circular *1]";
		if (typeof v[inspect.custom] === "function") return String(v[inspect.custom](depth - level, options, inspect));
		const name = v.constructor?.name;
		if (typeof v === "function") return Object.keys(v).length === 0 || level > depth ? `[${/^class\b/.test(Function.prototype.toString.call(v)) ? "class " : v.name ? "Function: " : "Function "}${v.name || "(anonymous)"}]` : body(v, level, `[Function: ${v.name}] `);
		if (v instanceof Error) return (v.stack && String(v.stack).includes(v.message) ? v.stack : `${v.name}: ${v.message}\n${v.stack ?? ""}`).trimEnd();
		if (v instanceof Date) return Number.isNaN(v.getTime()) ? "Invalid Date" : v.toISOString();
		if (v instanceof RegExp) return String(v);
		if (v instanceof Promise) return "Promise { <pending> }";
		if (level > depth) return Array.isArray(v) ? "[Array]" : `[${name ?? "Object: null prototype"}]`;
		if (v instanceof Map) return list(v, level, `Map(${v.size}) {`, [...v].map(([k, x]) => write(k, level + 1) + " => " + write(x, level + 1)), "}");
		if (v instanceof Set) return list(v, level, `Set(${v.size}) {`, [...v].map((x) => write(x, level + 1)), "}");
		if (Array.isArray(v)) {
			seen.push(v);
			const items = v.slice(0, 100).map((x) => write(x, level + 1));
			if (v.length > 100) items.push(`... ${v.length - 100} more items`);
			seen.pop();
			return wrap("[", items, "]", level);
		}
		if (ArrayBuffer.isView(v) && !(v instanceof DataView)) return wrap(`${name}(${v.length}) [`, [...v.slice(0, 100)].map(String), "]", level);
		return body(v, level, name === undefined ? "[Object: null prototype] " : name === "Object" ? "" : name + " ");
	};
	const list = (v, level, open, items, close) => wrap(open, items, close, level);
	const body = (v, level, prefix) => {
		seen.push(v);
		const items = Object.keys(v).map((k) => {
			const own = Object.getOwnPropertyDescriptor(v, k);
			const text = own.get ? (own.set ? "[Getter/Setter]" : "[Getter]") : write(own.value, level + 1);
			return (identifier.test(k) ? k : quote(k)) + ": " + text;
		});
		seen.pop();
		return wrap(prefix + "{", items, "}", level);
	};
	const wrap = (open, items, close, level) => {
		if (items.length === 0) return open + close;
		const line = `${open} ${items.join(", ")} ${close}`;
		if (line.length <= 76 && !line.includes("\n")) return line;
		const pad = "  ".repeat(level + 1);
		return `${open}\n${pad}${items.join(",\n" + pad)}\n${"  ".repeat(level)}${close}`;
	};
	return typeof value === "string" && options.top ? value : write(value, 0);
}
inspect.custom = Symbol.for("nodejs.util.inspect.custom");
inspect.defaultOptions = {};

export function format(...args) {
	if (typeof args[0] !== "string") return args.map((a) => (typeof a === "string" ? a : inspect(a))).join(" ");
	let i = 1;
	const text = args[0].replace(/%([sdifjoOc%])/g, (all, kind) => {
		if (kind === "%") return "%";
		if (i >= args.length) return all;
		const a = args[i++];
		switch (kind) {
			case "s": return typeof a === "object" && a !== null ? inspect(a, { depth: 0 }) : primitive(a, true);
			case "d": return typeof a === "bigint" ? a + "n" : String(Number(a));
			case "i": return String(Number.parseInt(a, 10));
			case "f": return String(Number.parseFloat(a));
			case "j": return JSON.stringify(a);
			case "c": return "";
			default: return inspect(a);
		}
	});
	return [text, ...args.slice(i).map((a) => (typeof a === "string" ? a : inspect(a)))].join(" ");
}
