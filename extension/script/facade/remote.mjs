// The end of a machine that is Node or Bun. Lines of JSON go to Go on descriptor 3; those that
// come on stdin are taken one after another, and those on descriptor 4 while JavaScript waits
// for an operation: its answer, and calls that come before it.
import { readSync, writeSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const native = createRequire(import.meta.url);
if (!globalThis.require) globalThis.require = native;
const exit = process.exit.bind(process);

if (!process.versions.bun && Number(process.versions.node.split(".")[0]) < 20) {
	writeSync(2, `this is Node ${process.versions.node}\n`);
	exit(1);
}

// Scripts have an empty stdin: whoever read this one, or ended it, would cut them off.
const stdin = process.stdin;
Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true, enumerable: true, writable: true });
syncBuiltinESMExports();

const pause = new Int32Array(new SharedArrayBuffer(4));
// again retries what a descriptor that does not block refuses at the moment.
function again(fn) {
	for (;;) {
		try {
			return fn();
		} catch (error) {
			if (error.code !== "EAGAIN" && error.code !== "EINTR") exit(0); // Go has gone
			Atomics.wait(pause, 0, 0, 1);
		}
	}
}

function send(message) {
	const line = Buffer.from(JSON.stringify(message) + "\n");
	for (let at = 0; at < line.length; ) at += again(() => writeSync(3, line, at, line.length - at));
}

let rest = Buffer.alloc(0);
const chunk = Buffer.alloc(1 << 16);
function receive() {
	const parts = [rest];
	let end = rest.indexOf(10);
	while (end < 0) {
		const n = again(() => readSync(4, chunk, 0, chunk.length, null));
		if (n === 0) exit(0);
		const part = Buffer.from(chunk.subarray(0, n));
		parts.push(part);
		end = part.indexOf(10);
	}
	const all = Buffer.concat(parts);
	end = all.indexOf(10, all.length - parts.at(-1).length);
	rest = all.subarray(end + 1);
	return JSON.parse(all.toString("utf8", 0, end));
}

function take(m) {
	if (m.t === "enter") {
		const outcome = globalThis.__rondo.enter(m.id, m.name, m.arg);
		send({ t: "entered", id: m.id, s: outcome ?? null });
	} else if (m.t === "deliver") globalThis.__rondo.deliver(m.id, m.kind, m.payload);
}

let last = 0;
const answers = new Map();
function exchange(message) {
	const seq = ++last;
	send({ ...message, seq });
	while (!answers.has(seq)) {
		const m = receive();
		if (m.t === "answer") answers.set(m.seq, m);
		else take(m);
	}
	const answer = answers.get(seq);
	answers.delete(seq);
	if (answer.error) throw new Error(answer.error);
	return answer;
}

Object.assign(globalThis, {
	__native: native,
	__host: (op, json) => exchange({ t: "host", op, json }).json ?? "",
	__hostAsync: (op, json, id) => { exchange({ t: "async", op, json, id }); },
	__cancel: (id) => send({ t: "cancel", id }),
	__settle: (id, s) => send({ t: "settle", id, s }),
	__timer: () => {},
	__report: (kind, message, stack) => send({ t: "report", kind, message, stack }),
	__log: (line) => send({ t: "log", message: line }),
	__library: (name) => {
		const { name: canonical, file } = exchange({ t: "library", name });
		if (file) native(file);
		return canonical ?? "";
	},
	__module: (json) => exchange({ t: "module", json }).json,
	__evaluate: (name) => native(fileURLToPath(name)),
});
native("./boot.cjs");

const { report, host } = globalThis.__rondo.require("rondo:host");
process.on("unhandledRejection", (reason) => report("rejection", reason));
process.on("uncaughtException", (error) => report("exception", error));
process.exit = (code) => {
	host("process.exit", { code: Number(code ?? process.exitCode ?? 0) });
	throw new Error(`process.exit(${code ?? ""}) was called: the program ends when its session has settled`);
};

let parts = [];
stdin.on("data", (data) => {
	for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10)) {
		const line = Buffer.concat([...parts, data.subarray(0, end)]);
		parts = [];
		data = data.subarray(end + 1);
		take(JSON.parse(line.toString("utf8")));
	}
	if (data.length > 0) parts.push(data);
});
stdin.on("end", () => exit(0));
send({ t: "up" });
