// The session to read, and one to fill.
import { ask } from "./calls.js";
import { buildSessionContext, contextOf } from "./session_tree.js";

// Entries never change, so those that this machine has seen stay; Go sends only newer ones.
const seen = new Map(); // instance to { session, entries, byId }

function entriesOf(x) {
	let known = seen.get(x);
	const answer = ask("entries", x, { session: known?.session ?? "", have: known?.entries.length ?? 0 });
	if (!known || known.session !== answer.session || answer.from === 0) {
		known = { session: answer.session, entries: [], byId: new Map() };
		seen.set(x, known);
	}
	known.entries.length = answer.from;
	for (const entry of answer.entries) {
		known.entries.push(entry);
		known.byId.set(entry.id, entry);
	}
	return known;
}

export class SessionManager {
	#x;
	constructor(x) { this.#x = x; }

	getCwd() { return ask("cwd", this.#x); }
	getSessionDir() { return ask("session", this.#x).dir; }
	getSessionId() { return ask("session", this.#x).id; }
	getSessionFile() { return ask("session", this.#x).file || undefined; }
	isPersisted() { return Boolean(ask("session", this.#x).file); }
	getSessionName() { return ask("getSessionName", this.#x) ?? undefined; }
	getHeader() { return ask("header", this.#x) ?? null; }
	getLeafId() { return ask("leaf", this.#x) || null; }
	getLeafEntry() { return this.getEntry(this.getLeafId()); }
	getEntry(id) { return id ? entriesOf(this.#x).byId.get(id) : undefined; }
	getEntries() { return [...entriesOf(this.#x).entries]; }
	getChildren(id) { return entriesOf(this.#x).entries.filter((e) => e.parentId === id); }
	getLabel(id) { return ask("label", this.#x, { id }) || undefined; }
	getTree() { return ask("tree", this.#x); }

	getBranch(from) {
		const { byId } = entriesOf(this.#x);
		const path = [];
		for (let e = byId.get(from ?? this.getLeafId()); e; e = byId.get(e.parentId)) path.push(e);
		return path.reverse();
	}

	buildContextEntries() { return contextOf(this.getBranch()); }
	buildSessionContext() { return buildSessionContext(this.getEntries(), this.getLeafId()); }
}

// Writer fills a new session before it starts.
export class Writer {
	#w;
	constructor(w) { this.#w = w; }
	#append(entry) { return ask("append", this.#w, { entry }); }

	appendMessage(message) { return this.#append({ type: "message", message }); }
	appendThinkingLevelChange(thinkingLevel) { return this.#append({ type: "thinking_level_change", thinkingLevel }); }
	appendModelChange(provider, modelId) { return this.#append({ type: "model_change", provider, modelId }); }
	appendCustomEntry(customType, data) { return this.#append({ type: "custom", customType, data }); }
	appendSessionInfo(name) { return this.#append({ type: "session_info", name }); }
	appendLabelChange(targetId, label) { return this.#append({ type: "label", targetId, label }); }
	appendCustomMessageEntry(customType, content, display, details) {
		return this.#append({ type: "custom_message", customType, content, display, details });
	}
	appendCompaction(summary, firstKeptEntryId, tokensBefore, details, fromHook, usage) {
		return this.#append({ type: "compaction", summary, firstKeptEntryId, tokensBefore, details, fromHook, usage });
	}

	#entries() { return ask("written", this.#w); }
	getSessionId() { return this.#entries().id; }
	getSessionFile() { return this.#entries().file || undefined; }
	getHeader() { return this.#entries().header; }
	getLeafId() { return this.#entries().leaf || null; }
	getEntries() { return this.#entries().entries; }
	getEntry(id) { return this.getEntries().find((e) => e.id === id); }
	getBranch() { return this.getEntries(); }
}
