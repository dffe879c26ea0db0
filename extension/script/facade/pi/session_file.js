// SessionManager: sessions in files of their own, which a script reads and writes.
import { host } from "rondo:host";
import * as fs from "node:fs";
import * as path from "node:path";
import { randomBytes, randomUUID } from "node:crypto";
import { branchOf, buildSessionContext, contextOf, labelsOf, treeOf } from "./session_tree.js";

const version = host("program.about").sessionVersion;
const sessionsDir = () => path.join(host("program.about").home, "sessions");
const defaultDir = (cwd) => path.join(sessionsDir(), "--" + cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-") + "--");

function readLines(file) {
	return fs.readFileSync(file, "utf8").split("\n").flatMap((line) => { try { return line.trim() ? [JSON.parse(line)] : []; } catch { return []; } });
}

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).filter((b) => b.type === "text").map((b) => b.text).join(" "));

// about tells of a session file what lists show; undefined if it is none.
function about(file) {
	const [header, ...entries] = readLines(file);
	if (header?.type !== "session") return undefined;
	const talk = entries.filter((e) => e.type === "message" && ["user", "assistant"].includes(e.message.role));
	const texts = talk.map((e) => textOf(e.message.content)).filter(Boolean);
	const created = new Date(header.timestamp);
	return {
		path: file, id: header.id, cwd: header.cwd ?? "", name: entries.findLast((e) => e.type === "session_info")?.name, parentSessionPath: header.parentSession,
		created, modified: new Date(talk.at(-1)?.message.timestamp ?? created), messageCount: entries.filter((e) => e.type === "message").length,
		firstMessage: textOf(talk.find((e) => e.message.role === "user")?.message.content) || "(no messages)", allMessagesText: texts.join(" "),
	};
}

function filesIn(dir) {
	try { return fs.readdirSync(dir).filter((name) => name.endsWith(".jsonl")).map((name) => path.join(dir, name)); } catch { return []; }
}
function listed(files, onProgress) {
	const all = files.map((file, i) => { onProgress?.(i + 1, files.length); try { return about(file); } catch { return undefined; } });
	return all.filter(Boolean).sort((a, b) => b.modified - a.modified);
}

export class SessionManager {
	#cwd;
	#dir;
	#file;
	#keeps;
	#header;
	#entries = [];
	#byId = new Map();
	#leaf = null;
	#written = false; // whether the file has what is here

	constructor(cwd, dir, file, keeps) {
		this.#cwd = cwd;
		this.#dir = dir;
		this.#keeps = keeps;
		if (file) this.setSessionFile(file);
		else this.newSession();
	}

