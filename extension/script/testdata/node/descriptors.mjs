// Open files: by number, by handle, as streams, and as the output of programs.
import fs from "node:fs";
import fsp from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

export default async function () {
	const values = [];
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), "fd-"));
	const at = (name) => path.join(dir, name);
	const fd = fs.openSync(at("a"), "w+");
	values.push(fs.writeSync(fd, "hello world"), fs.writeSync(fd, Buffer.from("HELLO"), 1, 3, 6));
	const into = Buffer.alloc(5);
	values.push(fs.readSync(fd, into, 0, 5, 6), into.toString(), fs.fstatSync(fd).size);
	fs.ftruncateSync(fd, 4);
	fs.fsyncSync(fd);
	values.push(fs.readFileSync(at("a"), "utf8"));
	fs.closeSync(fd);
	try { fs.closeSync(fd); } catch (error) { values.push(error.code); }
	try { fs.openSync(at("a"), "wx"); } catch (error) { values.push(error.code); }
	try { fs.openSync(at("none"), "r+"); } catch (error) { values.push(error.code, error.syscall); }
	const numbered = fs.openSync(at("b"), fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_APPEND, 0o600);
	fs.writeFileSync(numbered, "one ");
	fs.appendFileSync(numbered, "two");
	fs.closeSync(numbered);
	values.push(fs.readFileSync(at("b"), "utf8"), fs.statSync(at("b")).mode & 0o777);
	const both = fs.openSync(at("b"));
	values.push(fs.readFileSync(both, "utf8"), fs.readFileSync(both, "utf8"));
	fs.closeSync(both);

	const handle = await fsp.open(at("c"), "w+");
	values.push((await handle.write("abcdef")).bytesWritten);
	const { bytesRead, buffer } = await handle.read(Buffer.alloc(3), 0, 3, 2);
	values.push(bytesRead, buffer.toString(), (await handle.stat()).isFile());
	await handle.close();
	const lines = await fsp.open(at("b"));
	const read = [];
	for await (const line of lines.readLines()) read.push(line);
	values.push(read);
	const whole = await fsp.open(at("c"));
	values.push(await whole.readFile("utf8"), await fsp.readFile(await fsp.open(at("b")), "utf8"));
	await whole.close();

	const out = fs.createWriteStream(at("d"), { flags: "a" });
	await once(out, "open");
	values.push(typeof out.fd);
	out.write("x");
	out.end("yz");
	await once(out, "close");
	values.push(out.bytesWritten, fs.readFileSync(at("d"), "utf8"));
	const part = fs.createReadStream(at("c"), { start: 1, end: 3, encoding: "utf8" });
	let text = "";
	for await (const chunk of part) text += chunk;
	values.push(text);
	const [failed] = await once(fs.createReadStream(at("none")), "error");
	values.push(failed.code);

	const log = fs.openSync(at("log"), "a");
	await once(spawn("sh", ["-c", "echo out; echo err >&2"], { stdio: ["ignore", log, log] }), "close");
	values.push(spawnSync("sh", ["-c", "echo more"], { stdio: ["ignore", log, "pipe"] }).status);
	fs.closeSync(log);
	values.push(fs.readFileSync(at("log"), "utf8"));

	fs.mkdirSync(at("tree/inner"), { recursive: true });
	fs.writeFileSync(at("tree/keep"), "1");
	fs.writeFileSync(at("tree/skip"), "1");
	fs.symlinkSync("keep", at("tree/link"));
	fs.cpSync(at("tree"), at("copy"), { recursive: true, filter: (from) => !from.endsWith("skip") });
	const names = [];
	for await (const entry of await fsp.opendir(at("copy"))) names.push([entry.name, entry.isDirectory(), entry.isSymbolicLink()]);
	values.push(names.sort());
	const dirSync = fs.opendirSync(at("tree/inner"));
	values.push(dirSync.readSync());
	dirSync.closeSync();
	await promisify(fs.cp)(at("b"), at("tree/keep"));
	values.push(fs.readFileSync(at("tree/keep"), "utf8"));
	values.push((await promisify(fs.open)(at("a"), "r")) > 2);
	fs.rmSync(dir, { recursive: true });
	return values;
}
