// How packages use Node's modules that are older than classes, or that change them.
import { EventEmitter } from "node:events";
import { Readable, Transform, Writable } from "node:stream";
import { createRequire } from "node:module";
import { spawn } from "node:child_process";
import util from "node:util";
import querystring from "node:querystring";

const require = createRequire(import.meta.url);

export default async function () {
	const values = [];
	function Old(name) { EventEmitter.call(this); this.name = name; }
	util.inherits(Old, EventEmitter);
	const old = new Old("old");
	old.on("x", (n) => values.push(n));
	values.push(old.emit("x", 1), old instanceof EventEmitter, old instanceof Old, EventEmitter.name);
	function Upper(options) { if (!(this instanceof Upper)) return new Upper(options); Transform.call(this, options); this.count = 0; }
	util.inherits(Upper, Transform);
	Upper.prototype._transform = function (chunk, encoding, done) { this.count++; done(null, String(chunk).toUpperCase()); };
	const upper = Upper({});
	upper.end("shout");
	let text = "";
	for await (const chunk of upper) text += chunk;
	values.push(text, upper.count, upper instanceof Readable, upper instanceof Transform);
	const mixed = Object.assign(() => "called", {});
	for (const name of Object.getOwnPropertyNames(EventEmitter.prototype)) if (name !== "constructor") Object.defineProperty(mixed, name, Object.getOwnPropertyDescriptor(EventEmitter.prototype, name));
	mixed.on("y", () => values.push("mixed"));
	values.push(mixed.emit("y"), mixed());
	class Sink extends Writable { constructor() { super(); this.got = []; } _write(chunk, encoding, done) { this.got.push(String(chunk)); done(); } }
	const sink = new Sink();
	sink.end("kept");
	await new Promise((resolve) => sink.on("finish", resolve));
	values.push(sink.got, sink.constructor === Sink, new EventEmitter().constructor === EventEmitter);

	const fs = require("node:fs"), { exists } = fs;
	values.push(fs === require("fs"), (await import("node:fs")).default === fs);
	fs.existsSync2 = () => "added";
	values.push(require("fs").existsSync2(), typeof exists, querystring.parse(null), querystring.parse("a=1&a=2").a);
	delete fs.existsSync2;

	const { Http2ServerRequest } = require("node:http2");
	values.push({} instanceof Http2ServerRequest, typeof class extends Http2ServerRequest {});
	const child = spawn("sh", ["-c", "exit 3"]);
	const closed = new Promise((resolve) => child.stdin.on("close", () => resolve(child.exitCode)));
	values.push(await closed);
	return values;
}
