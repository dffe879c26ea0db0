import { Readable, Writable, Transform, PassThrough, pipeline } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
export default async () => {
	const out = [];
	const chunks = []; for await (const c of Readable.from(["a", "b"])) chunks.push(c); out.push(chunks);
	const t = new Transform({ transform(c, e, cb) { cb(null, c.toString().toUpperCase()); } });
	const got = []; const w = new Writable({ write(c, e, cb) { got.push(c.toString()); cb(); } });
	await new Promise((resolve, reject) => pipeline(Readable.from(["x", "y"]), t, w, (e) => (e ? reject(e) : resolve()))); out.push(got);
	const p = new PassThrough(); p.setEncoding("utf8"); let text = ""; p.on("data", (d) => { text += d; }); const end = new Promise((r) => p.on("end", r)); p.write("é"); p.end("!"); await end; out.push(text);
	const r = new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("web")); c.close(); } });
	let s = ""; for await (const part of r.pipeThrough(new TextDecoderStream())) s += part; out.push(s);
	const res = new Response(JSON.stringify({ a: 1 }), { status: 201, headers: { "X-A": "1" } }); out.push(res.ok, res.status, await res.clone().json(), res.headers.get("x-a"), res.headers.get("content-type"), await res.text(), res.bodyUsed);
	const h = new Headers({ b: "2", A: "1" }); h.append("a", "3"); out.push([...h]);
	out.push(await (await fetch("data:text/plain,hi%20there")).text(), await new Blob(["a", new Uint8Array([98])]).text());
	try { await fetch("http://127.0.0.1:1/"); } catch (e) { out.push(e.name); }
	await tick();
	const err = new Readable({ read() { this.destroy(new Error("bad")); } }); out.push(await new Promise((resolve) => err.on("error", (e) => resolve(e.message)).resume()));
	const order = []; setTimeout(() => order.push("t"), 0); setImmediate(() => order.push("i")); process.nextTick(() => order.push("n")); queueMicrotask(() => order.push("m")); await new Promise((resolve) => setTimeout(resolve, 20)); out.push(order.sort().join(""));
	let n = 0; const iv = setInterval(() => { if (++n === 3) clearInterval(iv); }, 1); await new Promise((resolve) => setTimeout(resolve, 40)); out.push(n);
	return out;
};
