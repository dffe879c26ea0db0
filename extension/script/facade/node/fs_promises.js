import { hostAsync, hostStream } from "rondo:host";
import { constants, operations, pathOf } from "./fs_shared.js";

const promised = {};
for (const [name, { op, send, made }] of Object.entries(operations)) {
	promised[name] = async (...args) => made(await hostAsync(op, send(...args)), ...args);
}
export const { readFile, writeFile, appendFile, stat, lstat, access, readdir, realpath, readlink, mkdir, mkdtemp, rm, unlink, rmdir, chmod, truncate, utimes, rename, copyFile, link, symlink } = promised;

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
	const info = await stat(from);
	if (!info.isDirectory()) {
		await copyFile(from, to);
		return;
	}
	if (!options?.recursive) throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: ${from}`), { code: "ERR_FS_EISDIR" });
	await mkdir(to, { recursive: true });
	for (const entry of await readdir(from, { withFileTypes: true })) await cp(`${pathOf(from)}/${entry.name}`, `${pathOf(to)}/${entry.name}`, options);
}

export { constants };
export default { ...promised, watch, cp, constants };
