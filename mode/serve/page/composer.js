// What the person writes: the text, images, commands, and where it goes.

import { $, el } from "./dom.js";

// maxImage is how large an image may be that is pasted or dropped, in bytes.
const maxImage = 20 << 20;

/** Composer is the form below the conversation. on has send(text, images, behavior), stop(), failed(error). */
export class Composer {
	#images = [];
	#commands = [];
	#busy = false;
	#drafts = new Map(); // what has been written in other sessions
	#of = "";

	constructor(on) {
		this.on = on;
		this.text = $("text");
		this.list = $("commands");
		$("composer").addEventListener("submit", (e) => {
			e.preventDefault();
			this.#send(this.#busy ? "steer" : undefined);
		});
		$("later").addEventListener("click", () => this.#send("followUp"));
		$("stop").addEventListener("click", () => on.stop());
		this.text.addEventListener("input", () => this.#changed());
		this.text.addEventListener("keydown", (e) => this.#key(e));
		this.text.addEventListener("blur", () => setTimeout(() => { this.list.hidden = true; }, 150));
		this.text.addEventListener("paste", (e) => this.#take(e, e.clipboardData));
		$("main").addEventListener("dragover", (e) => e.preventDefault());
		$("main").addEventListener("drop", (e) => this.#take(e, e.dataTransfer));
	}

	/** session puts the draft away and takes that of another session. */
	session(id) {
		this.#drafts.set(this.#of, this.text.value);
		this.#of = id;
		this.#images = [];
		this.#commands = [];
		this.set(this.#drafts.get(id) ?? "");
		this.#showImages();
	}

	commands(list) { this.#commands = list; }

	busy(busy) {
		this.#busy = busy;
		$("stop").hidden = !busy;
		$("later").hidden = !busy;
		$("send").firstChild.textContent = busy ? "Steer " : "Send ";
		this.text.placeholder = busy ? "Say something for the next step" : "Ask for something";
	}

	set(text) {
		this.text.value = text;
		this.#changed();
	}

	/** add puts a text before what is written. */
	add(text) { this.set([text, this.text.value].filter((t) => t.trim()).join("\n\n")); }

	focus() { this.text.focus({ preventScroll: true }); }

	#changed() {
		this.text.style.height = "auto";
		this.text.style.height = Math.min(this.text.scrollHeight, innerHeight * 0.4) + "px";
		this.#complete();
	}

	async #send(behavior) {
		const text = this.text.value.trim(), images = this.#images;
		if (!text && !images.length) return;
		this.set("");
		this.#images = [];
		this.#showImages();
		const of = this.#of;
		try {
			await this.on.send(text, images, behavior);
		} catch (error) {
			// What could not be sent is not lost.
			if (of === this.#of) {
				this.add(text);
				this.#images = images;
				this.#showImages();
			} else {
				this.#drafts.set(of, text);
			}
			this.on.failed(error);
		}
	}

	#key(e) {
		if (e.isComposing) return;
		const open = !this.list.hidden;
		if (open && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
			e.preventDefault();
			this.#move(e.key === "ArrowDown" ? 1 : -1);
		} else if (open && e.key === "Tab") {
			e.preventDefault();
			this.#choose(this.list.querySelector("[aria-selected=true]"));
		} else if (open && e.key === "Escape") {
			e.stopPropagation();
			this.list.hidden = true;
		} else if (e.key === "Enter" && !e.shiftKey && !e.ctrlKey && !e.metaKey) {
			e.preventDefault();
			this.#send(this.#busy ? (e.altKey ? "followUp" : "steer") : undefined);
		}
	}

	// #complete offers the commands that begin as the text does.
	#complete() {
		const typed = this.text.value.match(/^\/(\S*)$/)?.[1];
		const fits = typed == null ? [] : this.#commands.filter((c) => c.name.startsWith(typed)).slice(0, 8);
		this.list.hidden = fits.length === 0 || document.activeElement !== this.text;
		this.list.replaceChildren(...fits.map((c, i) => el("li", {
			role: "option", "aria-selected": String(i === 0), "data-name": c.name, onmousedown: (e) => this.#choose(e.currentTarget),
		}, el("code", null, "/" + c.name), el("span", null, c.description ?? ""))));
	}

	#move(by) {
		const all = [...this.list.children];
		const at = all.findIndex((o) => o.getAttribute("aria-selected") === "true");
		all[at]?.setAttribute("aria-selected", "false");
		all.at((at + by + all.length) % all.length).setAttribute("aria-selected", "true");
	}

	#choose(option) {
		if (!option) return;
		this.set("/" + option.dataset.name + " ");
		this.focus();
	}

	#take(e, data) {
		const files = [...(data?.files ?? [])].filter((f) => f.type.startsWith("image/"));
		if (!files.length) return;
		e.preventDefault();
		for (const file of files) this.#attach(file);
	}

	#attach(file) {
		if (file.size > maxImage) return this.on.failed(new Error(`The image has ${Math.round(file.size / (1 << 20))} MB: at most ${maxImage >> 20} MB can be sent.`));
		const reader = new FileReader();
		reader.onload = () => {
			this.#images.push({ data: reader.result.slice(reader.result.indexOf(",") + 1), mimeType: file.type });
			this.#showImages();
		};
		reader.readAsDataURL(file);
	}

	#showImages() {
		$("images").replaceChildren(...this.#images.map((image) => el("button", {
			type: "button", title: "Take the image out", "aria-label": "Take the image out",
			onclick: () => {
				this.#images = this.#images.filter((i) => i !== image);
				this.#showImages();
			},
		}, el("img", { src: `data:${image.mimeType};base64,${image.data}`, alt: "" }))));
	}
}
