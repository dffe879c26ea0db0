import { spawn, exec, execSync, spawnSync, execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
export default async () => {
	const out = [];
	const collect = (c) => new Promise((resolve) => { let o = "", e = ""; c.stdout?.on("data", (d) => { o += d; }); c.stderr?.on("data", (d) => { e += d; }); c.on("close", (code, signal) => resolve([o, e, code, signal])); });
	out.push(await collect(spawn("sh", ["-c", "echo out; echo err >&2; exit 3"])));
	const cat = spawn("cat"); cat.stdin.write("hello "); cat.stdin.end("world"); out.push(await collect(cat));
	out.push(await new Promise((r) => spawn("no-such-program-x").on("error", (e) => r([e.code, e.syscall, e.path]))));
	const sleeper = spawn("sleep", ["30"]); setTimeout(() => sleeper.kill(), 20); out.push((await collect(sleeper)).slice(2), sleeper.killed, typeof sleeper.pid);
	out.push(execSync("echo hi", { encoding: "utf8" }), execFileSync("printf", ["%s", "a b"]).toString());
	try { execSync("echo bad >&2; exit 4", { stdio: "pipe" }); } catch (e) { out.push([e.status, e.stderr.toString(), e.message.split("\n")[0]]); }
	const s = spawnSync("sh", ["-c", "cat; exit 2"], { input: "in", encoding: "utf8" }); out.push([s.status, s.stdout, s.stderr, s.signal]);
	out.push(spawnSync("no-such-program-x").error.code, spawnSync("sleep", ["30"], { timeout: 30 }).error.code);
	out.push(await promisify(exec)("echo $V", { env: { ...process.env, V: "7" } }));
	out.push(await new Promise((r) => execFile("sh", ["-c", "exit 5"], (e, o) => r([e.code, o]))));
	const c = new AbortController(); const aborted = spawn("sleep", ["30"], { signal: c.signal }); const failed = new Promise((r) => aborted.on("error", (e) => r(e.name))); c.abort(); out.push(await failed);
	out.push(await collect(spawn("echo a | tr a b", { shell: true, cwd: "/" })));
	return out;
};
