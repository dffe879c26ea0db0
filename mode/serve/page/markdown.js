// Markdown as models write it, made into elements. It is a small part of Markdown, and safe: the
// text becomes text nodes, links lead to http, https and mailto alone, and there are no images.

import { el, marks } from "./dom.js";

/**
 * Growing shows a text that grows. What is complete is never drawn again: each redraw costs as
 * much as the block that grows, and an open block of code is only appended to.
 */
export class Growing {
	#root;
	#text = "";
	#stable = 0; // up to here the text is drawn for good
	#tail = []; // elements of the rest
	#code = null; // {node, at}: an open block of code, drawn up to at

	constructor(root) { this.#root = root; }

	/** set gives the text, which begins with the one before. */
	set(text) {
		if (!text.startsWith(this.#text)) {
			this.#root.replaceChildren();
			this.#stable = 0;
			this.#tail = [];
			this.#code = null;
		}
		this.#text = text;
		if (this.#code && !/\n {0,3}(```|~~~)/.test(text.slice(Math.max(this.#code.at - 4, 0)))) {
			this.#code.node.appendData(marks(text.slice(this.#code.at)));
			this.#code.at = text.length;
			return;
		}
		this.#code = null;
		for (const e of this.#tail) e.remove();
		const { blocks, open } = split(text.slice(this.#stable));
		const done = blocks.slice(0, -1);
		for (const b of done) this.#root.append(...render(b.lines));
		if (done.length) this.#stable += blocks.at(-1).start;
		this.#tail = blocks.length ? render(blocks.at(-1).lines) : [];
		this.#root.append(...this.#tail);
		if (open && this.#tail.length === 1) this.#code = { node: codeNode(this.#tail[0]), at: text.length };
	}
}

/** markdown returns the elements of a text. */
export function markdown(text) {
	const root = el("div.md");
	new Growing(root).set(text);
	return root;
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)/;

// split cuts a text into blocks at empty lines outside of code; open says that the last one is
// code whose end has not come.
function split(text) {
	const blocks = [];
	let current = null, inside = "", at = 0;
	const lines = text.split("\n");
	for (const [n, line] of lines.entries()) {
		const f = line.match(fence);
		if (inside) {
			current.lines.push(line);
			if (f && f[1][0] === inside[0] && f[1].length >= inside.length && !f[2]) { inside = ""; current = null; }
		} else if (f) {
			blocks.push(current = { start: at, lines: [line] });
			inside = f[1];
		} else if (line.trim() === "" && !continues(current, lines, n)) {
			current = null;
		} else {
			if (!current) blocks.push(current = { start: at, lines: [] });
			current.lines.push(line);
		}
		at += line.length + 1;
	}
	return { blocks, open: inside !== "" && blocks.at(-1).lines.length > 1 };
}

// continues reports whether a block goes on behind an empty line: a list does with its next
// item, and with what is indented.
function continues(block, lines, n) {
	if (!block || !item.test(block.lines[0])) return false;
	while (n < lines.length && lines[n].trim() === "") n++;
	return n < lines.length && (/^\s{2,}/.test(lines[n]) || item.test(lines[n]));
}

const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

// render makes the elements of one block.
function render(lines) {
	if (fence.test(lines[0])) return [code(lines)];
	if (lines.length > 1 && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[1]) && lines[0].includes("|")) return [table(lines)];
	const out = [];
	let text = [];
	const end = () => {
		if (text.length) out.push(el("p", null, inline(text.join("\n"))));
		text = [];
	};
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i];
		const h = line.match(/^ {0,3}(#{1,6})\s+(.*?)\s*#*$/);
		if (h) {
			end();
			out.push(el("h" + Math.min(h[1].length + 1, 6), null, inline(h[2])));
		} else if (/^ {0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
			end();
			out.push(el("hr"));
		} else if (/^ {0,3}>/.test(line)) {
			end();
			const quoted = [];
			while (i < lines.length && /^ {0,3}>/.test(lines[i])) quoted.push(lines[i++].replace(/^ {0,3}> ?/, ""));
			i--;
			out.push(el("blockquote", null, split(quoted.join("\n")).blocks.flatMap((b) => render(b.lines))));
		} else if (item.test(line) && (!text.length || /^\s*([-*+]|1[.)])\s/.test(line))) {
			end();
			out.push(list(lines.slice(i)));
			break;
		} else if (line.trim() === "") {
			end();
		} else {
			text.push(line.trim());
		}
	}
	end();
	return out;
}

function code(lines) {
	const closed = lines.length > 1 && fence.test(lines.at(-1)) && !lines.at(-1).match(fence)[2];
	const text = lines.slice(1, closed ? -1 : undefined).join("\n");
	return el("figure.code", null, lang(lines[0]), copy(() => text), el("pre", { tabindex: "0" }, el("code", null, text)));
}

const lang = (line) => {
	const name = line.match(fence)[2];
	return name ? el("figcaption", null, name) : null;
};

/** copy makes a button that copies a text. */
export function copy(text) {
	return el("button.copy.quiet", {
		type: "button", title: "Copy", "aria-label": "Copy", onclick: async (e) => {
			await navigator.clipboard?.writeText(e.target.parentElement.querySelector("code")?.textContent ?? text());
			e.target.textContent = "Copied";
			setTimeout(() => { e.target.textContent = "Copy"; }, 1500);
		},
	}, "Copy");
}

// codeNode returns the text node of a block of code.
function codeNode(figure) {
	const c = figure.querySelector("code");
	if (!c.firstChild) c.append("");
	return c.firstChild ?? c.appendChild(document.createTextNode(""));
}

// list makes a list of lines that begin with an item, with lists inside by their indentation.
function list(lines) {
	const first = lines[0].match(item);
	const ordered = /\d/.test(first[2]);
	const start = ordered ? parseInt(first[2], 10) : 1;
	const root = el(ordered ? "ol" : "ul", ordered && start !== 1 ? { start } : null);
	let inner = [];
	const end = () => {
		if (!inner.length) return;
		const [head, ...rest] = inner;
		const task = head.match(/^\[([ xX])\]\s+(.*)$/);
		const li = el("li", null, task ? [el("input", { type: "checkbox", disabled: true, checked: task[1] !== " " }), " ", inline(task[2])] : inline(head));
		const below = rest.join("\n").replace(/\s+$/, "");
		if (below) {
			const width = Math.min(...rest.filter((l) => l.trim()).map((l) => l.match(/^\s*/)[0].length));
			for (const b of split(rest.map((l) => l.slice(width)).join("\n")).blocks) {
				const made = render(b.lines);
				if (made[0]?.tagName === "P" && !li.querySelector("ul,ol,p")) li.append(" ", ...made.shift().childNodes);
				li.append(...made);
			}
		}
		root.append(li);
		inner = [];
	};
	for (const line of lines) {
		const m = line.match(item);
		if (m && m[1].length <= first[1].length + 1) {
			end();
			inner = [m[3]];
		} else {
			inner.push(line);
		}
	}
	end();
	return root;
}

function table(lines) {
	const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));
	const align = cells(lines[1]).map((c) => (c.endsWith(":") ? (c.startsWith(":") ? "center" : "end") : "start"));
	const row = (line, kind) => el("tr", null, cells(line).map((c, i) => el(`${kind}.${align[i] ?? "start"}`, null, inline(c))));
	return el("div.table", { tabindex: "0" }, el("table", null, el("thead", null, row(lines[0], "th")), el("tbody", null, lines.slice(2).filter((l) => l.includes("|")).map((l) => row(l, "td")))));
}

const spans = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\\([\\`*_{}[\]()#+.!|~<>-])|\*\*(?=\S)([\s\S]+?)\*\*|__(?=\S)([\s\S]+?)__(?!\w)|\*(?=[^\s*])([^*]+?)\*|(?<!\w)_(?=[^\s_])([^_]+?)_(?!\w)|~~(?=\S)([\s\S]+?)~~|\[([^\]\n]+)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"]*")?\s*\)|<?(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])>?|( {2,}|\\)\n/g;

// inline makes the nodes of a piece of text.
function inline(text) {
	const out = [];
	let last = 0;
	for (const m of text.matchAll(spans)) {
		if (m.index > last) out.push(text.slice(last, m.index));
		last = m.index + m[0].length;
		if (m[2] != null) out.push(el("code", null, m[2].replace(/^ (.+) $/, "$1")));
		else if (m[3]) out.push(m[3]);
		else if (m[4] ?? m[5]) out.push(el("strong", null, inline(m[4] ?? m[5])));
		else if (m[6] ?? m[7]) out.push(el("em", null, inline(m[6] ?? m[7])));
		else if (m[8]) out.push(el("del", null, inline(m[8])));
		else if (m[9]) out.push(link(m[10], inline(m[9]), m[0]));
		else if (m[11]) out.push(link(m[11], [m[11]], m[0]));
		else out.push(el("br"));
	}
	if (last < text.length) out.push(text.slice(last));
	return out;
}

function link(href, content, source) {
	if (!/^(https?:|mailto:)/i.test(href)) return source;
	return el("a", { href, target: "_blank", rel: "noopener noreferrer" }, content);
}
