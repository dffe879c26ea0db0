// What the two faces of node:fs share.
import { fileURLToPath } from "node:url";
import { encodeText } from "rondo:encoding";

export function pathOf(p, what = "path") {
	if (typeof p === "string") {
		if (p.includes("\0")) throw Object.assign(new TypeError(`The argument '${what}' must not contain null bytes`), { code: "ERR_INVALID_ARG_VALUE" });
		return p;
	}
	if (p instanceof URL) return fileURLToPath(p);
	if (p instanceof Uint8Array) return Buffer.from(p).toString();
	throw Object.assign(new TypeError(`The "${what}" argument must be of type string or an instance of Buffer or URL. Received ${p === null ? "null" : typeof p}`), { code: "ERR_INVALID_ARG_TYPE" });
}

export const encodingOf = (options) => (typeof options === "string" ? options : (options?.encoding ?? null));
export const modeOf = (mode) => (typeof mode === "string" ? Number.parseInt(mode, 8) : (mode ?? 0));
const ms = (t) => (t instanceof Date ? t.getTime() : typeof t === "string" ? Date.parse(t) : Number(t) * 1000);

export class Stats {
	constructor(info) {
		Object.assign(this, { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, blocks: Math.ceil(info.size / 512) }, info);
		for (const key of ["name", "type"]) delete this[key];
		Object.defineProperty(this, "kind", { value: info.type });
		this.atimeMs = this.ctimeMs = this.birthtimeMs = info.mtimeMs;
		for (const key of ["atime", "mtime", "ctime", "birthtime"]) this[key] = new Date(this[key + "Ms"]);
	}
}
export class Dirent {
	constructor(info) {
		this.name = info.name;
		this.parentPath = this.path = info.dir;
		Object.defineProperty(this, "kind", { value: info.type });
	}
}
for (const C of [Stats, Dirent]) {
	for (const [method, kind] of [["isFile", "file"], ["isDirectory", "directory"], ["isSymbolicLink", "link"], ["isFIFO", "fifo"], ["isSocket", "socket"], ["isCharacterDevice", "character"], ["isBlockDevice", "block"]]) {
		C.prototype[method] = function () { return this.kind === kind; };
	}
}

// Each operation: how its arguments are sent, and what is made of the answer.
const text = (encoding) => encoding && /^utf-?8$/i.test(encoding);
const data = (value, options) => {
	const encoding = encodingOf(options);
	if (typeof value === "string") return encoding && !text(encoding) ? { data: encodeText(value, encoding).toBase64() } : { text: value };
	if (ArrayBuffer.isView(value)) return { data: new Uint8Array(value.buffer, value.byteOffset, value.byteLength).toBase64() };
	throw Object.assign(new TypeError('The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.'), { code: "ERR_INVALID_ARG_TYPE" });
};
const one = (op, more = () => ({}), made = () => undefined) => ({ op: "fs." + op, send: (p, ...rest) => ({ path: pathOf(p), ...more(...rest) }), made });
const list = (info, p, options) => {
	if (options?.withFileTypes) return info.map((i) => new Dirent(i));
	const top = pathOf(p).replace(/[\\/]+$/, "");
	return info.map((i) => (options?.recursive && i.dir ? relativeName(top, i) : i.name)).sort();
};
function relativeName(top, info) {
	const full = process.platform === "win32" ? info.dir + "\\" + info.name : info.dir + "/" + info.name;
	const at = full.indexOf(top);
	return at >= 0 ? full.slice(at + top.length + 1) : info.name;
}

