// The conversation on the page: messages that are complete, and the answer that streams.

import { el, draw, marks } from "./dom.js";
import { Growing, markdown } from "./markdown.js";
import { Card, images, output, plain, seconds, textOf } from "./tools.js";

/** Transcript shows messages in an element. */
export class Transcript {
	constructor(root, scroll, down) {
		this.root = root;
		this.scroll = scroll;
		this.down = down;
		this.cards = new Map(); // of tool calls, by id
		this.shells = new Map(); // of the user's commands that run, by id
		this.answer = null;
		this.sticks = true; // to the end
		scroll.addEventListener("scroll", () => {
			this.sticks = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
			this.#showDown();
		}, { passive: true });
		down.addEventListener("click", () => this.toEnd());
		new ResizeObserver(() => this.settle()).observe(root);
	}

	clear() {
		this.root.replaceChildren();
		this.cards.clear();
		this.shells.clear();
		this.answer = null;
		this.sticks = true;
	}

	toEnd() {
		this.sticks = true;
		this.settle();
	}

	/** settle stays at the end where that is where the person was. */
	settle() {
		if (this.sticks) this.scroll.scrollTop = this.scroll.scrollHeight;
		this.#showDown();
	}

	#showDown() { this.down.hidden = this.sticks; }

	#add(e, before) {
		if (before) this.root.insertBefore(e, before);
		else this.root.append(e);
		draw(this.settled ??= () => this.settle());
	}

	/** add shows a message that is complete. */
	add(m, before) {
		switch (m.role) {
		case "user": return this.#add(user(m), before);
		case "assistant": return this.#add(this.#finished(m), before);
		case "toolResult": return this.#result(m, before);
		case "bashExecution": return this.#shellEnded(m, before);
		case "compactionSummary": return this.#add(summary("The conversation was compacted", m.summary), before);
		case "branchSummary": return this.#add(summary("Summary of another branch", m.summary), before);
		case "custom": return m.display ? this.#add(custom(m), before) : undefined;
		case "system": return undefined; // which tools there are
		}
		this.#add(note(`A message of the unknown kind ${m.role}`), before);
	}

	#card(id, name) {
		let card = this.cards.get(id);
		if (!card) this.cards.set(id, card = new Card(id, name));
		return card;
	}

	// #finished makes an answer that is complete.
	#finished(m) {
		const root = el("article.answer");
		for (const block of m.content) {
			if (block.type === "text" && block.text.trim()) root.append(markdown(block.text));
			if (block.type === "thinking") root.append(thinking(block.thinking, block.redacted));
			if (block.type === "toolCall") {
				const card = this.#card(block.id, block.name);
				card.called(block.name, block.arguments);
				root.append(card.root);
			}
		}
		finish(root, m);
		return root;
	}

	#result(m, before) {
		const known = this.cards.has(m.toolCallId);
		const card = this.#card(m.toolCallId, m.toolName);
		card.ended(m, m.isError, m.durationMs);
		if (!known) this.#add(el("article.answer", null, card.root), before);
	}

	/** start begins an answer. */
	start(m, texts) {
		this.answer = new Answer(this, m, texts);
		this.#add(this.answer.root);
	}

	update(ev) { this.answer?.update(ev); }

	/** end replaces the answer that streams by the one that is complete. */
	end(m) {
		if (!this.answer) return this.add(m);
		this.answer.end(m);
		this.answer = null;
	}

	toolStarted(ev) {
		const card = this.#card(ev.toolCallId, ev.toolName);
		card.called(ev.toolName, ev.args);
		card.set("running");
		if (!card.root.isConnected) this.#add(el("article.answer", null, card.root));
	}

	toolUpdated(ev) {
		this.toolStarted(ev);
		this.#card(ev.toolCallId).progress(ev.partialResult);
	}

	toolEnded(ev) { this.#card(ev.toolCallId, ev.toolName).ended(ev.result, ev.isError, ev.durationMs); }

	/** shell shows a command of the user's that runs. */
	shell(id, command) {
		const card = new Card("shell-" + id, "bash");
		card.called("bash", { command });
		card.set("running");
		card.output = "";
		this.shells.set(id, card);
		this.#add(el("article.shell", null, card.root));
	}

	shellOutput(id, delta) {
		if (!this.shells.has(id)) this.shell(id, "");
		const card = this.shells.get(id);
		card.output = (card.output + delta).slice(-200_000);
		card.progress({ content: [{ type: "text", text: card.output }] });
	}

	#shellEnded(m, before, id) {
		let card = this.shells.get(id);
		if (!card) {
			card = new Card("shell", "bash");
			this.#add(el("article.shell", null, card.root), before);
		}
		this.shells.delete(id);
		const bad = m.cancelled || m.exitCode == null || m.exitCode !== 0;
		const end = m.cancelled ? "\n(cancelled)" : m.exitCode ? `\n(exit ${m.exitCode})` : "";
		card.called("bash", { command: m.command });
		card.open ??= true;
		card.ended({ content: [{ type: "text", text: m.output + end }] }, bad);
		if (m.excludeFromContext) card.status.title = "unseen by the model";
	}

	shellEnd(id, m) { this.#shellEnded(m, null, id); }

	note(text, bad) { this.#add(note(text, bad)); }
}

/** Answer is the answer that streams. */
class Answer {
	constructor(transcript, m, texts = {}) {
		this.transcript = transcript;
		this.root = el("article.answer.streams");
		this.blocks = []; // by content index
		this.waiting = this.root.appendChild(el("p.waiting", { "aria-label": "The model works" }, el("i"), el("i"), el("i")));
		for (const [i, block] of m.content.entries()) {
			this.#open(i, block.type, block.id, block.name);
			if (block.type === "text") this.#grow(i, block.text);
			if (block.type === "thinking") this.#grow(i, block.thinking);
			if (block.type === "toolCall") this.#grow(i, texts[i] ?? "");
		}
	}

	#open(i, type, id, name) {
		if (this.blocks[i]) return;
		const b = this.blocks[i] = { type, text: "" };
		if (type === "toolCall") {
			b.card = this.transcript.cards.get(id) ?? new Card(id, name);
			this.transcript.cards.set(id, b.card);
			b.root = b.card.root;
		} else if (type === "thinking") {
			b.root = thinking("", false, true);
			b.growing = new Growing(b.root.querySelector(".md"));
		} else {
			b.root = el("div.md");
			b.growing = new Growing(b.root);
		}
		let next = null;
		for (let k = i + 1; k < this.blocks.length && !next; k++) next = this.blocks[k]?.root;
		this.root.insertBefore(b.root, next ?? this.waiting);
	}

	#grow(i, delta) {
		const b = this.blocks[i];
		if (!b) return;
		if (b.card) return b.card.grow(delta);
		b.text += delta;
		this.#later(b);
	}

	#later(b) {
		draw(b.redraw ??= () => {
			b.growing.set(b.text);
			const label = b.root.querySelector?.("summary span");
			if (b.type === "thinking" && label) label.textContent = marks(preview(b.text));
			this.transcript.settle();
		});
	}

	update({ assistantMessageEvent: ev }) {
		const i = ev.contentIndex;
		switch (ev.type) {
		case "text_start": return this.#open(i, "text");
		case "thinking_start": return this.#open(i, "thinking");
		case "toolcall_start": return this.#open(i, "toolCall", ev.id, ev.toolName);
		case "text_delta": case "thinking_delta": case "toolcall_delta": return this.#grow(i, ev.delta);
		case "text_end": case "thinking_end":
			if (this.blocks[i] && this.blocks[i].text !== ev.content) {
				this.blocks[i].text = ev.content ?? "";
				this.#later(this.blocks[i]);
			}
			return;
		case "toolcall_end": return this.blocks[i]?.card?.called(ev.toolCall.name, ev.toolCall.arguments);
		}
	}

	end(m) {
		this.waiting.remove();
		this.root.classList.remove("streams");
		for (const [i, block] of m.content.entries()) {
			const text = block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : null;
			if (block.type === "toolCall") {
				this.#open(i, "toolCall", block.id, block.name);
				this.blocks[i].card?.called(block.name, block.arguments);
			} else if (text != null && (!this.blocks[i] || this.blocks[i].text !== text)) {
				this.#open(i, block.type);
				this.blocks[i].text = text;
				this.#later(this.blocks[i]);
			}
		}
		for (const [i, b] of this.blocks.entries()) {
			if (b && (i >= m.content.length || b.type === "text" && !b.text.trim())) b.root.remove();
		}
		finish(this.root, m);
		draw(this.transcript.settled ??= () => this.transcript.settle());
	}
}

