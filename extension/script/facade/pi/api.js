// The object "pi": what an extension registers with and acts through.
import { ask, later } from "./calls.js";
import { bus } from "./bus.js";
import { componentFactory } from "./components.js";
import { get } from "rondo:functions";
import { plain } from "./plain.js";
import { provider } from "./provider.js";

const functionOrThrow = (fn, what) => {
	if (typeof fn !== "function") throw new TypeError(`${what} must be a function`);
	return get(fn);
};

const content = (value) => (typeof value === "string" ? value : Array.isArray(value) ? value : String(value ?? ""));

class ExtensionAPI {
	#x;
	#bus;

	constructor(x) { this.#x = x; }

	on(event, handler) {
		ask("on", this.#x, { event: String(event), h: functionOrThrow(handler, `the handler of ${event}`) });
	}

	registerTool(tool) {
		if (tool === null || typeof tool !== "object") throw new TypeError("registerTool needs a tool");
		ask("registerTool", this.#x, {
			name: tool.name,
			label: tool.label,
			description: tool.description,
			parameters: tool.parameters,
			promptSnippet: tool.promptSnippet,
			promptGuidelines: tool.promptGuidelines,
			executionMode: tool.executionMode,
			renderShell: tool.renderShell,
			execute: typeof tool.execute === "function" ? get((...args) => tool.execute(...args)) : 0,
			prepare: typeof tool.prepareArguments === "function" ? get((args) => tool.prepareArguments(args)) : 0,
			renderCall: typeof tool.renderCall === "function" ? componentFactory((...args) => tool.renderCall(...args)) : 0,
			renderResult: typeof tool.renderResult === "function" ? componentFactory((...args) => tool.renderResult(...args)) : 0,
		});
	}

	registerCommand(name, options) {
		ask("registerCommand", this.#x, {
			name,
			description: options?.description,
			h: functionOrThrow(options?.handler, `the handler of the command ${name}`),
			completions: typeof options.getArgumentCompletions === "function" ? get((prefix) => options.getArgumentCompletions(prefix)) : 0,
		});
	}

	registerShortcut(key, options) {
		ask("registerShortcut", this.#x, {
			key,
			description: options?.description,
			h: functionOrThrow(options?.handler, `the handler of the shortcut ${key}`),
		});
	}

	registerFlag(name, options) {
		ask("registerFlag", this.#x, { name, description: options?.description, type: options?.type, default: options?.default });
	}

	getFlag(name) {
		return ask("getFlag", this.#x, { name }) ?? undefined;
	}

	registerMessageRenderer(customType, render) {
		ask("registerMessageRenderer", this.#x, { customType, h: componentFactory(render) });
	}

	registerEntryRenderer(customType, render) {
		ask("registerEntryRenderer", this.#x, { customType, h: componentFactory(render) });
	}

	registerMarkdownTransformer(transform) {
		ask("registerMarkdownTransformer", this.#x, { h: functionOrThrow(transform, "a markdown transformer") });
	}

	registerProvider(name, config) {
		if (typeof name === "object" && name !== null) return ask("registerProvider", this.#x, { name: name.id ?? name.name, provider: provider(name) });
		ask("registerProvider", this.#x, { name, provider: provider(config ?? {}) });
	}

	unregisterProvider(name) {
		ask("unregisterProvider", this.#x, { name });
	}

	sendMessage(message, options) {
		ask("sendMessage", this.#x, {
			message: { customType: message.customType, content: content(message.content), display: message.display ?? true, details: message.details },
			options: options ?? {},
		});
	}

	sendUserMessage(text, options) {
		ask("sendUserMessage", this.#x, { content: content(text), ...options });
	}

	appendEntry(customType, data) {
		ask("appendEntry", this.#x, { customType, data });
	}

	setSessionName(name) {
		ask("setSessionName", this.#x, { name: String(name) });
	}

	getSessionName() {
		return ask("getSessionName", this.#x) ?? undefined;
	}

	setLabel(entryId, label) {
		ask("setLabel", this.#x, { entryId, label: label ?? "" });
	}

	exec(command, args, options) {
		const { signal, ...rest } = options ?? {};
		return later("exec", this.#x, { command, args: args ?? [], ...rest }, { signal });
	}

	getActiveTools() {
		return ask("getActiveTools", this.#x);
	}

	getAllTools() {
		return ask("getAllTools", this.#x);
	}

	setActiveTools(names) {
		ask("setActiveTools", this.#x, { names: [...names] });
	}

	getCommands() {
		return ask("getCommands", this.#x);
	}

	setModel(model) {
		return later("setModel", this.#x, { model });
	}

	getThinkingLevel() {
		return ask("getThinkingLevel", this.#x);
	}

	setThinkingLevel(level) {
		ask("setThinkingLevel", this.#x, { level });
	}

	get events() {
		this.#bus ??= bus(this.#x);
		return this.#bus;
	}
}

export const extensionAPI = (x) => plain(new ExtensionAPI(x));
