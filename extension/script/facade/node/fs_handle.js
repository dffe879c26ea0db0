// An open file, as fs/promises gives it.
import { hostAsync } from "rondo:host";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { descriptors, encodingOf } from "./fs_shared.js";

const ask = async (name, ...args) => { const { op, send, made } = descriptors[name]; return made(await hostAsync(op, send(...args)), ...args); };

export class FileHandle extends EventEmitter {
	constructor(fd) {
		super();
		this.fd = fd;
	}
	async read(buffer, ...rest) {
		if (buffer === undefined || (buffer !== null && typeof buffer === "object" && !ArrayBuffer.isView(buffer))) {
			const { buffer: given, offset, length, position } = buffer ?? {};
			[buffer, rest] = [given ?? Buffer.alloc(16384), [{ offset, length, position }]];
		}
		return { bytesRead: await ask("read", this.fd, buffer, ...rest), buffer };
	}
	async write(buffer, ...rest) { return { bytesWritten: await ask("write", this.fd, buffer, ...rest), buffer }; }
	async readFile(options) {
		const parts = [];
		for (;;) {
			const part = Buffer.alloc(65536);
			const n = await ask("read", this.fd, part);
			if (n === 0) break;
			parts.push(part.subarray(0, n));
		}
		const all = Buffer.concat(parts), encoding = encodingOf(options);
		return encoding ? all.toString(encoding) : all;
	}
	async writeFile(data, options) { await ask("write", this.fd, typeof data === "string" ? Buffer.from(data, encodingOf(options) ?? "utf8") : data); }
	appendFile(data, options) { return this.writeFile(data, options); }
	async writev(views, position) { let n = 0; for (const view of views) n += await ask("write", this.fd, view, 0, view.byteLength, typeof position === "number" ? position + n : null); return { bytesWritten: n, buffers: views }; }
	stat() { return ask("fstat", this.fd); }
	truncate(length) { return ask("ftruncate", this.fd, length); }
	sync() { return ask("fsync", this.fd); }
	datasync() { return ask("fsync", this.fd); }
	chmod(mode) { return ask("fchmod", this.fd, mode); }
	utimes(atime, mtime) { return ask("futimes", this.fd, atime, mtime); }
	async close() {
		if (this.fd < 0) return;
		const { fd } = this;
		this.fd = -1;
		await ask("close", fd);
		this.emit("close");
	}
	createReadStream(options = {}) {
		const handle = this;
		let at = options.start ?? -1;
		const end = options.end ?? Infinity;
		const stream = new Readable({
			async read() {
				try {
					const want = Math.min(options.highWaterMark ?? 65536, at < 0 ? Infinity : end - at + 1);
					const { bytesRead, buffer } = want <= 0 ? { bytesRead: 0 } : await handle.read(Buffer.alloc(want), 0, want, at < 0 ? null : at);
					if (at >= 0) at += bytesRead;
					this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
				} catch (error) {
					this.destroy(error);
				}
			},
			destroy(error, done) { (options.autoClose === false ? Promise.resolve() : handle.close()).then(() => done(error), () => done(error)); },
		});
		if (encodingOf(options)) stream.setEncoding(encodingOf(options));
		return stream;
	}
	createWriteStream(options = {}) {
		const handle = this;
		return new Writable({
			write(chunk, encoding, done) { handle.write(chunk).then(() => done(), done); },
			destroy(error, done) { (options.autoClose === false ? Promise.resolve() : handle.close()).then(() => done(error), () => done(error)); },
		});
	}
	readLines(options) { return __rondo.require("node:readline").createInterface({ input: this.createReadStream(options) }); }
	[Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { return this.close(); }
}
