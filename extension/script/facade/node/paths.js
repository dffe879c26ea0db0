// Paths of POSIX and of Windows.
export function makePath(windows) {
	const sep = windows ? "\\" : "/";
	const isSep = windows ? (c) => c === "/" || c === "\\" : (c) => c === "/";
	const check = (p, what = "path") => {
		if (typeof p !== "string") throw Object.assign(new TypeError(`The "${what}" argument must be of type string. Received ${p === null ? "null" : typeof p}`), { code: "ERR_INVALID_ARG_TYPE" });
		return p;
	};
	// split gives the root ("", "/", "C:\\", "\\\\server\\share\\") and the rest.
	const split = (p) => {
		if (!windows) return p.startsWith("/") ? ["/", p.slice(1)] : ["", p];
		const unc = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)[\\/]?/.exec(p);
		if (unc) return [unc[0], p.slice(unc[0].length)];
		const drive = /^([A-Za-z]:)([\\/])?/.exec(p);
		if (drive) return [drive[0], p.slice(drive[0].length)];
		return isSep(p[0] ?? "") ? [p[0], p.slice(1)] : ["", p];
	};
	// own writes a root with the system's separator; that of a share ends with one.
	const own = (root) => {
		if (!windows) return root;
		const text = root.replace(/\//g, "\\");
		return /^\\\\[^\\]/.test(text) && !text.endsWith("\\") ? text + "\\" : text;
	};
	const isAbsolute = (p) => { const [root] = split(check(p)); return root !== "" && isSep(root.at(-1)); };
	const parts = (rest) => rest.split(windows ? /[\\/]+/ : /\/+/).filter((s) => s !== "");
	const reduce = (list, absolute) => {
		const out = [];
		for (const s of list) {
			if (s === ".") continue;
			if (s !== "..") out.push(s);
			else if (out.length > 0 && out.at(-1) !== "..") out.pop();
			else if (!absolute) out.push("..");
		}
		return out;
	};
	const normalize = (p) => {
		if (check(p) === "") return ".";
		const [root, rest] = split(p);
		const absolute = root !== "" && isSep(root.at(-1));
		let text = reduce(parts(rest), absolute).join(sep);
		if (text === "" && !root) text = ".";
		if (text !== "" && isSep(p.at(-1)) && rest !== "") text += sep;
		return own(root) + text;
	};
	const join = (...all) => {
		const given = all.filter((p) => check(p) !== "");
		return given.length === 0 ? "." : normalize(given.join(sep));
	};
	const resolve = (...all) => {
		let tail = "", root = "";
		for (const p of [process.cwd(), ...all].reverse()) {
			if (check(p) === "") continue;
			const [r, rest] = split(p);
			tail = tail === "" ? rest : rest + sep + tail;
			if (r !== "" && isSep(r.at(-1))) { root = own(r); break; }
		}
		return root + reduce(parts(tail), true).join(sep) || ".";
	};
	const trim = (p) => { let end = p.length; while (end > 0 && isSep(p[end - 1])) end--; return p.slice(0, end); };
	const basename = (p, suffix) => {
		const [, rest] = split(check(p));
		const base = parts(rest).at(-1) ?? "";
		if (suffix && suffix === p) return "";
		return suffix && base.endsWith(suffix) && base !== suffix ? base.slice(0, -suffix.length) : base;
	};
	const dirname = (p) => {
		const [root, rest] = split(check(p));
		const text = trim(rest);
		let at = text.length;
		while (at > 0 && !isSep(text[at - 1])) at--;
		return root + text.slice(0, Math.max(0, at - 1)) || ".";
	};
	const extname = (p) => { const base = basename(p); const at = base.lastIndexOf("."); return at > 0 && base !== ".." ? base.slice(at) : ""; };
	const relative = (from, to) => {
		const a = resolve(from), b = resolve(to);
		const same = windows ? (x, y) => x.toLowerCase() === y.toLowerCase() : (x, y) => x === y;
		const [ra, pa] = split(a), [rb, pb] = split(b);
		if (!same(ra, rb)) return b;
		const xs = parts(pa), ys = parts(pb);
		let i = 0;
		while (i < xs.length && i < ys.length && same(xs[i], ys[i])) i++;
		return [...xs.slice(i).map(() => ".."), ...ys.slice(i)].join(sep);
	};
	const parse = (p) => {
		const [root] = split(check(p));
		const base = basename(p), ext = extname(p);
		const dir = dirname(p);
		return { root, dir: base === "" ? root : dir === "." && !p.startsWith(".") ? "" : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
	};
	const format = ({ root = "", dir, base, name = "", ext = "" }) => {
		const file = base ?? name + (ext && !ext.startsWith(".") ? "." + ext : ext);
		const folder = dir ?? root;
		return folder === "" ? file : folder === root ? folder + file : folder + sep + file;
	};
	const matchesGlob = (p, pattern) => globExpression(pattern, sep).test(p);
	const toNamespacedPath = (p) => p;
	return { sep, delimiter: windows ? ";" : ":", isAbsolute, normalize, join, resolve, basename, dirname, extname, relative, parse, format, matchesGlob, toNamespacedPath };
}

function globExpression(pattern, sep) {
	const any = sep === "/" ? "[^/]" : "[^\\\\/]";
	let out = "", depth = 0;
	for (let i = 0; i < pattern.length; i++) {
		const c = pattern[i];
		if (c === "*" && pattern[i + 1] === "*") {
			const slash = pattern[i + 2] === "/";
			out += slash ? "(?:.*/)?" : ".*";
			i += slash ? 2 : 1;
		} else if (c === "*") out += any + "*";
		else if (c === "?") out += any;
		else if (c === "{") { out += "(?:"; depth++; }
		else if (c === "}" && depth > 0) { out += ")"; depth--; }
		else if (c === "," && depth > 0) out += "|";
		else if (c === "[") {
			const end = pattern.indexOf("]", i + 2);
			if (end < 0) out += "\\[";
			else { out += "[" + pattern.slice(i + 1, end).replace(/^!/, "^") + "]"; i = end; }
		} else out += c.replace(/[.+^${}()|[\]\\]/g, "\\$&");
	}
	return new RegExp("^" + out + "$");
}

export const posix = makePath(false);
export const win32 = makePath(true);
posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;
