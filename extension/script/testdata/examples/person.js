// The person at the terminal: answers the same everywhere, presses the same keys, and writes
// down what is shown.

import * as canned from "./canned.js";
import * as clock from "./clock.js";
import { note, plain } from "./trace.js";
import { placement, some } from "./words.js";

export function terminal() {
  const tui = {
    mode: "regular",
    children: [],
    fullRedraws: 0,
    terminal: { columns: 80, rows: 40, kittyProtocolActive: false, write: (s) => note("stdout", s) },
    requestRender() {},
    renderNow() {},
    addChild: (c) => tui.children.push(c),
    removeChild(c) {
      tui.children = tui.children.filter((x) => x !== c);
    },
    clear() {
      tui.children = [];
    },
    setFocus: () => note("tui.setFocus"),
    showOverlay(component, options) {
      note("tui.showOverlay", placement(options));
      show("overlay", component, [60]);
      return handle();
    },
    hideOverlay: () => note("tui.hideOverlay"),
    hasOverlay: () => false,
    start: () => note("tui.start"),
    stop: () => note("tui.stop"),
    invalidate() {},
    addInputListener: () => () => {},
    removeInputListener() {},
    getShowHardwareCursor: () => false,
    setShowHardwareCursor() {},
    getClearOnShrink: () => false,
    setClearOnShrink() {},
  };
  return tui;
}

function handle() {
  let hidden = false;
  let focused = true;
  return {
    hide: () => note("overlay.hide"),
    setHidden(value) {
      hidden = value;
      note("overlay.setHidden", value);
    },
    isHidden: () => hidden,
    focus() {
      focused = true;
      note("overlay.focus");
    },
    unfocus() {
      focused = false;
      note("overlay.unfocus");
    },
    isFocused: () => focused,
    getBounds: () => ({ row: 2, col: 3, width: 40, height: 10 }),
  };
}

// What a component has drawn last stays when it fails.
const drawn = new WeakMap();

export function draw(component, width) {
  try {
    drawn.set(component, component.render(width));
  } catch (error) {
    note("failed", error);
  }
  return drawn.get(component) ?? [];
}

// show renders a component at some widths.
export function show(label, component, widths = [80, 37]) {
  if (component == null || typeof component.render !== "function") {
    note("render", label, "nothing");
    return;
  }
  for (const width of widths) note("render", label, width, draw(component, width));
}

