import { hostAsync, hostStream } from "rondo:host";
import { Dir } from "./fs_dir.js";
import { constants, descriptors, operations, pathOf } from "./fs_shared.js";
import { FileHandle } from "./fs_handle.js";

const promised = {};
for (const [name, { op, send, made }] of Object.entries(operations)) {
	promised[name] = async (...args) => made(await hostAsync(op, send(...args)), ...args);
}
export const { stat, lstat, access, readdir, realpath, readlink, mkdir, mkdtemp, rm, unlink, rmdir, chmod, truncate, utimes, rename, copyFile, link, symlink, chown } = promised;
for (const name of ["readFile", "writeFile", "appendFile"]) { const byPath = promised[name]; promised[name] = (file, ...rest) => (file instanceof FileHandle ? file[name](...rest) : byPath(file, ...rest)); }
export const { readFile, writeFile, appendFile } = promised;

export async function* watch(path, { signal } = {}) {
	const queue = [];
	let wake = () => {};
	const call = hostStream("fs.watch", { path: pathOf(path) }, ([eventType, filename]) => { queue.push({ eventType, filename }); wake(); });
	signal?.addEventListener("abort", () => { call.cancel(); wake(); }, { once: true });
	try {
		while (!signal?.aborted) {
			if (queue.length === 0) await new Promise((resolve) => { wake = resolve; });
			while (queue.length > 0) yield queue.shift();
		}
	} finally {
		call.cancel();
	}
}

export async function cp(from, to, options) {
	if (options?.filter && !(await options.filter(from, to))) return;
	const info = await (options?.dereference ? stat(from) : lstat(from));
	if (info.isSymbolicLink()) return symlink(await readlink(from), to);
	if (!info.isDirectory()) {
		if (options?.force === false) await copyFile(from, to, constants.COPYFILE_EXCL).catch((error) => { if (error.code !== "EEXIST" || options.errorOnExist) throw error; });
		else await copyFile(from, to);
		return;
	}
	if (!options?.recursive) throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: ${from}`), { code: "ERR_FS_EISDIR" });
	await mkdir(to, { recursive: true });
	for (const entry of await readdir(from, { withFileTypes: true })) await cp(`${pathOf(from)}/${entry.name}`, `${pathOf(to)}/${entry.name}`, options);
}

const openDescriptor = descriptors.open;
export const open = async (path, flags, mode) => new FileHandle(await hostAsync(openDescriptor.op, openDescriptor.send(path, flags, mode)));
export const opendir = async (path, options) => new Dir(pathOf(path), await readdir(path, { ...options, withFileTypes: true }));
export { constants };
export default { ...promised, watch, cp, open, opendir, constants };
