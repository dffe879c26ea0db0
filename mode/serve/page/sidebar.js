// The list of sessions.

import { request } from "./api.js";
import { $, el } from "./dom.js";

// The list is asked for again so often while the page is shown.
const pace = 6000;

/** Sidebar shows the sessions and says which one is chosen. */
export class Sidebar {
	#timer = null;
	#asked = 0;
	#all = [];

	constructor(choose, failed) {
		this.choose = choose;
		this.failed = failed;
		this.current = "";
		this.list = $("sessions");
		this.list.addEventListener("click", (e) => this.#open(e.target.closest("[role=option]")));
		this.list.addEventListener("keydown", (e) => this.#key(e));
		let typing;
		$("search").addEventListener("input", () => {
			clearTimeout(typing);
			typing = setTimeout(() => this.refresh(), 200);
		});
		$("search").addEventListener("keydown", (e) => {
			if (e.key === "ArrowDown" || e.key === "Enter") {
				e.preventDefault();
				this.focus();
			}
		});
		document.addEventListener("visibilitychange", () => { if (!document.hidden) this.refresh(); });
	}

	/** refresh asks for the list, now and from then on. */
	async refresh() {
		clearTimeout(this.#timer);
		const turn = ++this.#asked;
		try {
			const search = $("search").value.trim();
			const { sessions } = await request("GET", "/api/sessions" + (search ? "?search=" + encodeURIComponent(search) : ""));
			if (turn === this.#asked) this.#show(sessions);
		} catch (error) {
			this.failed(error);
		}
		if (turn !== this.#asked) return;
		this.#timer = setTimeout(() => { if (!document.hidden) this.refresh(); }, pace);
	}

	stop() {
		this.#asked++;
		clearTimeout(this.#timer);
	}

	select(id) {
		this.current = id;
		this.#show(this.#all);
	}

	focus() { (this.list.querySelector("[tabindex='0']") ?? this.list.firstElementChild)?.focus(); }

	#show(sessions) {
		this.#all = sessions;
		const focused = document.activeElement?.dataset?.id;
		this.list.replaceChildren(...sessions.map((s) => this.#item(s)));
		const shown = this.list.querySelector("[aria-selected=true]") ?? this.list.firstElementChild;
		shown?.setAttribute("tabindex", "0");
		if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
	}

	#item(s) {
		const title = s.sessionName || s.firstMessage?.trim().split("\n")[0] || "New session";
		const what = s.isWaiting ? "asks" : s.isStreaming ? "works" : "";
		return el("li", {
			role: "option", tabindex: "-1", "data-id": s.sessionId, "aria-selected": String(s.sessionId === this.current),
			title: s.firstMessage, "data-state": what || null,
		}, el("span.title", null, title), el("span.when", null, what || when(s.modified)));
	}

	#open(option) { if (option) this.choose(option.dataset.id); }

	#key(e) {
		const option = e.target.closest("[role=option]");
		const to = {
			ArrowDown: option?.nextElementSibling, ArrowUp: option?.previousElementSibling ?? $("search"),
			Home: this.list.firstElementChild, End: this.list.lastElementChild,
		}[e.key];
		if (to) {
			e.preventDefault();
			to.focus();
		} else if (e.key === "Enter" || e.key === " ") {
			e.preventDefault();
			this.#open(option);
		}
	}
}

// when writes how long ago something was.
function when(ms) {
	const minutes = (Date.now() - ms) / 60_000;
	if (minutes < 1) return "now";
	if (minutes < 60) return `${Math.floor(minutes)} min`;
	if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
	if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))} d`;
	return new Date(ms).toLocaleDateString(undefined, { month: "short", day: "numeric", year: minutes > 300 * 24 * 60 ? "numeric" : undefined });
}
