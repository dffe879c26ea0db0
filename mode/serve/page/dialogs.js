// Dialogs that extensions ask for, one after another.

import { $, el } from "./dom.js";

/** Dialogs shows requests; answer(id, body) sends what the person has said. */
export class Dialogs {
	#waiting = [];
	#shown = null;

	constructor(answer) {
		this.answer = answer;
		this.dialog = $("dialog");
		this.dialog.addEventListener("cancel", (e) => {
			e.preventDefault();
			if (this.#shown) this.#say({ cancelled: true });
		});
		// A browser may close a dialog without asking first.
		this.dialog.addEventListener("close", () => {
			if (this.#shown && !this.dialog.open) this.#say({ cancelled: true });
		});
	}

	ask(request) {
		this.#waiting.push(request);
		this.#next();
	}

	/** ended puts a dialog away that was answered elsewhere, or has ended by itself. */
	ended(id) {
		this.#waiting = this.#waiting.filter((r) => r.id !== id);
		if (this.#shown?.id === id) this.#close();
	}

	/** confirm asks a question of the page's own, and calls yes. */
	confirm(title, message, label, yes) {
		this.ask({ id: "page", method: "confirm", title, message, label, answered: (body) => body.confirmed && yes() });
	}

	/** tell shows something until it is closed. */
	tell(title, content) { this.ask({ id: "page", method: "tell", title, content, answered() {} }); }

	#say(body) {
		const request = this.#shown;
		this.#close();
		if (request.answered) request.answered(body);
		else this.answer(request.id, body);
	}

	#close() {
		this.#shown = null;
		this.dialog.close();
		this.#next();
	}

	#next() {
		if (this.#shown || !this.#waiting.length) return;
		const request = this.#shown = this.#waiting.shift();
		const form = el("form", { method: "dialog" }, el("h2", { id: "dialog-title" }, request.title ?? ""));
		form.append(...this.#fields(request));
		form.addEventListener("submit", (e) => {
			e.preventDefault();
			if (form.elements.value) this.#say({ value: form.elements.value.value });
			else this.#say(request.method === "confirm" ? { confirmed: true } : { cancelled: true });
		});
		this.dialog.replaceChildren(form);
		this.dialog.showModal();
		form.querySelector("[autofocus]")?.focus();
	}

	#fields(request) {
		const cancel = el("button", { type: "button", onclick: () => this.#say({ cancelled: true }) }, "Cancel");
		const ok = (label) => el("button.primary", { type: "submit" }, label);
		switch (request.method) {
		case "select": {
			const options = request.options.map((o, i) => el("button", { type: "button", autofocus: i === 0, onclick: () => this.#say({ value: o }) }, o));
			const list = el("div.options", {
				onkeydown: (e) => {
					const at = options.indexOf(e.target);
					const to = { ArrowDown: options[at + 1], ArrowUp: options[at - 1] }[e.key];
					if (to) {
						e.preventDefault();
						to.focus();
					}
				},
			}, options);
			return [list, el("div.row", null, cancel)];
		}
		case "input":
			return [el("input", { name: "value", placeholder: request.placeholder, autofocus: true, "aria-labelledby": "dialog-title", autocomplete: "off" }), el("div.row", null, cancel, ok("OK"))];
		case "editor": {
			const area = el("textarea", {
				name: "value", rows: "12", autofocus: true, "aria-labelledby": "dialog-title",
				onkeydown: (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) e.target.form.requestSubmit(); },
			});
			area.value = request.prefill ?? "";
			return [area, el("div.row", null, el("span.aside", null, "Ctrl ↵ for OK"), cancel, ok("OK"))];
		}
		case "tell":
			return [request.content, el("div.row", null, el("button.primary", { type: "submit", autofocus: true }, "Close"))];
		}
		const no = el("button", { type: "button", onclick: () => this.#say({ confirmed: false }) }, request.label ? "Cancel" : "No");
		const yes = ok(request.label ?? "Yes");
		yes.setAttribute("autofocus", "");
		return [request.message ? el("p.plain", null, request.message) : "", el("div.row", null, no, yes)];
	}
}