export const operations = {
	readFile: { op: "fs.readFile", send: (p, options) => ({ path: pathOf(p), asText: Boolean(text(encodingOf(options))) }), made: (out, p, options) => {
		const encoding = encodingOf(options);
		if (text(encoding)) return out;
		const bytes = Buffer.from(out, "base64");
		return encoding ? bytes.toString(encoding) : bytes;
	} },
	writeFile: { op: "fs.writeFile", send: (p, value, options) => ({ path: pathOf(p), flag: options?.flag ?? "w", mode: modeOf(options?.mode), ...data(value, options) }), made: () => undefined },
	appendFile: { op: "fs.writeFile", send: (p, value, options) => ({ path: pathOf(p), flag: options?.flag ?? "a", mode: modeOf(options?.mode), ...data(value, options) }), made: () => undefined },
	stat: one("stat", () => ({}), (info) => new Stats(info)),
	lstat: one("lstat", () => ({}), (info) => new Stats(info)),
	access: one("access", (mode) => ({ mode: mode ?? 0 })),
	readdir: one("readdir", (options) => ({ recursive: Boolean(options?.recursive) }), list),
	realpath: one("realpath", () => ({}), (out) => out),
	readlink: one("readlink", () => ({}), (out) => out),
	mkdir: one("mkdir", (options) => ({ recursive: Boolean(options?.recursive), mode: modeOf(typeof options === "object" ? options?.mode : options) })),
	mkdtemp: one("mkdtemp", () => ({}), (out) => out),
	rm: one("rm", (options) => ({ recursive: Boolean(options?.recursive), force: Boolean(options?.force) })),
	unlink: one("unlink"),
	rmdir: one("rmdir", (options) => ({ recursive: Boolean(options?.recursive) })),
	chown: one("chown", (uid, gid) => ({ uid, gid })),
	chmod: one("chmod", (mode) => ({ mode: modeOf(mode) })),
	truncate: one("truncate", (length) => ({ length: length ?? 0 })),
	utimes: one("utimes", (atime, mtime) => ({ atime: ms(atime), mtime: ms(mtime) })),
	rename: one("rename", (to) => ({ to: pathOf(to) })),
	copyFile: one("copyFile", (to, mode) => ({ to: pathOf(to), exclusive: mode === 1 })),
	link: one("link", (to) => ({ to: pathOf(to) })),
	symlink: { op: "fs.symlink", send: (target, p) => ({ path: pathOf(p), to: pathOf(target) }), made: () => undefined },
};

// flagsOf makes bits of a file's flags.
export function flagsOf(flags = "r") {
	if (typeof flags === "number") return flags;
	const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;
	const [kind, ...more] = String(flags).replace("s", "");
	const base = { r: 0, w: O_CREAT | O_TRUNC, a: O_CREAT | O_APPEND }[kind];
	if (base === undefined || !/^[x+]*$/.test(more.join(""))) throw Object.assign(new TypeError(`The argument 'flags' is invalid. Received '${flags}'`), { code: "ERR_INVALID_ARG_VALUE" });
	return base | (more.includes("+") ? O_RDWR : kind === "r" ? 0 : O_WRONLY) | (more.includes("x") ? O_EXCL : 0);
}

// What is done with an open file: how its arguments are sent, and what is made of the answer.
// A view that is read into is filled in place.
const place = (position) => (typeof position === "bigint" ? Number(position) : (position ?? -1));
function span(into, [offset, length, position]) {
	if (offset !== null && typeof offset === "object") ({ offset, length, position } = offset);
	offset ??= 0;
	return { offset, length: length ?? into.byteLength - offset, position: place(position) };
}
const bytesAt = (view, { offset, length }) => new Uint8Array(view.buffer, view.byteOffset + offset, length);
const about = (op, more = () => ({}), made = () => undefined) => ({ op: "fs." + op, send: (fd, ...rest) => ({ fd, ...more(...rest) }), made });
export const descriptors = {
	close: about("close"),
	fstat: about("fstat", () => ({}), (info) => new Stats(info)),
	ftruncate: about("ftruncate", (length) => ({ length: length ?? 0 })),
	fsync: about("fsync"),
	fdatasync: about("fsync"),
	fchmod: about("fchmod", (mode) => ({ mode: modeOf(mode) })),
	futimes: about("futimes", (atime, mtime) => ({ atime: ms(atime), mtime: ms(mtime) })),
	read: about("read", (into, ...rest) => { const { length, position } = span(into, rest); return { length, position }; }, (out, fd, into, ...rest) => {
		const bytes = Uint8Array.fromBase64(out);
		bytesAt(into, span(into, rest)).set(bytes);
		return bytes.length;
	}),
	write: about("write", (value, ...rest) => {
		if (typeof value === "string") return { data: encodeText(value, rest[1] ?? "utf8").toBase64(), position: place(rest[0]) };
		const at = span(value, rest);
		return { data: bytesAt(value, at).toBase64(), position: at.position };
	}, (n) => n),
};
descriptors.open = { op: "fs.open", send: (p, flags, mode) => ({ path: pathOf(p), flags: flagsOf(flags), mode: modeOf(mode ?? 0o666) }), made: (fd) => fd };

export const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, S_IFMT: 0o170000, S_IFREG: 0o100000, S_IFDIR: 0o040000, S_IFLNK: 0o120000 };
