// The object "ctx": the session as a handler sees it.
import { ask, later } from "./calls.js";
import { get } from "rondo:functions";
import { ModelRegistry } from "./models.js";
import { plain } from "./plain.js";
import { SessionManager } from "./session.js";
import { UI } from "./ui.js";

class ExtensionContext {
	#x;
	#c;
	#ui;
	#manager;
	#models;
	#signal;

	constructor(x, c) {
		this.#x = x;
		this.#c = c;
	}

	get ui() {
		ask("fresh", this.#x);
		this.#ui ??= plain(new UI(this.#x, this.#c));
		return this.#ui;
	}

	get mode() { return ask("mode", this.#x); }
	get hasUI() { return ask("hasUI", this.#x); }
	get cwd() { return ask("cwd", this.#x); }

	get sessionManager() {
		ask("live", this.#x);
		this.#manager ??= new SessionManager(this.#x);
		return this.#manager;
	}

	get modelRegistry() {
		ask("live", this.#x);
		this.#models ??= new ModelRegistry(this.#x);
		return this.#models;
	}

	get model() { return ask("model", this.#x); }
	get scopedModels() { return ask("scopedModels", this.#x); }
	get thinkingLevel() { return ask("getThinkingLevel", this.#x); }

	// The signal of the run under way.
	get signal() {
		const run = ask("run", this.#x);
		if (!run) return undefined;
		if (this.#signal?.run === run) return this.#signal.signal;
		const controller = new AbortController();
		this.#signal = { run, signal: controller.signal };
		later("runEnd", this.#x, { run }).then((aborted) => { if (aborted) controller.abort(); }, () => {});
		return controller.signal;
	}

	isIdle() { return ask("isIdle", this.#x); }
	isProjectTrusted() { return ask("isProjectTrusted", this.#x); }
	hasPendingMessages() { return ask("hasPendingMessages", this.#x); }
	abort() { ask("abort", this.#x); }
	shutdown() { ask("shutdown", this.#x); }
	getContextUsage() { return ask("getContextUsage", this.#x) ?? undefined; }
	getSystemPrompt() { return ask("getSystemPrompt", this.#x); }

	compact(options) {
		ask("live", this.#x);
		later("compact", this.#x, { customInstructions: options?.customInstructions ?? "" }).then(
			(result) => options?.onComplete?.(result),
			(error) => options?.onError?.(error),
		);
	}
}

// What withSession gives is called with the context of the session that has come.
const withSession = (fn) => (typeof fn === "function" ? get(fn) : 0);

class CommandContext extends ExtensionContext {
	#x;
	#c;

	constructor(x, c) {
		super(x, c);
		this.#x = x;
		this.#c = c;
	}

	#move(op, arg) { return later(op, this.#x, arg, { c: this.#c }); }

	getSystemPromptOptions() { return ask("getSystemPromptOptions", this.#x); }
	waitForIdle() { return this.#move("wait"); }

	newSession(options) {
		return this.#move("newSession", { parentSession: options?.parentSession, setup: withSession(options?.setup), withSession: withSession(options?.withSession) });
	}

	fork(entryId, options) {
		return this.#move("fork", { entryId, position: options?.position, withSession: withSession(options?.withSession) });
	}

	navigateTree(targetId, options) {
		return this.#move("navigateTree", { targetId, options: options ?? {} });
	}

	switchSession(path, options) {
		return this.#move("switchSession", { path, withSession: withSession(options?.withSession) });
	}

	reload() { return this.#move("reload"); }

	async sendMessage(message, options) {
		ask("sendMessage", this.#x, { message: { ...message, display: message.display ?? true }, options: options ?? {} });
	}

	sendUserMessage(content, options) {
		ask("live", this.#x);
		return this.#move("sendUserMessageAccepted", { content, ...options });
	}
}

export const extensionContext = (x, c) => plain(new ExtensionContext(x, c));
export const commandContext = (x, c) => plain(new CommandContext(x, c));
