// SettingsManager: the settings of Pi's clients, to read and to change.
import { host } from "rondo:host";
import * as fs from "node:fs";
import * as path from "node:path";

const read = (file) => { try { return JSON.parse(fs.readFileSync(file, "utf8")); } catch { return {}; } };
const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);
function merged(a, b) {
	const out = { ...a };
	for (const [key, value] of Object.entries(b)) out[key] = isObject(value) && isObject(out[key]) ? merged(out[key], value) : value;
	return out;
}

// What is read under a name of its own, or has a default.
const defaults = {
	steeringMode: "one-at-a-time", followUpMode: "one-at-a-time", hideThinkingBlock: false, quietStartup: false, collapseChangelog: false,
	packages: [], extensions: [], skills: [], prompts: [], themes: [], enableSkillCommands: true, transport: "auto", doubleEscapeAction: "tree",
};
const named = { extensionPaths: "extensions", skillPaths: "skills", promptTemplatePaths: "prompts", themePaths: "themes", themeSetting: "theme" };
const parts = {
	compaction: { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 },
	retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000 },
	branchSummary: { reserveTokens: 16384, skipPrompt: false },
};
const inside = {
	compactionEnabled: ["compaction", "enabled"], compactionReserveTokens: ["compaction", "reserveTokens"], compactionKeepRecentTokens: ["compaction", "keepRecentTokens"],
	retryEnabled: ["retry", "enabled"], branchSummarySkipPrompt: ["branchSummary", "skipPrompt"],
	showImages: ["terminal", "showImages", true], clearOnShrink: ["terminal", "clearOnShrink", false], imageAutoResize: ["images", "autoResize", true], blockImages: ["images", "blockImages", false],
};
const names = `defaultProvider defaultModel defaultThinkingLevel theme steeringMode followUpMode hideThinkingBlock shellPath shellCommandPrefix npmCommand quietStartup
	collapseChangelog packages extensionPaths skillPaths promptTemplatePaths themePaths themeSetting enableSkillCommands thinkingBudgets enabledModels defaultTools
	doubleEscapeAction treeFilterMode transport sessionDir editorPaddingX autocompleteMaxVisible defaultProjectTrust lastChangelogVersion warnings`.split(/\s+/);

export class SettingsManager {
	#file;
	#global;
	#project;
	#trusted = true;
	#files;
	#overrides = {};

	constructor(files, global = {}) {
		this.#files = files;
		this.#file = files?.[0];
		this.#global = global;
		this.#project = {};
		if (files) this.#load();
	}
	static create(cwd = process.cwd(), agentDir = host("program.about").home) {
		return new SettingsManager([path.join(agentDir, "settings.json"), path.join(cwd, ".pi", "settings.json"), path.join(cwd, ".rondo", "settings.json")]);
	}
	static inMemory(settings = {}) { return new SettingsManager(undefined, structuredClone(settings)); }

	#load() {
		const [mine, ...project] = this.#files.map(read);
		this.#global = mine;
		this.#project = project.reduce(merged, {});
	}
	get #all() { return merged(merged(this.#global, this.#trusted ? this.#project : {}), this.#overrides); }

	async reload() { if (this.#files) this.#load(); }
	async flush() {}
	drainErrors() { return []; }
	getGlobalSettings() { return structuredClone(this.#global); }
	getProjectSettings() { return structuredClone(this.#project); }
	isProjectTrusted() { return this.#trusted; }
	setProjectTrusted(trusted) { this.#trusted = Boolean(trusted); }
	applyOverrides(overrides) { this.#overrides = merged(this.#overrides, overrides); }
	get(name) { return this.#all[name]; }
	// set changes the user's file, of which everything else stays.
	set(name, value, part) {
		const change = (settings) => {
			if (part) settings[name] = { ...settings[name], [part]: value };
			else if (value === undefined) delete settings[name];
			else settings[name] = value;
		};
		change(this.#global);
		if (!this.#file) return;
		const now = read(this.#file);
		change(now);
		fs.mkdirSync(path.dirname(this.#file), { recursive: true });
		fs.writeFileSync(this.#file, JSON.stringify(now, null, 2) + "\n");
	}
	setDefaultModelAndProvider(provider, model) { this.set("defaultProvider", provider); this.set("defaultModel", model); }
	getCompactionSettings() { return { ...parts.compaction, ...this.get("compaction") }; }
	getRetrySettings() { return { ...parts.retry, ...this.get("retry") }; }
	getBranchSummarySettings() { return { ...parts.branchSummary, ...this.get("branchSummary") }; }
	getProviderRetrySettings() { return { ...this.get("retry")?.provider }; }
}

const method = (verb, name) => verb + name[0].toUpperCase() + name.slice(1);
const define = (name, value) => Object.defineProperty(SettingsManager.prototype, name, { value, writable: true, configurable: true });
for (const name of names) {
	const key = named[name] ?? name;
	define(method("get", name), function () { return this.get(key) ?? structuredClone(defaults[key]); });
	define(method("set", name), function (value) { this.set(key, value); });
}
for (const [name, [group, part, otherwise]] of Object.entries(inside)) {
	define(method("get", name), function () { return this.get(group)?.[part] ?? parts[group]?.[part] ?? otherwise; });
	define(method("set", name), function (value) { this.set(group, value, part); });
}
