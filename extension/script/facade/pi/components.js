// Components of extensions, which Go shows in the terminal, and what they get of it.
import { entry } from "rondo:host";
import { ask, later, run } from "./calls.js";
import { getEditorTheme } from "../agent-ui/index.js";
import { painted } from "../agent-ui/theme.js";
import { call, drop, fresh, get } from "rondo:functions";

// Components by number, as Go knows them.
const components = new Map();
const numbers = new WeakMap();

function number(component) {
	if (component === null || component === undefined) return 0;
	let n = numbers.get(component);
	if (!n) {
		n = fresh();
		numbers.set(component, n);
	}
	components.set(n, component);
	return n;
}

entry("component.render", ({ n, width }) => [...(components.get(n)?.render(width) ?? [])]);
entry("component.input", ({ n, data }) => { components.get(n)?.handleInput?.(data); });
entry("component.invalidate", ({ n }) => { components.get(n)?.invalidate?.(); });
entry("component.focus", ({ n, focused }) => { const c = components.get(n); if (c && "focused" in c) c.focused = focused; });
entry("component.dispose", ({ n }) => { components.get(n)?.dispose?.(); components.delete(n); });
entry("component.about", ({ n }) => ({ keyRelease: Boolean(components.get(n)?.wantsKeyRelease), width: components.get(n)?.width }));

// componentFactory hands a function over that makes components.
export const componentFactory = (fn) => {
	if (typeof fn !== "function") throw new TypeError("a component is made by a function");
	return get(fn);
};

// make calls a factory. The arguments are descriptions: { screen }, { theme }, { keys },
// { value }, …
entry("component.make", ({ x, c, h, args }) => {
	const made = run({ x, c }, () => call(h, ...args.map((a) => argument(x, c, a))));
	if (typeof made?.then === "function") return made.then(number);
	return number(made);
});

function argument(x, c, a) {
	if (a.screen) return screen(x, a.screen);
	if (a.theme !== undefined) return themeOf(x, a.theme);
	if (a.keys) return { matches: (data, action) => ask("ui.keyMatches", x, { n: a.keys, data, action }), getKeys: (action) => ask("ui.keysOf", x, { n: a.keys, action }) };
	if (a.done) return (result) => { results.set(a.done, result); ask("ui.done", x, { n: a.done }); };
	if (a.footer) return footerData(x, a.footer);
	if (a.context) return { ...a.context, lastComponent: components.get(a.context.lastComponent), state: stateOf(a.context.toolCallId), invalidate: () => ask("ui.again", x, { n: a.context.invalidate }) };
	return a.value;
}

// The state of a tool's renderers lives as long as the call is shown.
const states = new Map();
function stateOf(id) {
	if (!states.has(id)) {
		if (states.size >= 500) states.delete(states.keys().next().value);
		states.set(id, {});
	}
	return states.get(id);
}

// screen is the object "tui".
function screen(x, n) {
	const size = () => ask("ui.size", x, { n });
	const requestRender = (full) => ask("ui.requestRender", x, { n, full: Boolean(full) });
	const listeners = new Map();
	const removeInputListener = (listener) => {
		const h = listeners.get(listener);
		listeners.delete(listener);
		if (h) ask("ui.offTerminalInput", x, { h });
	};
	return {
		mode: "regular",
		requestRender,
		renderNow: requestRender,
		invalidate: () => requestRender(true),
		setFocus: (component) => ask("ui.setFocus", x, { n, component: number(component) }),
		showOverlay: (component, options) => overlay(x, ask("ui.showOverlay", x, { n, component: number(component), ...overlayOptions(options) })),
		hideOverlay: () => ask("ui.hideOverlay", x, { n }),
		hasOverlay: () => ask("ui.hasOverlay", x, { n }),
		addInputListener(listener) {
			if (!listeners.has(listener)) {
				const h = get((data) => listener(data));
				listeners.set(listener, h);
				ask("ui.onTerminalInput", x, { h });
			}
			return () => removeInputListener(listener);
		},
		removeInputListener,
		stop: () => ask("ui.stop", x, { n }),
		start: () => ask("ui.start", x, { n }),
		terminal: {
			get columns() { return size().columns; },
			get rows() { return size().rows; },
			write: (data) => process.stdout.write(data),
			setTitle: (title) => ask("ui.setTitle", x, { title: String(title) }),
		},
	};
}

function overlay(x, n) {
	const tell = (what, arg) => ask("ui.overlay", x, { n, what, ...arg });
	return {
		hide: () => tell("hide"),
		setHidden: (hidden) => tell("setHidden", { hidden: Boolean(hidden) }),
		isHidden: () => tell("isHidden"),
		focus: () => tell("focus"),
		unfocus: (options) => (options && "target" in options ? tell("unfocusTo", { component: number(options.target) }) : tell("unfocus")),
		isFocused: () => tell("isFocused"),
		getBounds: () => ask("ui.overlayBounds", x, { n }) ?? undefined,
	};
}

const sides = ["top", "right", "bottom", "left"];
function plainOptions(o) {
	if (!o) return null;
	const text = (v) => (v === undefined ? "" : String(v));
	const margin = typeof o.margin === "number" ? Object.fromEntries(sides.map((s) => [s, o.margin])) : o.margin;
	return {
		width: text(o.width), minWidth: o.minWidth ?? 0, maxHeight: text(o.maxHeight), anchor: o.anchor ?? "",
		offsetX: o.offsetX ?? 0, offsetY: o.offsetY ?? 0, row: text(o.row), col: text(o.col), margin: margin ?? {},
		nonCapturing: Boolean(o.nonCapturing),
	};
}