	static create(cwd, dir) { return new SessionManager(cwd, dir ?? defaultDir(cwd), undefined, true); }
	static open(file, dir, cwd) {
		const header = fs.existsSync(file) ? readLines(file)[0] : undefined;
		return new SessionManager(cwd ?? header?.cwd ?? process.cwd(), dir ?? path.resolve(file, ".."), file, true);
	}
	static continueRecent(cwd, dir = defaultDir(cwd)) {
		const [last] = filesIn(dir).map((file) => ({ file, at: fs.statSync(file).mtimeMs })).sort((a, b) => b.at - a.at);
		return new SessionManager(cwd, dir, last?.file, true);
	}
	static inMemory(cwd = process.cwd()) { return new SessionManager(cwd, "", undefined, false); }
	static forkFrom(source, cwd, dir = defaultDir(cwd)) {
		const [header, ...entries] = readLines(source);
		if (header?.type !== "session") throw new Error(`${source} is no session that could be forked`);
		const fork = new SessionManager(cwd, dir, undefined, true);
		fork.newSession({ parentSession: source });
		for (const entry of entries) fork.#take(entry);
		fork.#writeAll();
		return fork;
	}
	static async list(cwd, dir = defaultDir(cwd), onProgress) { return listed(filesIn(dir), onProgress).filter((s) => s.cwd === "" || s.cwd === cwd); }
	static async listAll(dir = sessionsDir(), onProgress) {
		if (typeof dir === "function") [dir, onProgress] = [sessionsDir(), dir];
		let folders = [];
		try { folders = fs.readdirSync(dir, { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => path.join(dir, e.name)); } catch { /* there are none */ }
		return listed([dir, ...folders].flatMap(filesIn), onProgress);
	}

	setSessionFile(file) {
		this.#file = path.resolve(file);
		const lines = fs.existsSync(this.#file) ? readLines(this.#file) : [];
		if (lines[0]?.type !== "session") return this.newSession(undefined, this.#file);
		[this.#header] = lines;
		this.#entries = [];
		this.#byId.clear();
		this.#leaf = null;
		for (const entry of lines.slice(1)) this.#take(entry);
		this.#written = true;
		return undefined;
	}
	newSession(options, file) {
		const id = options?.id ?? randomUUID(), timestamp = new Date().toISOString();
		this.#header = { type: "session", version, id, timestamp, cwd: this.#cwd };
		if (options?.parentSession) this.#header.parentSession = options.parentSession;
		this.#entries = [];
		this.#byId.clear();
		this.#leaf = null;
		this.#written = false;
		if (this.#keeps) this.#file = file ?? path.join(this.#dir, `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`);
		return this.#file;
	}

	#take(entry) {
		this.#entries.push(entry);
		this.#byId.set(entry.id, entry);
		this.#leaf = entry.id;
	}
	#append(type, fields) {
		let id;
		do id = randomBytes(4).toString("hex"); while (this.#byId.has(id));
		const entry = { type, ...fields, id, parentId: this.#leaf, timestamp: new Date().toISOString() };
		this.#take(entry);
		if (this.#written) fs.appendFileSync(this.#file, JSON.stringify(entry) + "\n");
		else if (this.#entries.some((e) => e.type === "message" && e.message.role === "assistant")) this.#writeAll();
		return id;
	}
	// A session without an answer leaves no file.
	#writeAll() {
		if (!this.#keeps) return;
		fs.mkdirSync(path.dirname(this.#file), { recursive: true });
		fs.writeFileSync(this.#file, [this.#header, ...this.#entries].map((line) => JSON.stringify(line) + "\n").join(""));
		this.#written = true;
	}

	appendMessage(message) { return this.#append("message", { message }); }
	appendThinkingLevelChange(thinkingLevel) { return this.#append("thinking_level_change", { thinkingLevel }); }
	appendModelChange(provider, modelId) { return this.#append("model_change", { provider, modelId }); }
	appendCustomEntry(customType, data) { return this.#append("custom", { customType, data }); }
	appendCustomMessageEntry(customType, content, display, details) { return this.#append("custom_message", { customType, content, display, details }); }
	appendSessionInfo(name) { return this.#append("session_info", { name: String(name).trim() }); }
	appendCompaction(summary, firstKeptEntryId, tokensBefore, details, fromHook, usage) { return this.#append("compaction", { summary, firstKeptEntryId, tokensBefore, details, fromHook, usage }); }
	appendLabelChange(targetId, label) {
		if (!this.#byId.has(targetId)) throw new Error(`there is no entry ${targetId} to label`);
		return this.#append("label", { targetId, label });
	}

	isPersisted() { return this.#keeps; }
	usesDefaultSessionDir() { return this.#keeps && this.#dir === defaultDir(this.#cwd); }
	getCwd() { return this.#cwd; }
	getSessionDir() { return this.#dir; }
	getSessionFile() { return this.#file; }
	getSessionId() { return this.#header.id; }
	getSessionName() { return this.#entries.findLast((e) => e.type === "session_info")?.name || undefined; }
	getHeader() { return this.#header; }
	getLeafId() { return this.#leaf; }
	getLeafEntry() { return this.#byId.get(this.#leaf); }
	getEntry(id) { return this.#byId.get(id); }
	getEntries() { return [...this.#entries]; }
	getChildren(id) { return this.#entries.filter((e) => e.parentId === id); }
	getLabel(id) { return labelsOf(this.#entries).get(id)?.label; }
	getBranch(from) { return branchOf(this.#byId, from ?? this.#leaf); }
	getTree() { return treeOf(this.#entries, labelsOf(this.#entries)); }
	buildContextEntries() { return contextOf(this.getBranch()); }
	buildSessionContext() { return buildSessionContext(this.#entries, this.#leaf, this.#byId); }

	branch(id) {
		if (!this.#byId.has(id)) throw new Error(`there is no entry ${id} to go on from`);
		this.#leaf = id;
	}
	resetLeaf() { this.#leaf = null; }
	branchWithSummary(id, summary, details, fromHook) {
		if (id === null) this.resetLeaf();
		else this.branch(id);
		return this.#append("branch_summary", { fromId: id ?? "root", summary, details, fromHook });
	}
	// createBranchedSession goes on in a new file that has one branch alone.
	createBranchedSession(leafId) {
		const branch = this.getBranch(leafId).filter((e) => e.type !== "label");
		if (branch.length === 0) throw new Error(`there is no entry ${leafId} to branch from`);
		const labels = labelsOf(this.#entries), from = this.#file;
		this.newSession({ parentSession: from });
		for (const entry of branch) this.#take(entry);
		for (const entry of branch) if (labels.has(entry.id)) this.appendLabelChange(entry.id, labels.get(entry.id).label);
		if (this.#keeps && !this.#written) this.#writeAll();
		return this.#file;
	}
}
