// One session: its stream, and what its events do to the page.

import { Stream, insist, newID, request } from "./api.js";
import { flush } from "./dom.js";
import { setViews } from "./toolview.js";

// hiddenTime is how long a page that is not shown, and whose agent is idle, keeps its connection:
// browsers allow few at once to one server.
const hiddenTime = 15_000;

/** Session follows one session and shows it. ui has what it draws with; see app.js. */
export class Session {
	#stream;
	#hide = null;
	#onVisibility = () => this.#visibility();
	#onOnline = () => this.#stream.retry();
	#open = false;

	constructor(id, ui) {
		this.id = id;
		this.path = "/api/sessions/" + encodeURIComponent(id);
		this.ui = ui;
		this.state = null;
		this.busy = false;
		this.skipped = 0;
		this.dialogs = new Map();
		this.#stream = new Stream(this.path + "/events", {
			event: (ev) => this.#event(ev),
			state: (state) => {
				this.#open = state === "open";
				ui.connection(state);
			},
			failed: (error) => ui.failed(error),
		});
		document.addEventListener("visibilitychange", this.#onVisibility);
		window.addEventListener("online", this.#onOnline);
		this.#visibility();
	}

	close() {
		this.#stream.stop();
		clearTimeout(this.#hide);
		document.removeEventListener("visibilitychange", this.#onVisibility);
		window.removeEventListener("online", this.#onOnline);
	}

	// A page that is not shown keeps its connection while the agent works or asks, so that its title
	// says when that is over; else it gives it back after a while.
	#visibility() {
		clearTimeout(this.#hide);
		if (!document.hidden) {
			this.#stream.resume();
		} else if (!this.busy) {
			this.#hide = setTimeout(() => this.#stream.pause(), hiddenTime);
		}
	}

	/** suspect is called when the server did not answer something. */
	suspect() { if (this.#open) this.#stream.suspect(); }

	get(what) { return request("GET", `${this.path}/${what}`); }
	post(what, body = {}) { return request("POST", `${this.path}/${what}`, body); }

	/** say sends a message: it begins a run, or goes into one that is under way. */
	say(text, images, behavior) {
		const body = { id: newID(), message: text, streamingBehavior: behavior };
		if (images.length) body.images = images;
		return insist(`${this.path}/prompt`, body, () => this.suspect());
	}

	/** run runs a shell command of the person's own. */
	async run(command, hidden) {
		const id = newID();
		this.ui.transcript.shell(id, command);
		await this.post("bash", { id, command, excludeFromContext: hidden });
	}

	/** earlier shows messages before those that are shown. */
	async earlier() {
		const first = this.ui.transcript.root.querySelector(".earlier + *");
		const { messages, skippedMessages } = await this.get(`messages?before=${this.skipped}&limit=200`);
		for (const m of messages) this.ui.transcript.add(m, first);
		this.skipped = skippedMessages;
		this.ui.earlier(this.skipped);
	}

	#snapshot(s) {
		const { transcript } = this.ui;
		setViews(s.toolViews);
		transcript.clear();
		this.skipped = s.skippedMessages;
		this.ui.earlier(this.skipped);
		for (const m of s.messages) transcript.add(m);
		if (s.answer) transcript.start(s.answer.message, s.answer.arguments);
		for (const ev of s.toolCalls) this.#event(ev);
		this.#setState(s.state);
		this.#setBusy(s.busy || s.state.isStreaming);
		this.ui.queue(s.queue);
		this.ui.retry(s.retry);
		this.ui.compaction(s.compaction);
		this.ui.shown(s.ui);
		for (const id of this.dialogs.keys()) this.ui.dialogEnded(id);
		this.dialogs.clear();
		for (const d of s.ui.dialogs) this.#ask(d);
		this.ui.filled(s.messages.length + s.skippedMessages > 0 || s.answer);
		flush();
		transcript.toEnd();
	}

	#setState(state) {
		this.state = state;
		this.ui.state(state);
	}

	#setBusy(busy) {
		const changed = this.busy !== busy;
		this.busy = busy;
		this.ui.busy(busy);
		if (changed && document.hidden) this.#visibility();
	}

	#ask(request) {
		this.dialogs.set(request.id, request);
		this.ui.dialog(request);
	}

	#event(ev) {
		const { transcript } = this.ui;
		switch (ev.type) {
		case "snapshot": return this.#snapshot(ev);
		case "behind": return undefined; // the snapshot that follows replaces everything
		case "agent_start": return this.#setBusy(true);
		case "agent_settled":
			this.#setBusy(false);
			this.ui.retry(null);
			return undefined;
		case "message_start":
			this.ui.filled(true);
			if (ev.message.role === "assistant") transcript.start(ev.message);
			return undefined;
		case "message_update": return transcript.update(ev);
		case "message_end":
			if (ev.message.role === "assistant") transcript.end(ev.message);
			else transcript.add(ev.message);
			return undefined;
		case "tool_execution_start": return transcript.toolStarted(ev);
		case "tool_execution_update": return transcript.toolUpdated(ev);
		case "tool_execution_end": return transcript.toolEnded(ev);
		case "queue_update": return this.ui.queue(ev);
		case "auto_retry_start": return this.ui.retry(ev);
		case "auto_retry_end": return this.ui.retry(null);
		case "compaction_start": return this.ui.compaction(ev);
		case "compaction_end":
			this.ui.compaction(null);
			if (ev.result) transcript.note("The conversation was compacted.");
			else if (ev.errorMessage) transcript.note(ev.errorMessage, true);
			return undefined;
		case "session_info_changed":
			if (this.state) this.#setState({ ...this.state, sessionName: ev.name });
			return undefined;
		case "thinking_level_changed":
			if (this.state) this.#setState({ ...this.state, thinkingLevel: ev.level });
			return undefined;
		case "state_changed": return this.#setState(ev.state);
		case "bash_execution_update": return transcript.shellOutput(ev.id, ev.delta);
		case "bash_execution_end":
			this.ui.filled(true);
			return transcript.shellEnd(ev.id, ev.message);
		case "model_fallback": return transcript.note(`${ev.from.provider}/${ev.from.modelId} cannot answer (${ev.errorMessage}); ${ev.to.provider}/${ev.to.modelId} does.`);
		case "extension_error": return transcript.note(`An extension failed in ${ev.event}: ${ev.error}`, true);
		case "extension_ui_end":
			this.dialogs.delete(ev.id);
			return this.ui.dialogEnded(ev.id);
		case "extension_ui_request":
			if (["select", "confirm", "input", "editor"].includes(ev.method)) return this.#ask(ev);
			return this.ui.show(ev);
		}
		return undefined;
	}
}
