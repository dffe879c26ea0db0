// What Go calls: loading, events, commands, tools, shortcuts and the functions that extensions
// hand over.
import { entry, load } from "rondo:host";
import { extensionAPI } from "./api.js";
import { abort, ask, forget, run, signalOf } from "./calls.js";
import { call as callFunction, get as getFunction } from "rondo:functions";
import { dropListeners } from "./bus.js";
import { commandContext, extensionContext } from "./context.js";
import { Writer } from "./session.js";
import "./components.js";
import { loginCallbacks } from "./provider.js";

// load runs an extension's module and its factory.
entry("load", async ({ x, path }) => {
	const module = await load(path);
	let factory = module.default;
	if (typeof factory !== "function" && typeof factory?.default === "function") factory = factory.default;
	if (typeof factory !== "function") throw new Error("the extension has no default export that is a function: export default function (pi) { … }");
	await run({ x, c: 0 }, () => factory(extensionAPI(x)));
});

// The last event stays, since the handlers of one event get the same object.
let last = null;

// Fields that are too large to be sent each time are asked for when a handler looks at them.
function lazily(x, c, event) {
	let message;
	const get = () => (message ??= ask("lazy", x, { c, field: "message" }));
	Object.defineProperty(event, "message", { enumerable: true, configurable: true, get });
	if (event.assistantMessageEvent) Object.defineProperty(event.assistantMessageEvent, "partial", { enumerable: true, configurable: true, get });
	return event;
}

// Events that may take long have a signal.
const signals = new Set(["session_before_compact", "session_before_tree"]);

// complete makes what JSON cannot hold.
function complete(event) {
	const ops = event.preparation?.fileOps;
	if (ops) for (const key of ["read", "written", "edited"]) ops[key] = new Set(ops[key] ?? []);
	return event;
}

// copy keeps what a field of an event was, and same tells whether it is so still. Both are far
// cheaper than JSON where the texts are long, since these stay as they are.
function copy(value) {
	if (value === null || typeof value !== "object") return value;
	if (Array.isArray(value)) return value.map(copy);
	const out = {};
	for (const key of Object.keys(value)) out[key] = copy(value[key]);
	return out;
}

function same(was, is) {
	if (was === is) return true;
	if (was === null || is === null || typeof was !== "object" || typeof is !== "object") return false;
	if (Array.isArray(was) !== Array.isArray(is)) return false;
	const keys = Object.keys(was);
	return keys.length === Object.keys(is).length && keys.every((key) => Object.hasOwn(is, key) && same(was[key], is[key]));
}

// event calls a handler: h its number, e the event or null for the one before, m the name of
// the field that may be changed in place.
entry("event", ({ x, c, h, m, l, e }) => {
	if (e !== null) last = complete(l ? lazily(x, c, e) : e);
	if (signals.has(last.type)) Object.defineProperty(last, "signal", { configurable: true, get: () => signalOf(c) });
	const event = last;
	const before = m ? copy(event[m]) : undefined;
	const answer = (result) => {
		const out = {};
		if (result !== undefined && result !== null) {
			if (event.type === "user_bash" && result.operations) {
				out.exec = getFunction((command, cwd, options) => result.operations.exec(command, cwd, options));
				if (result.result) out.r = { result: result.result };
			} else if ((typeof result === "object" && !Array.isArray(result)) || event.type === "before_provider_request") {
				out.r = result;
			}
		}
		if (m && !same(before, event[m])) out.m = event[m] === undefined ? null : event[m];
		return out.r === undefined && out.m === undefined && out.exec === undefined ? undefined : out;
	};
	const result = run({ x, c }, () => callFunction(h, event, extensionContext(x, c)));
	return result !== null && typeof result === "object" && typeof result.then === "function" ? result.then(answer) : answer(result);
});

// done drops what a function returns.
const done = (value) => (typeof value?.then === "function" ? value.then(() => undefined) : undefined);

entry("command", ({ x, c, h, args }) => done(run({ x, c }, () => callFunction(h, args, commandContext(x, c)))));

entry("withSession", ({ x, c, h }) => done(run({ x, c }, () => callFunction(h, commandContext(x, c)))));

entry("setup", ({ x, c, h, w }) => done(run({ x, c }, () => callFunction(h, new Writer(w)))));

entry("shortcut", ({ x, c, h }) => done(run({ x, c }, () => callFunction(h, extensionContext(x, c)))));

// function calls one that an extension has handed over, with plain values.
entry("function", ({ x, c, h, args }) => run({ x, c }, () => callFunction(h, ...args)));

entry("tool.prepare", ({ x, h, args }) => run({ x, c: 0 }, () => callFunction(h, args)));

entry("tool.execute", ({ x, c, h, id, params }) => {
	const onUpdate = (partial) => run({ x, c }, () => ask("toolUpdate", x, { partial }));
	return run({ x, c }, () => callFunction(h, id, params, signalOf(c), onUpdate, extensionContext(x, c)));
});

// bash runs a command with operations that an extension has given.
entry("bash", async ({ x, c, h, command, cwd, timeout, env }) => {
	const options = {
		onData: (data) => run({ x, c }, () => ask("bashData", x, { data: Buffer.from(data).toString("base64") })),
		signal: signalOf(c),
		timeout,
		env,
	};
	const result = await run({ x, c }, () => callFunction(h, command, cwd, options));
	return { exitCode: result?.exitCode ?? null };
});

// stream asks a model through an extension: its events go to Go one by one, without the
// message so far, which Go builds itself.
entry("stream", async ({ x, c, h, model, context, options }) => {
	const stream = await run({ x, c }, () => callFunction(h, model, context, { ...options, signal: signalOf(c) }));
	for await (const { partial, ...event } of stream) {
		if (event.type === "toolcall_start" && partial) {
			const block = partial.content[event.contentIndex];
			Object.assign(event, { id: block?.id, name: block?.name });
		}
		run({ x, c }, () => ask("streamEvent", x, { event }));
	}
});

// login lets an extension log in to its provider.
entry("login", ({ x, c, h, n }) => run({ x, c }, () => callFunction(h, loginCallbacks(x, c, n, signalOf(c)))));

entry("abort", ({ c }) => { abort(c); });
entry("over", ({ c }) => { forget(c); });

// drop takes back what a factory that failed has left in this machine.
entry("drop", ({ x }) => { dropListeners(x); });
