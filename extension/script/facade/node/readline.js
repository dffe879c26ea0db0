import { EventEmitter } from "node:events";

export class Interface extends EventEmitter {
	closed = false;
	constructor({ input, output } = {}) {
		super();
		this.input = input;
		this.output = output;
		let rest = "";
		const decoder = new TextDecoder();
		const lines = (text) => {
			const all = (rest + text).split(/\r\n|\n|\r(?!$)/);
			rest = all.pop();
			for (const line of all) this.emit("line", line.replace(/\r$/, ""));
		};
		queueMicrotask(() => {
			input?.on("data", (chunk) => lines(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })));
			input?.on("end", () => {
				if (rest !== "") this.emit("line", rest.replace(/\r$/, ""));
				rest = "";
				this.close();
			});
			input?.on("error", (error) => { if (this.listenerCount("error") > 0) this.emit("error", error); else this.close(); });
		});
	}
	question(text, options, done = options) {
		this.output?.write(text);
		this.once("line", done);
	}
	setPrompt(text) { this.text = text; }
	getPrompt() { return this.text ?? "> "; }
	prompt() { this.output?.write(this.text ?? "> "); }
	write() {}
	pause() { this.input?.pause?.(); return this; }
	resume() { this.input?.resume?.(); return this; }
	close() {
		if (this.closed) return;
		this.closed = true;
		this.emit("close");
	}
	async *[Symbol.asyncIterator]() {
		const queue = [];
		let wake = () => {}, over = this.closed;
		this.on("line", (line) => { queue.push(line); wake(); });
		this.on("close", () => { over = true; wake(); });
		for (;;) {
			while (queue.length > 0) yield queue.shift();
			if (over) return;
			await new Promise((resolve) => { wake = resolve; });
		}
	}
}
export const createInterface = (input, output) => new Interface(input?.input ? input : { input, output });
export const clearLine = (out) => { out.write("\x1b[2K"); return true; };
export const cursorTo = (out, x, y) => { out.write(typeof y === "number" ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`); return true; };
export const clearScreenDown = (out) => { out.write("\x1b[0J"); return true; };
export const moveCursor = (out, dx, dy) => { out.write((dx ? `\x1b[${Math.abs(dx)}${dx > 0 ? "C" : "D"}` : "") + (dy ? `\x1b[${Math.abs(dy)}${dy > 0 ? "B" : "A"}` : "")); return true; };
export const emitKeypressEvents = () => {};
export const promises = { createInterface: (options) => { const i = new Interface(options); const ask = i.question.bind(i); i.question = (text) => new Promise((resolve) => ask(text, resolve)); return i; }, Interface };
export default { Interface, createInterface, clearLine, clearScreenDown, moveCursor, cursorTo, emitKeypressEvents, promises };
