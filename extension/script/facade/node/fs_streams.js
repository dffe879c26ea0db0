// Files as streams.
import { hostAsync } from "rondo:host";
import { Readable, Writable } from "node:stream";
import { descriptors, encodingOf, pathOf } from "./fs_shared.js";

const ask = async (name, ...args) => { const { op, send, made } = descriptors[name]; return made(await hostAsync(op, send(...args)), ...args); };

// opening gives a stream its descriptor: the one that was handed over, or that of the path.
function opening(stream, path, options, flags) {
	stream.path = path === null || path === undefined || typeof options.fd === "number" ? path : pathOf(path);
	stream.flags = flags;
	stream.pending = true;
	const given = options.fd?.fd ?? options.fd;
	const fd = typeof given === "number" ? Promise.resolve(given) : ask("open", path, flags, options.mode);
	return fd.then((n) => {
		stream.fd = n;
		stream.pending = false;
		stream.emit("open", n);
		stream.emit("ready");
		return n;
	});
}

const closing = (stream, open, options) => (error, done) => {
	open.then((fd) => (options.autoClose === false ? undefined : ask("close", fd)), () => {}).then(() => { stream.fd = null; done(error); }, () => done(error));
};

export class ReadStream extends Readable {
	bytesRead = 0;
	constructor(path, options) {
		const settings = typeof options === "string" ? { encoding: options } : (options ?? {});
		super({});
		const size = settings.highWaterMark ?? 65536, end = settings.end ?? Infinity;
		let at = settings.start ?? -1;
		const open = opening(this, path, settings, settings.flags ?? "r");
		this._read = async () => {
			try {
				const fd = await open;
				const length = Math.min(size, end - (at < 0 ? this.bytesRead : at) + 1);
				const into = Buffer.alloc(Math.max(0, length));
				const n = length > 0 ? await ask("read", fd, into, 0, length, at < 0 ? null : at) : 0;
				if (at >= 0) at += n;
				this.bytesRead += n;
				this.push(n === 0 ? null : into.subarray(0, n));
			} catch (error) {
				this.destroy(error);
			}
		};
		this._destroy = closing(this, open, settings);
		open.catch((error) => this.destroy(error));
		const encoding = encodingOf(settings);
		if (encoding) this.setEncoding(encoding);
	}
	close(done) { if (done) this.once("close", () => done(null)); this.destroy(); }
}

export class WriteStream extends Writable {
	bytesWritten = 0;
	constructor(path, options) {
		const settings = typeof options === "string" ? { encoding: options } : (options ?? {});
		super({ defaultEncoding: encodingOf(settings) ?? "utf8" });
		let at = settings.start ?? -1;
		const open = opening(this, path, settings, settings.flags ?? "w");
		this._write = (chunk, encoding, done) => {
			open.then((fd) => ask("write", fd, chunk, 0, chunk.byteLength, at < 0 ? null : at)).then((n) => {
				if (at >= 0) at += n;
				this.bytesWritten += n;
				done();
			}, done);
		};
		this._final = (done) => { open.then(() => done(), done); };
		this._destroy = closing(this, open, settings);
		open.catch((error) => this.destroy(error));
	}
	close(done) { if (done) this.once("close", () => done(null)); if (this.writableEnded) this.destroy(); else this.end(); }
}

export const createReadStream = (path, options) => new ReadStream(path, options);
export const createWriteStream = (path, options) => new WriteStream(path, options);
