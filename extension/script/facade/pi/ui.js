// The object "ctx.ui": the person at the other end.
import { ask, later } from "./calls.js";
import { initTheme } from "../agent-ui/index.js";
import { get } from "rondo:functions";
import * as terminal from "./components.js";

const orNull = (value) => (value === undefined ? null : value);

export class UI {
	#x;
	#c;
	constructor(x, c) {
		this.#x = x;
		this.#c = c;
	}

	#tell(op, arg) { ask("ui." + op, this.#x, arg); }
	#dialog(op, arg, options) {
		return later("ui." + op, this.#x, { ...arg, timeout: options?.timeout ?? 0 }, { c: this.#c, signal: options?.signal })
			.catch((error) => { if (error.name === "AbortError") return undefined; throw error; });
	}

	async select(title, options, more) { return (await this.#dialog("select", { title, options: [...options] }, more)) ?? undefined; }
	async confirm(title, message, more) { return (await this.#dialog("confirm", { title, message: message ?? "" }, more)) ?? false; }
	async input(title, placeholder, more) { return (await this.#dialog("input", { title, placeholder: placeholder ?? "" }, more)) ?? undefined; }
	async editor(title, prefill, more) { return (await this.#dialog("editor", { title, prefill: prefill ?? "" }, more)) ?? undefined; }

	notify(message, type) { this.#tell("notify", { message: String(message), type: type ?? "" }); }
	setStatus(key, text) { this.#tell("setStatus", { key, text: orNull(text) }); }
	setTitle(title) { this.#tell("setTitle", { title: String(title) }); }
	setEditorText(text) { this.#tell("setEditorText", { text: String(text) }); }
	pasteToEditor(text) { this.#tell("pasteToEditor", { text: String(text) }); }
	getEditorText() { return ask("ui.getEditorText", this.#x); }
	setWorkingMessage(text) { this.#tell("setWorkingMessage", { text: orNull(text) }); }
	setWorkingVisible(visible) { this.#tell("setWorkingVisible", { visible: Boolean(visible) }); }
	setWorkingIndicator(options) { this.#tell("setWorkingIndicator", { indicator: orNull(options) }); }
	setHiddenThinkingLabel(label) { this.#tell("setHiddenThinkingLabel", { text: orNull(label) }); }
	getToolsExpanded() { return ask("ui.getToolsExpanded", this.#x); }
	setToolsExpanded(expanded) { this.#tell("setToolsExpanded", { expanded: Boolean(expanded) }); }

	setWidget(key, content, options) {
		const widget = { key, placement: options?.placement ?? "" };
		if (Array.isArray(content)) widget.lines = content.map(String);
		else if (typeof content === "function") widget.component = terminal.componentFactory(content);
		this.#tell("setWidget", widget);
	}

	setFooter(factory) { this.#tell("setFooter", { component: factory ? terminal.componentFactory(factory) : 0 }); }
	setHeader(factory) { this.#tell("setHeader", { component: factory ? terminal.componentFactory(factory) : 0 }); }
	setEditorComponent(factory) {
		terminal.editorFactory.current = factory;
		this.#tell("setEditorComponent", { component: factory ? terminal.componentFactory(factory) : 0 });
	}
	getEditorComponent() { return terminal.editorFactory.current; }
	custom(factory, options) { return terminal.custom(this.#x, this.#c, factory, options); }
	onTerminalInput(handler) {
		const h = get((data) => handler(data));
		this.#tell("onTerminalInput", { h });
		return () => this.#tell("offTerminalInput", { h });
	}
	addAutocompleteProvider(factory) { this.#tell("addAutocompleteProvider", { h: terminal.autocomplete(factory) }); }

	get theme() { return terminal.theme(this.#x); }
	getAllThemes() { return ask("ui.themes", this.#x); }
	getTheme(name) { return terminal.theme(this.#x, name); }
	setTheme(theme) {
		try {
			const name = typeof theme === "string" ? theme : theme.name;
			ask("ui.setTheme", this.#x, { name });
			initTheme(name);
			return { success: true };
		} catch (error) {
			return { success: false, error: error.message };
		}
	}
}
