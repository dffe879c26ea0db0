// Errors, and what packages ask of Node when they are loaded.
import * as channels from "node:diagnostics_channel";
import { constants } from "node:http2";

class Own extends Error {
	constructor(message) { super(message); this.name = "Own"; }
}

function site() {
	const before = Error.prepareStackTrace;
	Error.prepareStackTrace = (_, sites) => sites;
	const holder = {};
	Error.captureStackTrace(holder);
	const { stack } = new Error("sites");
	const sites = [holder.stack, stack];
	Error.prepareStackTrace = before;
	return sites.map((list) => [Array.isArray(list), list[0].getFunctionName(), /errors\.mjs$|test\.ts$/.test(list[0].getFileName()), typeof list[0].getLineNumber(), list[0].isNative()]);
}

export default function run() {
	const out = [];
	const head = (e) => String(e.stack).split("\n")[0];
	out.push(head(new Error("one")), head(new TypeError("two\nlines")), head(new Own("three")), head(new Error()), head(new RangeError("four", { cause: 1 })), head(new AggregateError([1], "five")));
	out.push(Error("called").message, Error("called") instanceof Error, TypeError("x") instanceof TypeError, new Own("o") instanceof Own, new Own("o").constructor === Own, new Error("x").constructor === Error);
	out.push(Object.getPrototypeOf(TypeError) === Error, Object.prototype.toString.call(new Error("x")), Error.name, Error.length, TypeError.prototype.name, new Error("c", { cause: 7 }).cause, Object.keys(new Error("k")), JSON.stringify(new Own("j")));
	try { null.x; } catch (e) { out.push(e instanceof TypeError, e instanceof Error, e.constructor === TypeError); }
	try { throw new Own("thrown"); } catch (e) { out.push(String(e), e.stack.includes("    at ")); }
	const target = { name: "Target", message: "m" };
	Error.captureStackTrace(target);
	out.push(typeof target.stack, target.stack.includes("    at "));
	out.push(site());
	out.push(Intl.DateTimeFormat("en-US", { timeZone: "UTC" }).format(new Date(0)), Intl.NumberFormat("en-US").format(1234), typeof Intl.Collator().compare);
	const heard = [];
	const hear = (message, name) => heard.push([name, message]);
	const channel = channels.channel("rondo.test");
	out.push(channel.hasSubscribers, channels.channel("rondo.test") === channel, channel.name);
	channels.subscribe("rondo.test", hear);
	channel.publish({ a: 1 });
	out.push(channel.hasSubscribers, channels.hasSubscribers("rondo.test"), channels.unsubscribe("rondo.test", hear), channels.unsubscribe("rondo.test", hear));
	channel.publish({ a: 2 });
	const traced = channels.tracingChannel("rondo.work");
	traced.subscribe({ start: (m) => heard.push(["start", m.n]), end: (m) => heard.push(["end", m.n, m.result]) });
	out.push(traced.traceSync((x) => x + 1, { n: 1 }, null, 2), heard);
	out.push(Object.entries(constants).filter(([name]) => /^HTTP2_(HEADER|METHOD)_|^NGHTTP2_(CANCEL|NO_ERROR|REFUSED_STREAM)$/.test(name)).sort((a, b) => (a[0] < b[0] ? -1 : 1)));
	return out;
}
