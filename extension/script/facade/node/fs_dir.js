// A folder that is gone through.
export class Dir {
	#entries;
	#closed = false;
	constructor(path, entries) {
		this.path = path;
		this.#entries = entries;
	}
	readSync() {
		if (this.#closed) throw Object.assign(new Error("Directory handle was closed"), { code: "ERR_DIR_CLOSED" });
		return this.#entries.shift() ?? null;
	}
	read(done) {
		if (!done) return Promise.resolve().then(() => this.readSync());
		queueMicrotask(() => done(null, this.readSync()));
		return undefined;
	}
	closeSync() { this.readSync(); this.#closed = true; }
	close(done) {
		if (!done) return Promise.resolve().then(() => this.closeSync());
		queueMicrotask(() => { this.closeSync(); done(null); });
		return undefined;
	}
	async *[Symbol.asyncIterator]() {
		while (this.#entries.length > 0) yield this.#entries.shift();
		this.#closed = true;
	}
}
