// Programs that a script runs.
import { host, hostAsync, hostStream } from "rondo:host";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const custom = Symbol.for("nodejs.util.promisify.custom");
const plain = (env) => (env ? Object.fromEntries(Object.keys(env).filter((k) => env[k] !== undefined).map((k) => [k, String(env[k])])) : undefined);
const sides = (stdio, otherwise) => {
	const list = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
	return [0, 1, 2].map((i) => {
		const s = list[i]?.fd ?? list[i] ?? otherwise;
		if (typeof s === "number" && s > 2) return `fd:${s}`;
		return s === "inherit" || typeof s === "number" || typeof s === "object" ? "inherit" : s === "ignore" ? "ignore" : "pipe";
	});
};
function described(file, args, options = {}) {
	return {
		file: String(file), args: (args ?? []).map(String), shell: options.shell === true ? "default" : options.shell || "",
		cwd: options.cwd instanceof URL ? fileURLToPath(options.cwd) : (options.cwd ?? ""), env: plain(options.env),
		timeout: options.timeout ?? 0, maxBuffer: Number.isFinite(options.maxBuffer) ? options.maxBuffer : options.maxBuffer === Infinity ? 2 ** 30 : 0, detached: Boolean(options.detached),
		stdio: sides(options.stdio, "pipe"),
	};
}
const split = (args, options) => (Array.isArray(args) ? [args, options ?? {}] : [[], args ?? options ?? {}]);

export class ChildProcess extends EventEmitter {
	pid;
	exitCode = null;
	signalCode = null;
	killed = false;
	connected = false;
	stdin = null;
	stdout = null;
	stderr = null;
	kill(signal = "SIGTERM") {
		if (!this.pid || this.exitCode !== null || this.signalCode !== null) return false;
		try {
			host("process.kill", { pid: this.pid, signal: typeof signal === "number" ? (signalNames[signal] ?? "SIGTERM") : signal });
		} catch {
			return false;
		}
		this.killed = true;
		return true;
	}
	ref() { return this; }
	unref() { return this; }
	disconnect() {}
}
const signalNames = { 0: "0", 1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 9: "SIGKILL", 10: "SIGUSR1", 12: "SIGUSR2", 15: "SIGTERM" };

export function spawn(file, args, options) {
	[args, options] = split(args, options);
	const what = described(file, args, options);
	const child = new ChildProcess();
	child.spawnfile = what.file;
	child.spawnargs = [what.file, ...what.args];
	const { id, pid, error } = host("process.start", what);
	const outputs = [null, what.stdio[1] === "pipe" ? new Readable() : null, what.stdio[2] === "pipe" ? new Readable() : null];
	[, child.stdout, child.stderr] = outputs;
	if (what.stdio[0] === "pipe") {
		child.stdin = new Writable({
			write(chunk, encoding, done) { hostAsync("process.feed", { id, data: Buffer.from(chunk).toString("base64") }).then(() => done(), done); },
			final(done) { hostAsync("process.feed", { id, end: true }).then(() => done(), () => done()); },
		});
		child.stdin.on("error", () => {});
	}
	child.stdio = [child.stdin, child.stdout, child.stderr];
	if (error) {
		setImmediate(() => {
			for (const out of outputs) out?.push(null);
			child.emit("error", Object.assign(new Error(error.message), error, { spawnargs: what.args }));
			child.emit("close", error.errno ?? -2, null);
		});
		return child;
	}
	child.pid = pid;
	setImmediate(() => child.emit("spawn"));
	const ended = [0, 1, 2].map(() => false);
	const end = (fd) => { if (!ended[fd]) { ended[fd] = true; outputs[fd]?.push(null); } };
	const call = hostStream("process.follow", { id }, ({ fd, data, end: over }) => {
		if (over) end(fd);
		else outputs[fd]?.push(Buffer.from(data, "base64"));
	});
	const { signal } = options;
	const onAbort = () => {
		child.kill(options.killSignal ?? "SIGTERM");
		child.emit("error", Object.assign(new DOMException("The operation was aborted", "AbortError"), { code: "ABORT_ERR", cause: signal.reason }));
	};
	if (signal?.aborted) queueMicrotask(onAbort);
	else signal?.addEventListener("abort", onAbort, { once: true });
	const timer = options.timeout > 0 ? setTimeout(() => child.kill(options.killSignal ?? "SIGTERM"), options.timeout) : undefined;
	call.done.then(({ status, signal: died }) => {
		clearTimeout(timer);
		signal?.removeEventListener("abort", onAbort);
		end(1);
		end(2);
		child.exitCode = status;
		child.signalCode = died;
		child.stdin?.destroy(); // nobody reads it any more
		child.emit("exit", status, died);
		setImmediate(() => child.emit("close", status, died));
	}, (error) => { if (error.code !== "ABORT_ERR") child.emit("error", error); });
	return child;
}

