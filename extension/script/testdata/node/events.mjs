import { EventEmitter, once } from "node:events";
import Default from "events";
export default async () => {
	const out = [];
	const e = new EventEmitter();
	e.on("x", (...a) => out.push(["on", ...a])).once("x", (...a) => out.push(["once", ...a])).prependListener("x", () => out.push("first"));
	out.push(e.emit("x", 1, 2), e.emit("x", 3), e.emit("none"), e.listenerCount("x"), e.eventNames());
	const p = once(e, "y"); e.emit("y", 5); out.push(await p, Default === EventEmitter);
	try { e.emit("error", new Error("boom")); } catch (err) { out.push(err.message); }
	const t = new EventTarget();
	t.addEventListener("a", (ev) => out.push([ev.type, ev.detail, ev.target === t]), { once: true });
	t.dispatchEvent(new CustomEvent("a", { detail: 7 })); t.dispatchEvent(new CustomEvent("a"));
	const c = new AbortController();
	c.signal.addEventListener("abort", () => out.push("abort " + c.signal.reason.name));
	c.abort(); c.abort(); out.push(c.signal.aborted);
	try { AbortSignal.abort("r").throwIfAborted(); } catch (r) { out.push(r); }
	const timed = AbortSignal.timeout(5); await new Promise((r) => timed.addEventListener("abort", r)); out.push(timed.reason.name);
	const either = AbortSignal.any([new AbortController().signal, c.signal]); out.push(either.aborted);
	class Sub extends EventEmitter { constructor() { super(); this.v = 1; } }
	out.push(new Sub().on("q", () => {}) instanceof Sub);
	return out;
};