// overlayOptions describes options that may be a function, and one that says where to show.
function overlayOptions(options) {
	const now = () => (typeof options === "function" ? options() : options);
	const visible = now()?.visible;
	return { options: plainOptions(now()), live: typeof options === "function" ? get(() => plainOptions(now())) : 0, visible: typeof visible === "function" ? get((c, r) => Boolean(now()?.visible?.(c, r))) : 0 };
}

// Results of custom components stay in the machine.
const results = new Map();

export async function custom(x, c, factory, options) {
	const handle = typeof options?.onHandle === "function" ? get((n) => options.onHandle(overlay(x, n))) : 0;
	if (typeof factory !== "function") throw new TypeError("a component is made by a function");
	const h = get((...args) => {
		const made = factory(...args);
		if (typeof made?.then === "function") ask("ui.unready", x, { h }); // other dialogs do not wait for it
		return made;
	});
	try {
		const n = await later("ui.custom", x, { h, overlay: Boolean(options?.overlay), ...overlayOptions(options?.overlayOptions), handle }, { c });
		const result = results.get(n);
		results.delete(n);
		return result;
	} finally {
		drop(h);
	}
}

// Themes: the one in use, or one by name. The person's terminal has the colours.
const themes = new Map();
function themeOf(x, name) {
	const key = x + " " + name;
	if (!themes.has(key)) {
		const paint = (how, text, color = "") => ask("ui.paint", x, { theme: name, how, color, text: String(text) });
		themes.set(key, painted({
			paint,
			has: () => true,
			get name() { return paint("name", ""); },
			get sourcePath() { return ask("ui.themes", x).find((t) => t.name === this.name)?.path || undefined; },
		}));
	}
	return themes.get(key);
}

export function theme(x, name) {
	if (name !== undefined && !ask("ui.themes", x).some((t) => t.name === name)) return undefined;
	return themeOf(x, name ?? "");
}

function footerData(x, n) {
	return {
		getGitBranch: () => ask("ui.footer", x, { n }).branch || null,
		getExtensionStatuses: () => new Map(Object.entries(ask("ui.footer", x, { n }).statuses ?? {})),
		getAvailableProviderCount: () => ask("ui.footer", x, { n }).providers,
		onBranchChange(fn) {
			const h = get(() => fn());
			ask("ui.onBranch", x, { n, h });
			return () => ask("ui.offBranch", x, { h });
		},
	};
}

// The factory of the editor in use stays here, since getEditorComponent returns it.
export const editorFactory = { current: undefined };

entry("editor.make", ({ x, c, h, args }) => {
	const [tui, , keys] = args.map((a) => argument(x, c, a));
	const editor = run({ x, c }, () => call(h, tui, getEditorTheme(), keys));
	const n = number(editor);
	editor.onSubmit = (text) => ask("ui.editorSays", x, { n, what: "submit", text });
	editor.onChange = (text) => ask("ui.editorSays", x, { n, what: "change", text });
	return n;
});
entry("editor.get", ({ n }) => components.get(n)?.getText() ?? "");
entry("editor.expanded", ({ n }) => { const e = components.get(n); return e?.getExpandedText?.() ?? e?.getText() ?? ""; });
entry("editor.set", ({ n, text }) => { components.get(n)?.setText(text); });
entry("editor.insert", ({ n, text }) => { components.get(n)?.insertTextAtCursor?.(text); });
entry("editor.history", ({ n, text }) => { components.get(n)?.addToHistory?.(text); });

entry("editor.complete", ({ n, x, provider, triggers }) => {
	const triggerCharacters = (triggers ?? []).filter((c) => c !== "/"); // editors know commands by themselves
	const current = completer(x, provider);
	components.get(n)?.setAutocompleteProvider?.(provider.own ? current : { ...current, triggerCharacters });
});

// completer is what completes the person's text: the terminal, with what extensions have added.
const providers = [undefined];
const completer = (x, { own, held: n }) => own ? providers[own] : ({
	getSuggestions: (lines, line, col, options) => later("ui.suggest", x, { n, lines, line, col, force: Boolean(options?.force) }, { signal: options?.signal }),
	applyCompletion: (lines, line, col, item, prefix) => ask("ui.applyCompletion", x, { n, lines, line, col, item, prefix }),
	shouldTriggerFileCompletion: (lines, line, col) => ask("ui.triggersFiles", x, { n, lines, line, col }),
});

// autocomplete hands a wrapper of what completes the person's text over.
export const autocomplete = (factory) => get((x, current) => {
	const own = factory(completer(x, current));
	return {
		own: providers.push(own) - 1,
		suggest: get((lines, line, col, force) => own.getSuggestions(lines, line, col, { force, signal: new AbortController().signal })),
		apply: get((lines, line, col, item, prefix) => own.applyCompletion(lines, line, col, item, prefix)),
		files: typeof own.shouldTriggerFileCompletion === "function" ? get((lines, line, col) => own.shouldTriggerFileCompletion(lines, line, col)) : 0,
		triggers: own.triggerCharacters ?? [],
	};
});