// press feeds keys until finished says so, and shows what changed.
export async function press(label, component, keys, finished) {
  let last = "";
  for (const key of keys) {
    if (finished()) return;
    if (/^\x1b\[\d+;\d+:3u$/.test(key) && !component.wantsKeyRelease) continue;
    try {
      component.handleInput?.(key);
    } catch (error) {
      note("failed", error);
    }
    await clock.advance(40);
    await clock.quiet();
    const lines = draw(component, 72);
    const now = JSON.stringify(plain(lines));
    note("key", label, key, now === last ? "same" : lines);
    last = now;
  }
}

export function user(state, env) {
  const pick = (options) => [options[0], options[options.length - 1], undefined][state.variant % 3];
  const answer = async (what, value, ...said) => {
    note(`ui.${what}`, ...said, { answer: value ?? null });
    return value;
  };
  const ui = {
    theme: env.theme,
    select: (title, options, opts) => answer("select", pick(options), title, options, opts?.timeout ?? 0),
    confirm: (title, message, opts) => answer("confirm", state.variant % 2 === 0, title, message ?? "", opts?.timeout ?? 0),
    input: (title, placeholder, opts) => answer("input", state.variant % 3 === 2 ? undefined : "typed text", title, placeholder ?? "", opts?.timeout ?? 0),
    editor: (title, text) => answer("editor", state.variant % 3 === 2 ? undefined : `${text ?? ""}\nedited`, title, text ?? ""),
    notify: (message, type) => note("ui.notify", message, type ?? ""),
    getEditorText: () => "draft",
    getAllThemes: () => [{ name: "dark", path: undefined }, { name: "light", path: undefined }],
    getTheme: () => env.theme,
    setTheme(theme) {
      note("ui.setTheme", typeof theme === "string" ? theme : theme.name);
      return { success: true };
    },
    getToolsExpanded: () => false,
    getEditorComponent: () => state.editorFactory,
    onTerminalInput(handler) {
      note("ui.onTerminalInput");
      state.terminalInput = handler;
      return () => note("ui.onTerminalInput ended");
    },
    addAutocompleteProvider(factory) {
      note("ui.addAutocompleteProvider");
      state.autocomplete.push(factory);
    },
    setEditorComponent(factory) {
      note("ui.setEditorComponent", Boolean(factory));
      state.editorFactory = factory;
    },
    setWidget(key, content, options) {
      const what = typeof content === "function" ? "component" : (content ?? null);
      note("ui.setWidget", key, what, content ? (options?.placement ?? "") : "");
      if (typeof content === "function") keep(state, `widget ${key}`, () => content(state.tui, env.theme));
    },
    setFooter(factory) {
      note("ui.setFooter", Boolean(factory));
      if (factory) keep(state, "footer", () => factory(state.tui, env.theme, footerData()));
    },
    setHeader(factory) {
      note("ui.setHeader", Boolean(factory));
      if (factory) keep(state, "header", () => factory(state.tui, env.theme));
    },
    setWorkingIndicator: (o) => note("ui.setWorkingIndicator", o ? { frames: o.frames ?? [], ...some({ intervalMs: o.intervalMs }) } : null),
    custom: (factory, options) => custom(state, env, factory, options),
  };
  for (const name of ["setStatus", "setWorkingMessage", "setWorkingVisible", "setHiddenThinkingLabel", "setTitle", "pasteToEditor", "setEditorText", "setToolsExpanded"]) {
    ui[name] = (...args) => note(`ui.${name}`, ...(name === "setStatus" ? [args[0], args[1] ?? null] : [args[0] ?? null]));
  }
  return ui;
}

// made calls what makes a component; what it throws is a failure that is told.
export function made(make) {
  try {
    return make();
  } catch (error) {
    note("failed", error);
    return undefined;
  }
}

function keep(state, label, make) {
  const component = made(make);
  state.components.push([label, component]);
  show(label, component);
}

function footerData() {
  return {
    getGitBranch: () => "main",
    getExtensionStatuses: () => new Map([["one", "first"], ["two", "second"]]),
    getAvailableProviderCount: () => 2,
    onBranchChange(fn) {
      note("footer.onBranchChange");
      return () => note("footer.onBranchChange ended");
    },
  };
}

async function custom(state, env, factory, options) {
  note("ui.custom", Boolean(options?.overlay), placement(options?.overlayOptions));
  let finished = false;
  let value;
  const done = (v) => {
    if (finished) return;
    finished = true;
    value = v;
    note("custom done");
  };
  let over;
  state.customs++;
  try {
    const component = await factory(state.tui, env.theme, state.keybindings, done);
    if (options?.onHandle) options.onHandle(handle());
    if (component && "focused" in component) component.focused = true;
    if (!finished) show("custom", component, [80, 37, 12]);
    // The person uses one after another.
    const before = state.turn;
    state.turn = new Promise((done) => (over = done));
    await before;
    await clock.advance(300);
    await clock.quiet();
    if (!finished) {
      const mine = state.variant % 2 === 1 ? [...canned.keys].reverse() : canned.keys;
      // Who is asked again and again gives up.
      const tired = ++state.shown > 10;
      await press("custom", component, state.variant % 3 === 2 || tired ? [] : mine, () => finished);
      if (!finished) await press("custom", component, canned.closing, () => finished);
    }
    component?.dispose?.();
    note("custom ended", finished);
  } finally {
    state.customs--;
    over?.();
  }
  return value;
}
