// Cards of tool calls: what is called, how far it is, what came out.

import { el, draw, marks } from "./dom.js";
import { copy } from "./markdown.js";
import { show } from "./toolview.js";

// shownLines is how much of a long output is shown before it is asked for.
const shownLines = 200;

/** plain takes the colours and other sequences of terminals out of a text. */
export function plain(text) {
	return text.replace(/\x1b\[[0-9;:?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)?|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]/g, "");
}

/** textOf joins the texts of a message's content. */
export function textOf(content) {
	if (typeof content === "string") return content;
	return (content ?? []).filter((b) => b.type === "text").map((b) => b.text).join("");
}

/** images makes the images of a content. */
export function images(content) {
	if (!Array.isArray(content)) return [];
	return content.filter((b) => b.type === "image" && /^image\/(png|jpeg|gif|webp|bmp)$/.test(b.mimeType))
		.map((b) => el("img.picture", { src: `data:${b.mimeType};base64,${b.data}`, alt: "image", loading: "lazy" }));
}

/** Card is one tool call, from its first delta to its result. */
export class Card {
	constructor(id, name) {
		this.id = id;
		this.name = name ?? "";
		this.args = {};
		this.text = ""; // of arguments that are still arriving
		this.open = null; // what the person wants; null leaves it to the card
		this.what = el("span.what");
		this.subject = el("code.subject");
		this.status = el("span.status");
		this.body = el("div.body");
		this.head = el("summary.head", null, this.what, this.subject, this.status);
		this.root = el("details.card", { "data-call": id }, this.head, this.body);
		this.head.addEventListener("click", () => { this.open = !this.root.open; });
		this.set("writing");
	}

	/** set changes the state: writing, waiting, running, done or failed. */
	set(state) {
		this.state = state;
		this.root.dataset.state = state;
		this.#later();
	}

	/** grow adds to the text of the arguments. */
	grow(delta) {
		this.text += delta;
		this.#later();
	}

	called(name, args) {
		this.name = name;
		this.args = args ?? {};
		this.text = "";
		if (this.state === "writing") this.state = "waiting";
		this.#later();
	}

	progress(result) {
		this.partial = result;
		this.#later();
	}

	ended(result, isError, ms) {
		this.result = result;
		this.partial = null;
		this.state = isError ? "failed" : "done";
		if (ms != null) this.ms = ms;
		this.#later();
	}

	#later() { draw(this.redraw ??= () => this.#draw()); }

	#draw() {
		this.root.dataset.state = this.state;
		const shown = this.result ?? this.partial;
		const shows = show(this.name, this.args, shown, this.state === "failed");
		this.what.textContent = this.name || "tool";
		this.subject.textContent = marks(this.text && !Object.keys(this.args).length ? salvage(this.text) : shows.subject);
		this.subject.title = marks(shows.notes);
		this.status.textContent = { writing: "…", waiting: "waits", running: "runs", failed: "failed", done: "" }[this.state];
		if (this.ms >= 100 && this.state === "done") this.status.textContent = seconds(this.ms);
		this.body.replaceChildren(...this.#content(shown, shows));
		const wide = this.state === "failed" || this.state === "running" || shows.output === "note";
		this.root.open = this.open ?? (wide && this.body.childNodes.length > 0);
	}

	#content(result, shows) {
		const out = [];
		if (shows.input) out.push(["diff", "edits"].includes(shows.input.kind) ? diff(shows.input.text) : output(shows.input.text));
		const text = result ? plain(textOf(result.content)) : "";
		const said = this.state === "done" && shows.output === "note";
		if (text.trim() && !said) out.push(output(text.replace(/\n+$/, ""), this.state === "failed"));
		if (result) out.push(...images(result.content));
		return out;
	}
}

/** seconds writes a time. */
export const seconds = (ms) => (ms < 9950 ? (ms / 1000).toFixed(1) + " s" : ms < 60_000 ? Math.round(ms / 1000) + " s" : `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`);

// salvage shows arguments that are still arriving: the first, if it is a text.
function salvage(text) {
	const value = text.match(/^\s*\{\s*"[^"]*"\s*:\s*"((?:[^"\\]|\\.)*)/);
	const said = (value ? value[1] : text).replaceAll("\\n", " ").replaceAll('\\"', '"');
	return said.length > 160 ? said.slice(0, 159) + "…" : said;
}

/** output makes a box of text; a long one is cut in its middle until the rest is asked for. */
export function output(text, bad) {
	const lines = text.split("\n");
	const code = el("code");
	const box = el(bad ? "figure.code.bad" : "figure.code", null, copy(() => text), el("pre", { tabindex: "0" }, code));
	if (lines.length <= shownLines * 1.2) {
		code.textContent = marks(text);
		return box;
	}
	const half = shownLines / 2;
	const hidden = lines.length - shownLines;
	code.append(lines.slice(0, half).join("\n") + "\n", el("button.more.quiet", {
		type: "button", onclick: () => { code.textContent = marks(text); },
	}, `${hidden} more lines`), "\n" + lines.slice(-half).join("\n"));
	return box;
}

/** diff makes a box of lines that begin with a sign, and perhaps a number. */
export function diff(text) {
	const lines = text.replace(/\n$/, "").split("\n");
	const count = { "+": 0, "-": 0 };
	const rows = lines.map((line) => {
		const sign = line[0];
		if (sign in count) count[sign]++;
		const kind = sign === "+" ? "i" : sign === "-" ? "d" : /^\s*\.\.\.$/.test(line) ? "e" : "s";
		return el("span." + kind, null, line + "\n");
	});
	return el("figure.diff", { "aria-label": `${count["+"]} lines added, ${count["-"]} removed` }, el("pre", { tabindex: "0" }, el("code", null, rows)));
}
