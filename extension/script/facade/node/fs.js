import { host, hostAsync, hostStream } from "rondo:host";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import * as promises from "node:fs/promises";
import { Dirent, Stats, constants, encodingOf, operations, pathOf } from "./fs_shared.js";

const sync = {};
const called = {};
for (const [name, { op, send, made }] of Object.entries(operations)) {
	sync[name + "Sync"] = (...args) => made(host(op, send(...args)), ...args);
	called[name] = (...args) => {
		const done = args.findLast((a) => typeof a === "function");
		if (!done) throw Object.assign(new TypeError('The "cb" argument must be of type function'), { code: "ERR_INVALID_ARG_TYPE" });
		const given = args.slice(0, args.lastIndexOf(done));
		hostAsync(op, send(...given)).then((out) => made(out, ...given)).then((out) => done(null, out), (error) => done(error));
	};
}
export const { readFileSync, writeFileSync, appendFileSync, accessSync, readdirSync, realpathSync, readlinkSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, rmdirSync, chmodSync, truncateSync, utimesSync, renameSync, copyFileSync, linkSync, symlinkSync } = sync;
export const { readFile, writeFile, appendFile, stat, lstat, access, readdir, realpath, readlink, mkdir, mkdtemp, rm, unlink, rmdir, chmod, truncate, utimes, rename, copyFile, link, symlink } = called;
realpathSync.native = realpathSync;

const maybe = (read) => (path, options) => {
	try {
		return read(path);
	} catch (error) {
		if (options?.throwIfNoEntry === false && error.code === "ENOENT") return undefined;
		throw error;
	}
};
export const statSync = maybe(sync.statSync);
export const lstatSync = maybe(sync.lstatSync);

export function existsSync(path) {
	try { return host("fs.exists", { path: pathOf(path) }); } catch { return false; }
}
export const exists = (path, done) => done(existsSync(path));

