import util, { inspect, format, promisify, stripVTControlCharacters } from "node:util";
import { createHash, createHmac, randomUUID, randomBytes, timingSafeEqual } from "node:crypto";
import { gunzipSync, gzipSync, inflateSync, deflateSync } from "node:zlib";
import { setTimeout as wait } from "node:timers/promises";
import assert from "node:assert";
import { createRequire } from "node:module";
export default async () => {
	const out = [inspect({ a: 1, b: "x", c: [1, [2, [3, [4]]]], d: { e: { f: { g: 1 } } } }), inspect(new Map([["k", { v: 1 }]])), inspect([undefined, null, -0, 1n, "it's"]), format("%s is %d and %j %O%%", "x", 4.5, { a: 1 }, [1]), format("a", { b: 1 }), inspect(new Set([1])), inspect(Symbol("s")), inspect(() => {}), inspect(class A {}), inspect("x".repeat(3)), inspect({ "a-b": 1 }), inspect([]), inspect({})];
	out.push(createHash("sha256").update("a").update("b").digest("hex"), createHash("md5").update("x").digest("base64"), createHmac("sha1", "k").update("d").digest("hex"), /^[0-9a-f-]{36}$/.test(randomUUID()), randomBytes(8).length, timingSafeEqual(Buffer.from("a"), Buffer.from("a")));
	out.push(Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("ab"))).toString("hex"), crypto.getRandomValues(new Uint8Array(4)).length);
	out.push(gunzipSync(gzipSync("hello")).toString(), inflateSync(deflateSync(Buffer.from("x"))).toString(), await promisify((a, cb) => cb(null, a + 1))(1), stripVTControlCharacters("\x1b[31mred\x1b[0m"), await wait(2, "v"));
	assert.deepStrictEqual({ a: [1] }, { a: [1] }); assert.throws(() => assert.strictEqual(1, 2));
	out.push(util.isDeepStrictEqual([1], [2]), util.types.isPromise(Promise.resolve()), createRequire(import.meta.url)("node:path").sep, typeof process.version, process.argv.length > 0, typeof process.hrtime.bigint());
	out.push((1234567.891).toLocaleString(), (0.256).toLocaleString("en-US", { style: "percent" }), (5).toLocaleString("en-US", { style: "currency", currency: "USD" }), new Intl.NumberFormat("en-US", { notation: "compact" }).format(15300), new Intl.NumberFormat("en-US", { minimumFractionDigits: 2 }).format(3));
	const d = new Date(Date.UTC(2024, 0, 5, 15, 4, 9)); const tz = { timeZone: "UTC" };
	out.push(d.toLocaleString("en-US", tz), d.toLocaleDateString("en-US", tz), d.toLocaleTimeString("en-US", tz), d.toLocaleDateString("en-US", { ...tz, weekday: "short", month: "short", day: "numeric" }), d.toLocaleTimeString("en-US", { ...tz, hour: "2-digit", minute: "2-digit" }), d.toLocaleTimeString("en-US", { ...tz, hour12: false }), d.toLocaleDateString("en-US", { ...tz, dateStyle: "medium" }), d.toLocaleString("en-US", { ...tz, dateStyle: "full", timeStyle: "short" }), d.toLocaleDateString(undefined, { ...tz, year: "numeric", month: "long" }));
	out.push(["b", "a", "B", "A", "ä", "z", "_", "1"].sort((a, b) => a.localeCompare(b)).join(""), ["a10", "a2"].sort(new Intl.Collator("en", { numeric: true }).compare), [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment("a👨‍👩‍👧é")].map((s) => [s.segment, s.index]), [...new Intl.Segmenter("en", { granularity: "word" }).segment("Hi, you.")].map((s) => [s.segment, s.isWordLike]));
	return out;
};