const preview = (text) => text.trim().split("\n").at(-1).replace(/[*_`#]/g, "").slice(0, 200);

function thinking(text, redacted, streams) {
	return el("details.thinking", null,
		el("summary", null, streams ? "Thinking" : "Thought", " ", el("span", null, redacted ? "(withheld by the provider)" : preview(text))),
		streams ? el("div.md") : markdown(text));
}

// finish adds how an answer has ended.
function finish(root, m) {
	const why = { error: "The answer failed", aborted: "Aborted", length: "Cut by the output limit", deferred: "Put off" }[m.stopReason];
	if (why) {
		const text = m.errorMessage && m.stopReason !== "aborted" ? `${why}: ${m.errorMessage}` : why;
		root.append(el(m.stopReason === "aborted" ? "p.aside" : "p.error", { role: m.stopReason === "error" ? "alert" : null }, text));
	}
	const parts = [];
	if (m.durationMs >= 100) parts.push(seconds(m.durationMs));
	if (m.usage?.output) parts.push(`${m.usage.output.toLocaleString("en")} tokens`);
	if (m.usage?.cost?.total > 0) parts.push("$" + m.usage.cost.total.toFixed(4));
	if (parts.length && m.stopReason !== "toolUse") root.append(el("p.spent", { title: m.model }, parts.join(" · ")));
}

function user(m) {
	const text = textOf(m.content);
	return el("article.user", null, text ? el("div.plain", null, text) : null, images(m.content));
}

function custom(m) { return el("article.custom", null, el("p.by", null, m.customType), markdown(textOf(m.content)), images(m.content)); }

function summary(title, text) {
	return el("details.summary", null, el("summary", null, title), markdown(text));
}

function note(text, bad) { return el(bad ? "p.error" : "p.note", bad ? { role: "alert" } : null, plain(text)); }

export { output };