export function cpSync(from, to, options) {
	if (!statSync(from).isDirectory()) return copyFileSync(from, to);
	if (!options?.recursive) throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: ${from}`), { code: "ERR_FS_EISDIR" });
	mkdirSync(to, { recursive: true });
	for (const entry of readdirSync(from, { withFileTypes: true })) cpSync(`${pathOf(from)}/${entry.name}`, `${pathOf(to)}/${entry.name}`, options);
}

// Descriptors: a file that is read is read whole, one that is written is written at each call.
const descriptors = new Map();
let lastDescriptor = 100;
export function openSync(path, flags = "r", mode) {
	const p = pathOf(path);
	const writes = flags !== "r";
	if (writes) host("fs.writeFile", { path: p, flag: flags === "r+" ? "r+" : flags.includes("x") ? flags : flags.startsWith("a") ? "a" : "w", mode: mode ?? 0, text: "" });
	else accessSync(p, constants.R_OK);
	descriptors.set(++lastDescriptor, { path: p, writes, at: 0 });
	return lastDescriptor;
}
const descriptor = (fd) => {
	const d = descriptors.get(fd);
	if (!d) throw Object.assign(new Error("EBADF: bad file descriptor"), { code: "EBADF" });
	return d;
};
export function closeSync(fd) { descriptor(fd); descriptors.delete(fd); }
export function writeSync(fd, data, ...rest) {
	if (fd === 1 || fd === 2) {
		(fd === 1 ? process.stdout : process.stderr).write(data);
		return data.length;
	}
	const d = descriptor(fd);
	const bytes = typeof data === "string" ? Buffer.from(data) : typeof rest[0] === "number" ? data.subarray(rest[0], rest[0] + (rest[1] ?? data.length - rest[0])) : data;
	appendFileSync(d.path, bytes);
	return bytes.length;
}
export function readSync(fd, into, ...rest) {
	const d = descriptor(fd);
	const [offset = 0, length = into.byteLength - offset, position = null] = typeof rest[0] === "object" && rest[0] !== null ? [rest[0].offset, rest[0].length, rest[0].position] : rest;
	const bytes = Buffer.from(host("fs.readFile", { path: d.path, start: position ?? d.at, length }), "base64").subarray(0, length);
	into.set(bytes, offset);
	if (position === null) d.at += bytes.length;
	return bytes.length;
}
export const fstatSync = (fd) => statSync(descriptor(fd).path);
export const fsyncSync = (fd) => { descriptor(fd); };
export const open = (path, flags, mode, done = mode) => { let fd; try { fd = openSync(path, flags); } catch (error) { return queueMicrotask(() => done(error)); } queueMicrotask(() => done(null, fd)); };
export const close = (fd, done) => { closeSync(fd); if (done) queueMicrotask(() => done(null)); };

export function createReadStream(path, options) {
	const p = pathOf(path);
	const size = options?.highWaterMark ?? 65536;
	let at = options?.start ?? 0;
	const end = options?.end ?? Infinity;
	const stream = new Readable({
		async read() {
			try {
				const length = Math.min(size, end - at + 1);
				const bytes = length <= 0 ? Buffer.alloc(0) : Buffer.from(await hostAsync("fs.readFile", { path: p, start: at, length }), "base64");
				at += bytes.length;
				this.push(bytes.length === 0 ? null : bytes);
			} catch (error) {
				this.destroy(error);
			}
		},
	});
	const encoding = encodingOf(options);
	if (encoding) stream.setEncoding(encoding);
	stream.path = path;
	return stream;
}

export function createWriteStream(path, options) {
	const p = pathOf(path);
	const appends = (options?.flags ?? "w").startsWith("a");
	let ready = appends ? Promise.resolve() : hostAsync("fs.writeFile", { path: p, flag: "w", text: "" });
	const stream = new Writable({
		write(chunk, encoding, done) {
			ready = ready.then(() => promises.appendFile(p, chunk, encoding));
			ready.then(() => done(), done);
		},
	});
	stream.path = path;
	return stream;
}

class FSWatcher extends EventEmitter {
	close() { this.call.cancel(); this.emit("close"); }
	ref() { return this; }
	unref() { return this; }
}
export function watch(path, options, listener = options) {
	try {
		statSync(path);
	} catch (error) {
		error.message = error.message.replace(", stat ", ", watch ");
		error.syscall = "watch";
		throw error;
	}
	const watcher = new FSWatcher();
	if (typeof listener === "function") watcher.on("change", listener);
	watcher.call = hostStream("fs.watch", { path: pathOf(path) }, ([type, name]) => watcher.emit("change", type, name));
	watcher.call.done.catch((error) => { if (error.code !== "ABORT_ERR") watcher.emit("error", error); });
	return watcher;
}
const watched = new Map();
export function watchFile(path, options, listener = options) {
	const p = pathOf(path);
	const look = () => { try { return statSync(p); } catch { return new Stats({ size: 0, mtimeMs: 0, mode: 0, type: "file" }); } };
	let before = look();
	const timer = setInterval(() => {
		const now = look();
		if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) listener(now, before);
		before = now;
	}, options?.interval ?? 5007);
	watched.set(p, [...(watched.get(p) ?? []), timer]);
}
export function unwatchFile(path) {
	for (const timer of watched.get(pathOf(path)) ?? []) clearInterval(timer);
	watched.delete(pathOf(path));
}

export { constants, promises, Stats, Dirent };
export const { F_OK, R_OK, W_OK, X_OK } = constants;
export default { ...sync, ...called, statSync, lstatSync, existsSync, exists, cpSync, cp: (from, to, options, done = options) => promises.cp(from, to, options).then(() => done(null), done), openSync, closeSync, writeSync, readSync, fstatSync, fsyncSync, open, close, createReadStream, createWriteStream, watch, watchFile, unwatchFile, constants, promises, Stats, Dirent, F_OK, R_OK, W_OK, X_OK };
