import { host, hostAsync, hostStream } from "rondo:host";
import { EventEmitter } from "node:events";
import promises from "node:fs/promises";
import { Dir } from "./fs_dir.js";
import { Dirent, Stats, constants, descriptors, encodingOf, operations, pathOf } from "./fs_shared.js";
import { ReadStream, WriteStream, createReadStream, createWriteStream } from "./fs_streams.js";

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
const opened = {}, openedCalled = {};
for (const [name, { op, send, made }] of Object.entries(descriptors)) {
	opened[name + "Sync"] = (...args) => made(host(op, send(...args)), ...args);
	openedCalled[name] = (...args) => {
		const done = typeof args.at(-1) === "function" ? args.pop() : () => {};
		hostAsync(op, send(...args)).then((out) => made(out, ...args)).then((out) => done(null, out, args[1]), (error) => done(error));
	};
}
export const { chownSync, accessSync, readdirSync, realpathSync, readlinkSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, rmdirSync, chmodSync, truncateSync, utimesSync, renameSync, copyFileSync, linkSync, symlinkSync } = sync;
export const { readFile, writeFile, appendFile, stat, lstat, access, readdir, realpath, readlink, mkdir, mkdtemp, rm, unlink, rmdir, chmod, truncate, utimes, rename, copyFile, link, symlink, chown } = called;
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
	if (options?.filter && !options.filter(from, to)) return;
	const info = (options?.dereference ? statSync : lstatSync)(from);
	if (info.isSymbolicLink()) return symlinkSync(readlinkSync(from), to);
	if (!info.isDirectory()) {
		try {
			copyFileSync(from, to, options?.force === false ? constants.COPYFILE_EXCL : 0);
		} catch (error) {
			if (error.code !== "EEXIST" || options?.errorOnExist) throw error;
		}
		return;
	}
	if (!options?.recursive) throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: ${from}`), { code: "ERR_FS_EISDIR" });
	mkdirSync(to, { recursive: true });
	for (const entry of readdirSync(from, { withFileTypes: true })) cpSync(`${pathOf(from)}/${entry.name}`, `${pathOf(to)}/${entry.name}`, options);
}

// What is written to the output goes where it goes from process.
const output = (fd) => (fd === 1 ? process.stdout : fd === 2 ? process.stderr : undefined);
export function writeSync(fd, data, ...rest) {
	if (!output(fd)) return opened.writeSync(fd, data, ...rest);
	output(fd).write(data);
	return data.length;
}
export function write(fd, data, ...rest) {
	if (!output(fd)) return openedCalled.write(fd, data, ...rest);
	output(fd).write(data);
	queueMicrotask(() => rest.at(-1)(null, data.length, data));
}
export const { openSync, closeSync, readSync, fstatSync, ftruncateSync, fsyncSync, fdatasyncSync, fchmodSync, futimesSync } = opened;
export const { open, close, read, fstat, ftruncate, fsync, fdatasync, fchmod, futimes } = openedCalled;
const later = (fn) => (fd, views, position, done = position) => { queueMicrotask(() => { let n; try { n = fn(fd, views, typeof position === "number" ? position : null); } catch (error) { done(error); return; } done(null, n, views); }); };
export const readvSync = (fd, views, position) => views.reduce((n, view) => n + readSync(fd, view, 0, view.byteLength, typeof position === "number" ? position + n : null), 0);
export const writevSync = (fd, views, position) => views.reduce((n, view) => n + writeSync(fd, view, 0, view.byteLength, typeof position === "number" ? position + n : null), 0);

export const readv = later(readvSync), writev = later(writevSync);

// Whole files by descriptor.
for (const [name, whole] of Object.entries({
	readFileSync(fd, options) {
		const parts = [];
		for (let n = -1; n !== 0;) {
			const part = Buffer.alloc(65536);
			n = readSync(fd, part);
			parts.push(part.subarray(0, n));
		}
		const all = Buffer.concat(parts), encoding = encodingOf(options);
		return encoding ? all.toString(encoding) : all;
	},
	writeFileSync(fd, data, options) { writeSync(fd, typeof data === "string" ? Buffer.from(data, encodingOf(options) ?? "utf8") : data); },
	appendFileSync(fd, data, options) { writeSync(fd, typeof data === "string" ? Buffer.from(data, encodingOf(options) ?? "utf8") : data); },
})) {
	const byPath = sync[name];
	sync[name] = (file, ...rest) => (typeof file === "number" ? whole(file, ...rest) : byPath(file, ...rest));
}
export const { readFileSync, writeFileSync, appendFileSync } = sync;

export const opendirSync = (path, options) => new Dir(pathOf(path), readdirSync(path, { ...options, withFileTypes: true }));
export const opendir = (path, options, done = options) => { promises.opendir(path, typeof options === "object" ? options : {}).then((dir) => done(null, dir), done); };

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

export const cp = (from, to, options, done = options) => { promises.cp(from, to, typeof options === "object" ? options : undefined).then(() => done(null), done); };
export { constants, promises, Stats, Dirent, Dir, ReadStream, WriteStream, createReadStream, createWriteStream };
export const { F_OK, R_OK, W_OK, X_OK } = constants;
export default {
	...sync, ...called, ...opened, ...openedCalled, statSync, lstatSync, existsSync, exists, cpSync, cp, write, writeSync, readvSync, writevSync, readv, writev, opendir, opendirSync,
	ReadStream, WriteStream, createReadStream, createWriteStream, watch, watchFile, unwatchFile, constants, get promises() { return promises; }, Stats, Dirent, Dir, F_OK, R_OK, W_OK, X_OK,
};