export function spawnSync(file, args, options) {
	[args, options] = split(args, options);
	const input = options.input === undefined ? undefined : Buffer.from(options.input).toString("base64");
	const r = host("process.run", { ...described(file, args, options), input });
	const text = (base64) => {
		const bytes = Buffer.from(base64 ?? "", "base64");
		return options.encoding && options.encoding !== "buffer" ? bytes.toString(options.encoding) : bytes;
	};
	const out = { pid: r.pid, status: r.status, signal: r.signal, stdout: text(r.stdout), stderr: text(r.stderr) };
	out.output = [null, out.stdout, out.stderr];
	if (r.error) out.error = Object.assign(new Error(r.error.message), r.error, { spawnargs: args });
	return out;
}

function checked(r, command, options) {
	if (r.error && r.error.code !== "ENOBUFS") throw Object.assign(r.error, r);
	if (options?.stdio !== "inherit" && r.stderr.length > 0 && options?.stdio === undefined) process.stderr.write(r.stderr);
	if (r.error) throw Object.assign(r.error, r);
	if (r.status !== 0) throw Object.assign(new Error(`Command failed: ${command}\n${r.stderr.toString()}`), r);
	return r.stdout;
}
export function execFileSync(file, args, options) {
	[args, options] = split(args, options);
	return checked(spawnSync(file, args, options), [file, ...args].join(" "), options);
}
export const execSync = (command, options = {}) => checked(spawnSync(command, [], { ...options, shell: options.shell ?? true }), command, options);

export function execFile(file, args, options, done) {
	if (typeof args === "function") [args, options, done] = [[], {}, args];
	else if (typeof options === "function") [args, options, done] = [...split(args), options];
	else [args, options] = split(args, options);
	const limit = options.maxBuffer ?? 1024 * 1024;
	const child = spawn(file, args, { ...options, stdio: undefined });
	const parts = { stdout: [], stderr: [] };
	let size = 0, failure;
	for (const name of ["stdout", "stderr"]) {
		child[name].on("data", (chunk) => {
			size += chunk.length;
			if (size > limit && !failure) {
				failure = Object.assign(new RangeError(`${name} maxBuffer length exceeded`), { code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" });
				child.kill();
			}
			parts[name].push(chunk);
		});
	}
	child.on("error", (error) => { failure ??= error; });
	child.on("close", (code, signal) => {
		const [stdout, stderr] = ["stdout", "stderr"].map((name) => {
			const bytes = Buffer.concat(parts[name]);
			return options.encoding === "buffer" || options.encoding === null ? bytes : bytes.toString(options.encoding ?? "utf8");
		});
		const command = options.shell ? file : [file, ...args].join(" ");
		if (failure === undefined && code !== 0) failure = Object.assign(new Error(`Command failed: ${command}\n${stderr}`), { code, signal, killed: child.killed, cmd: command });
		if (failure) Object.assign(failure, { stdout, stderr, cmd: failure.cmd ?? command });
		done?.(failure ?? null, stdout, stderr);
	});
	return child;
}
export function exec(command, options, done) {
	if (typeof options === "function") [options, done] = [{}, options];
	return execFile(command, [], { ...options, shell: options?.shell ?? true }, done);
}
const promised = (fn) => (...args) => {
	let child;
	const promise = new Promise((resolve, reject) => { child = fn(...args, (error, stdout, stderr) => (error ? reject(error) : resolve({ stdout, stderr }))); });
	return Object.assign(promise, { child });
};
exec[custom] = promised(exec);
execFile[custom] = promised(execFile);

export function fork() { throw new Error("fork of node:child_process is not supported by this host: run node with spawn"); }
export default { spawn, spawnSync, exec, execSync, execFile, execFileSync, fork, ChildProcess };
