// console: lines go to the host's log, never to the program's output.
import { log } from "rondo:host";
import { format, inspect } from "rondo:inspect";

const counts = new Map();
const times = new Map();
let indent = "";
const write = (text) => { for (const line of text.split("\n")) log(indent + line); };
const line = (...args) => write(format(...args));

export const console = {
	log: line,
	info: line,
	debug: line,
	warn: line,
	error: line,
	trace: (...args) => write("Trace: " + format(...args) + "\n" + new Error().stack),
	dir: (value, options) => write(inspect(value, options)),
	assert: (condition, ...args) => { if (!condition) line("Assertion failed" + (args.length ? ":" : ""), ...args); },
	table: (value) => write(inspect(value)),
	group: (...args) => { if (args.length) line(...args); indent += "  "; },
	groupCollapsed: (...args) => console.group(...args),
	groupEnd: () => { indent = indent.slice(2); },
	count: (label = "default") => { counts.set(label, (counts.get(label) ?? 0) + 1); line(`${label}: ${counts.get(label)}`); },
	countReset: (label = "default") => { counts.delete(label); },
	time: (label = "default") => { times.set(label, performance.now()); },
	timeLog: (label = "default") => line(`${label}: ${(performance.now() - (times.get(label) ?? performance.now())).toFixed(3)}ms`),
	timeEnd: (label = "default") => { console.timeLog(label); times.delete(label); },
	clear: () => {},
	dirxml: (...args) => line(...args),
	timeStamp: () => {},
	profile: () => {},
	profileEnd: () => {},
};

// A console of a program's own, over streams.
console.Console = class Console {
	constructor(out, err = out) {
		const { stdout, stderr } = out?.write ? { stdout: out, stderr: err } : { stdout: out.stdout, stderr: out.stderr ?? out.stdout };
		Object.assign(this, console);
		for (const name of ["log", "info", "debug"]) this[name] = (...args) => { stdout.write(format(...args) + "\n"); };
		for (const name of ["warn", "error"]) this[name] = (...args) => { stderr.write(format(...args) + "\n"); };
	}
};
