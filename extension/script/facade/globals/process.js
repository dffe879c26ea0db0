// The object "process".
import { host, log, report } from "rondo:host";
import { EventEmitter } from "node:events";

const about = host("process.about");

const env = new Proxy(Object.create(null), {
	get: (changed, name) => (typeof name === "symbol" ? undefined : name in changed ? changed[name] : (host("process.env", { name }) ?? undefined)),
	set(changed, name, value) { changed[name] = String(value); host("process.setenv", { name: String(name), value: String(value) }); return true; },
	has: (changed, name) => name in changed || host("process.env", { name: String(name) }) !== null,
	deleteProperty(changed, name) { changed[name] = undefined; host("process.setenv", { name: String(name), value: null }); return true; },
	ownKeys: (changed) => [...new Set([...host("process.envNames"), ...Object.keys(changed)])].filter((n) => !(n in changed) || changed[n] !== undefined),
	getOwnPropertyDescriptor: (changed, name) => {
		const value = env[name];
		return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
	},
});

// What is written to the output goes to the terminal alone; elsewhere it is a line of the log.
function output(fd) {
	const stream = new EventEmitter();
	return Object.assign(stream, {
		fd,
		isTTY: about.tty || undefined,
		get columns() { return host("process.size").columns || undefined; },
		get rows() { return host("process.size").rows || undefined; },
		writable: true,
		write(data, encoding, done) {
			const text = typeof data === "string" ? data : Buffer.from(data).toString();
			if (!host("process.write", { fd, text })) log(text.replace(/\n$/, ""));
			(typeof encoding === "function" ? encoding : done)?.();
			return true;
		},
		end() {},
		getColorDepth: () => 24,
		hasColors: () => true,
	});
}

const stdin = Object.assign(new EventEmitter(), { fd: 0, isTTY: about.tty || undefined, setRawMode() { return stdin; }, resume() { return stdin; }, pause() { return stdin; }, setEncoding() { return stdin; }, unref() {}, ref() {} });

export const process = Object.assign(new EventEmitter(), {
	title: about.title,
	pid: about.pid,
	ppid: about.ppid,
	platform: about.platform,
	arch: about.arch,
	execPath: about.execPath,
	execArgv: [],
	argv: about.argv,
	argv0: about.argv[0],
	version: "v22.19.0",
	versions: { node: "22.19.0", quickjs: about.quickjs, rondo: about.version },
	release: { name: "node" },
	features: {},
	config: {},
	env,
	stdout: output(1),
	stderr: output(2),
	stdin,
	exitCode: undefined,
	cwd: () => host("process.cwd"),
	chdir(dir) { host("process.chdir", { path: String(dir) }); },
	umask: () => 0o022,
	uptime: () => performance.now() / 1000,
	hrtime: Object.assign((since) => {
		const now = host("clock.now");
		const pair = [Math.floor(now / 1000), Math.round((now % 1000) * 1e6)];
		if (!since) return pair;
		const ns = (pair[0] - since[0]) * 1e9 + pair[1] - since[1];
		return [Math.floor(ns / 1e9), ns % 1e9];
	}, { bigint: () => BigInt(Math.round(host("clock.now") * 1e6)) }),
	memoryUsage: Object.assign(() => host("process.memory"), { rss: () => host("process.memory").rss }),
	cpuUsage: () => ({ user: 0, system: 0 }),
	resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: Math.round(host("process.memory").rss / 1024), fsRead: 0, fsWrite: 0, voluntaryContextSwitches: 0, involuntaryContextSwitches: 0 }),
	availableMemory: () => host("process.memory").heapTotal,
	constrainedMemory: () => 0,
	getActiveResourcesInfo: () => [],
	getBuiltinModule: (name) => (host("module.builtins").includes(String(name).replace(/^node:/, "")) ? __rondo.require("node:" + String(name).replace(/^node:/, "")) : undefined),
	loadEnvFile(file = ".env") { for (const [name, value] of Object.entries(__rondo.require("node:util").parseEnv(__rondo.require("node:fs").readFileSync(file, "utf8")))) process.env[name] ??= value; },
	allowedNodeEnvironmentFlags: new Set(),
	ref() {},
	unref() {},
	hasUncaughtExceptionCaptureCallback: () => false,
	setUncaughtExceptionCaptureCallback() {},
	setSourceMapsEnabled() {},
	nextTick(fn, ...args) { queueMicrotask(() => { try { fn(...args); } catch (error) { report("nextTick", error); } }); },
	kill(pid, signal = "SIGTERM") { host("process.kill", { pid, signal: String(signal) }); return true; },
	getuid: () => about.uid,
	getgid: () => about.gid,
	geteuid: () => about.uid,
	getegid: () => about.gid,
	emitWarning(warning) { log(`Warning: ${warning?.message ?? warning}`); },
	// A script cannot end the program: it asks for that, and its own call ends.
	exit(code) { host("process.exit", { code: Number(code ?? process.exitCode ?? 0) }); throw new Error(`process.exit(${code ?? ""}) was called: the program ends when its session has settled`); },
	abort() { process.exit(134); },
	binding() { throw new Error("process.binding is not supported by this host"); },
});
