// The built-in tools, made by extensions: for another folder, or with other operations.
import { host, hostStream } from "rondo:host";
import { spawnSync } from "node:child_process";
import * as path from "node:path";
import { get } from "rondo:functions";

// What functions return goes to Go as JSON: bytes as base64, what stat returns as a boolean.
const plain = {
	readFile: (value) => (typeof value === "string" ? Buffer.from(value) : Buffer.from(value.buffer, value.byteOffset, value.byteLength)).toString("base64"),
	stat: (value) => Boolean(value?.isDirectory?.()),
	access: () => undefined,
	writeFile: () => undefined,
	mkdir: () => undefined,
};
const numbers = new WeakMap();
function operationsOf(operations) {
	if (!operations) return undefined;
	if (!numbers.has(operations)) {
		const out = {};
		for (const name of Object.keys(operations)) {
			if (typeof operations[name] !== "function") continue;
			const convert = plain[name] ?? ((value) => value);
			out[name] = name === "exec" ? get((...args) => operations.exec(...args)) : get(async (...args) => convert(await operations[name](...args)));
		}
		numbers.set(operations, out);
	}
	return numbers.get(operations);
}

function make(tool, cwd, options = {}) {
	const about = host("tools.describe", { tool, cwd });
	const hook = typeof options.spawnHook === "function" ? get((context) => options.spawnHook(context)) : 0;
	return {
		...about,
		async execute(id, params, signal, onUpdate) {
			signal?.throwIfAborted();
			const call = hostStream("tools.execute", {
				tool, cwd, id, params, operations: operationsOf(options.operations), commandPrefix: options.commandPrefix,
				shellPath: options.shellPath, spawnHook: hook, keepImageSize: options.autoResizeImages === false,
			}, onUpdate);
			const cancel = () => call.cancel();
			signal?.addEventListener("abort", cancel, { once: true });
			try {
				const result = await call.done;
				return { ...result, details: result.details ?? undefined };
			} finally {
				signal?.removeEventListener("abort", cancel);
			}
		},
	};
}

// A tool is what a definition is without what the system prompt says of it; bash keeps that.
const bare = ({ promptSnippet, promptGuidelines, ...tool }) => tool;

export const createReadToolDefinition = (cwd, options) => make("read", cwd, options);
export const createBashToolDefinition = (cwd, options) => make("bash", cwd, options);
export const createEditToolDefinition = (cwd, options) => make("edit", cwd, options);
export const createWriteToolDefinition = (cwd, options) => make("write", cwd, options);
export const createGrepToolDefinition = (cwd, options) => make("grep", cwd, options);
export const createLsToolDefinition = (cwd, options) => make("ls", cwd, options);
export function createFindToolDefinition(cwd, options) {
	const tool = make("find", cwd, options);
	const own = options?.operations;
	return typeof own?.glob === "function" ? { ...tool, execute: (id, params, signal) => until(signal, findWith(own, cwd, params)) } : tool;
}

// until ends the wait for a promise with a signal.
const until = (signal, promise) => (signal ? Promise.race([promise, new Promise((_, fail) => {
	const stop = () => fail(Object.assign(new Error("Operation aborted"), { name: "AbortError" }));
	if (signal.aborted) stop();
	else signal.addEventListener("abort", stop, { once: true });
})]) : promise);

// findWith searches with operations that find files themselves.
async function findWith(operations, cwd, { pattern, path: where, limit = 1000 }) {
	const dir = path.resolve(cwd, where ?? ".");
	if (operations.exists && !(await operations.exists(dir))) throw new Error(`There is no folder ${dir}`);
	const found = await operations.glob(pattern, dir, { ignore: ["**/node_modules/**", "**/.git/**"], limit });
	const lines = found.slice(0, limit).map((p) => (path.isAbsolute(p) ? path.relative(dir, p) : p).replaceAll("\\", "/"));
	if (lines.length === 0) return { content: [{ type: "text", text: "No files match the pattern" }], details: undefined };
	const reached = found.length >= limit;
	const note = reached ? `\n\n[${limit} results, which is the limit: use a narrower pattern or a higher limit]` : "";
	return { content: [{ type: "text", text: lines.join("\n") + note }], details: reached ? { resultLimitReached: limit } : undefined };
}

export const createReadTool = (cwd, options) => bare(createReadToolDefinition(cwd, options));
export const createBashTool = (cwd, options) => createBashToolDefinition(cwd, options);
export const createEditTool = (cwd, options) => bare(createEditToolDefinition(cwd, options));
export const createWriteTool = (cwd, options) => bare(createWriteToolDefinition(cwd, options));
export const createGrepTool = (cwd, options) => bare(createGrepToolDefinition(cwd, options));
export const createFindTool = (cwd, options) => bare(createFindToolDefinition(cwd, options));
export const createLsTool = (cwd, options) => bare(createLsToolDefinition(cwd, options));
export const createCodingTools = (cwd, options) => [createReadTool(cwd, options?.read), createBashTool(cwd, options?.bash), createEditTool(cwd, options?.edit), createWriteTool(cwd, options?.write)];
export const createReadOnlyTools = (cwd, options) => [createReadTool(cwd, options?.read), createGrepTool(cwd, options?.grep), createFindTool(cwd, options?.find), createLsTool(cwd, options?.ls)];

// createLocalBashOperations runs commands on this machine.
export const createLocalBashOperations = (options) => ({
	async exec(command, cwd, { onData, signal, timeout, env } = {}) {
		signal?.throwIfAborted();
		const call = hostStream("tools.bash", { command, cwd, timeout: timeout ?? 0, env: env && Object.fromEntries(Object.entries(env).filter(([, v]) => v !== undefined)), shellPath: options?.shellPath ?? "" }, (part) => onData?.(Buffer.from(part, "base64")));
		const cancel = () => call.cancel();
		signal?.addEventListener("abort", cancel, { once: true });
		try {
			return await call.done;
		} catch (error) {
			if (signal?.aborted) throw new Error("aborted");
			throw error;
		} finally {
			signal?.removeEventListener("abort", cancel);
		}
	},
});

// Changes of one file run one after another.
const queues = new Map();
export async function withFileMutationQueue(file, change) {
	const key = path.resolve(file);
	const before = queues.get(key) ?? Promise.resolve();
	const run = before.then(() => change());
	const settled = run.then(() => {}, () => {});
	queues.set(key, settled);
	try {
		return await run;
	} finally {
		if (queues.get(key) === settled) queues.delete(key);
	}
}

export const getShellConfig = (shell) => ({ shell: shell ?? (process.platform === "win32" ? "bash.exe" : spawnSync("sh", ["-c", "command -v bash || command -v sh"], { encoding: "utf8" }).stdout.trim()), args: ["-c"] });
