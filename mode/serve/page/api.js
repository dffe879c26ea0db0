// The way to the server: requests, and streams of events that come back by themselves.

/** Failure is an answer that says no. Its message is for people. */
export class Failure extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

let onSignedOut = () => {};

/** whenSignedOut sets what is called when the server does not know this browser (any more). */
export function whenSignedOut(fn) { onSignedOut = fn; }

/**
 * request asks the server and returns the JSON of its answer. It throws a Failure for an answer
 * that says no, and a TypeError if there is none.
 */
export async function request(method, path, body, signal) {
	const init = { method, signal, headers: {}, credentials: "same-origin", cache: "no-store" };
	if (body !== undefined) {
		init.headers["Content-Type"] = "application/json";
		init.body = JSON.stringify(body);
	}
	const answer = await fetch(path, init);
	let data = null;
	try {
		data = await answer.json();
	} catch {
		// what is said below is all that is known
	}
	if (answer.ok) return data;
	if (answer.status === 401 && path !== "/sign-in") onSignedOut();
	throw new Failure(answer.status, data?.error ?? `The server answered ${answer.status}.`);
}

const sleep = (ms, signal) => new Promise((done) => {
	const timer = setTimeout(done, ms);
	signal?.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
});

/**
 * insist sends a message until the server has said something to it. The message has an id, so
 * that it is taken once, however often it is sent.
 */
export async function insist(path, body, onTrouble) {
	for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
		try {
			return await request("POST", path, body);
		} catch (error) {
			if (error instanceof Failure && error.status !== 503) throw error;
			onTrouble();
			await sleep(wait);
		}
	}
}

/** newID returns an id that no other message has. */
export function newID() {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

// silence is how long a stream may bring nothing, not even a comment, before it counts as dead.
const silence = 40_000;

/**
 * Stream follows the events at a path. It comes back by itself when the connection is lost, and
 * goes on after the last event that it has had.
 */
export class Stream {
	#path;
	#on;
	#lastID = "";
	#attempt = null; // the AbortController of the connection
	#stopped = false;
	#paused = false;
	#wake = () => {};

	/** on has event(data), state("open" | "lost" | "gone") and failed(Failure). */
	constructor(path, on) {
		this.#path = path;
		this.#on = on;
		this.#run();
	}

	/** stop ends the stream for good. */
	stop() {
		this.#stopped = true;
		this.#attempt?.abort();
		this.#wake();
	}

	/** pause gives the connection back until resume is called. Nothing is lost. */
	pause() {
		this.#paused = true;
		this.#attempt?.abort();
	}

	resume() {
		this.#paused = false;
		this.#wake();
	}

	/** suspect gives a connection up that may be dead without a sign of it, and comes back. */
	suspect() { this.#attempt?.abort(); }

	/** retry comes back now, if it is waiting for that. */
	retry() { this.#wake(); }

	async #run() {
		for (let wait = 400; !this.#stopped;) {
			if (!this.#paused) {
				const began = performance.now();
				const verdict = await this.#connect();
				if (verdict === "over" || this.#stopped) return;
				if (this.#paused) continue;
				this.#on.state("lost");
				if (performance.now() - began > 5000) wait = 400;
			}
			const woken = new Promise((done) => { this.#wake = done; });
			await (this.#paused ? woken : Promise.race([woken, sleep(wait * (0.75 + Math.random() / 2))]));
			wait = Math.min(wait * 1.8, 8000);
		}
	}

	// #connect follows one connection to its end; "over" says that there is no use in another.
	async #connect() {
		const attempt = this.#attempt = new AbortController();
		let watch;
		const alive = () => {
			clearTimeout(watch);
			watch = setTimeout(() => attempt.abort(), silence);
		};
		try {
			alive();
			const headers = { Accept: "text/event-stream" };
			if (this.#lastID) headers["Last-Event-ID"] = this.#lastID;
			const answer = await fetch(this.#path, { headers, signal: attempt.signal, credentials: "same-origin", cache: "no-store" });
			if (!answer.ok) return await this.#refused(answer);
			this.#on.state("open");
			const parse = parser((id, data) => {
				if (id) this.#lastID = id;
				this.#on.event(JSON.parse(data));
			});
			const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
			for (;;) {
				const { done, value } = await reader.read();
				if (done) return "";
				alive();
				parse(value);
			}
		} catch (error) {
			if (!(error instanceof TypeError) && error.name !== "AbortError") console.error(error);
			return "";
		} finally {
			clearTimeout(watch);
			attempt.abort(); // an error in what events are for must not leave the connection behind
		}
	}

	async #refused(answer) {
		const message = (await answer.json().catch(() => null))?.error ?? `The server answered ${answer.status}.`;
		if (answer.status === 401) onSignedOut();
		if (answer.status < 500) this.#on.failed(new Failure(answer.status, message));
		return answer.status < 500 && answer.status !== 409 ? "over" : ""; // what conflicts now may not later
	}
}

/** parser returns a function that takes pieces of a stream and yields events' ids and data. */
export function parser(yieldEvent) {
	let rest = "", id = "", data = [];
	const line = (text) => {
		if (text === "") {
			if (data.length) yieldEvent(id, data.join("\n"));
			id = "";
			data = [];
		} else if (text.startsWith("data:")) {
			data.push(text.slice(text[5] === " " ? 6 : 5));
		} else if (text.startsWith("id:")) {
			id = text.slice(3).trim();
		}
	};
	return (piece) => {
		let from = 0;
		for (let end; (end = piece.indexOf("\n", from)) >= 0; from = end + 1) {
			line(rest + piece.slice(from, end));
			rest = "";
		}
		rest += piece.slice(from);
	};
}
