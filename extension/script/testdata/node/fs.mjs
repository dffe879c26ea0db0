import fs, { existsSync, readFileSync, writeFileSync, mkdirSync, readdirSync, statSync, appendFileSync, rmSync, renameSync, copyFileSync, mkdtempSync } from "node:fs";
import { readFile, writeFile, mkdtemp, access, stat } from "fs/promises";
import os from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
export default async () => {
	const out = [];
	const dir = await mkdtemp(join(os.tmpdir(), "case-"));
	const f = join(dir, "a.txt");
	writeFileSync(f, "eins\n");
	appendFileSync(f, "zwei €\nlast");
	out.push(readFileSync(f, "utf8"), readFileSync(f).length, readFileSync(f, { encoding: "base64" }), existsSync(f), existsSync(dir + "/none"));
	mkdirSync(join(dir, "x/y"), { recursive: true });
	await writeFile(join(dir, "x/y/b.bin"), Buffer.from([0, 255]));
	out.push(readdirSync(dir), readdirSync(dir, { withFileTypes: true }).map((e) => [e.name, e.isFile(), e.isDirectory()]), readdirSync(dir, { recursive: true }));
	const s = statSync(f); out.push(s.size, s.isFile(), s.isDirectory(), s.mtime instanceof Date, typeof s.mtimeMs, (s.mode & 0o170000) === 0o100000);
	for (const go of [() => readFileSync(join(dir, "none")), () => readdirSync(join(dir, "none")), () => statSync(join(dir, "none")), () => mkdirSync(dir), () => readFileSync(dir), () => rmSync(join(dir, "x")), () => fs.rmdirSync(join(dir, "x")), () => fs.unlinkSync(join(dir, "none")), () => writeFileSync(f, "x", { flag: "wx" }), () => readFileSync({})]) {
		try { go(); out.push("no error"); } catch (e) { out.push([e.code, e.syscall ?? null, e instanceof Error]); }
	}
	out.push(statSync(join(dir, "none"), { throwIfNoEntry: false }) === undefined);
	renameSync(f, f + "2"); copyFileSync(f + "2", f); out.push(await readFile(f, { encoding: "utf-8" }));
	try { await access(dir + "/none"); } catch (e) { out.push(e.code); }
	out.push(await new Promise((r) => fs.readFile(f, "utf8", (e, t) => r([e, t]))), (await stat(f)).size, fs.constants.R_OK);
	const lines = []; for await (const line of createInterface({ input: fs.createReadStream(f) })) lines.push(line);
	out.push(lines);
	const w = fs.createWriteStream(join(dir, "w.txt")); w.write("a"); w.end("b"); await new Promise((r) => w.on("finish", r)); out.push(readFileSync(join(dir, "w.txt"), "utf8"));
	const fd = fs.openSync(f, "r"); const b = Buffer.alloc(4); out.push(fs.readSync(fd, b, 0, 4, 0), b.toString()); fs.closeSync(fd);
	await fs.promises.rm(dir, { recursive: true }); out.push(existsSync(dir));
	rmSync(dir, { force: true });
	return out;
};
