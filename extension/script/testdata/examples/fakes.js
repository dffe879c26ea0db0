// A session, a user and a terminal that answer the same everywhere and write down what is asked.

import * as canned from "./canned.js";
import * as clock from "./clock.js";
import { note, plain } from "./trace.js";

const builtin = ["read", "bash", "edit", "write", "grep", "find", "ls"];

export function world(env) {
  const state = {
    entries: canned.entries(),
    labels: new Map(),
    active: builtin.slice(0, 4),
    name: undefined,
    level: "medium",
    model: canned.model,
    variant: 0,
    shown: 0,
    registered: { events: [], commands: [], tools: [], shortcuts: [], flags: new Map(), messages: new Map(), entryRenderers: new Map(), providers: [] },
    sent: [],
    components: [],
    editorFactory: undefined,
    autocomplete: [],
    keybindings: undefined,
  };
  state.tui = terminal();
  state.ui = user(state, env);
  state.sessionManager = manager(state, env);
  state.modelRegistry = registry();
  state.pi = api(state, env);
  return state;
}

function terminal() {
  const tui = {
    mode: "regular",
    children: [],
    fullRedraws: 0,
    terminal: { columns: 80, rows: 40, kittyProtocolActive: false, write: (s) => note("terminal.write", s), setTitle: (t) => note("terminal.setTitle", t) },
    requestRender() {},
    renderNow() {},
    addChild: (c) => tui.children.push(c),
    removeChild(c) {
      tui.children = tui.children.filter((x) => x !== c);
    },
    clear() {
      tui.children = [];
    },
    setFocus: (c) => note("tui.setFocus", c === null ? null : "<component>"),
    showOverlay(component, options) {
      note("tui.showOverlay", options);
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

export function handle() {
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
    unfocus(options) {
      focused = false;
      note("overlay.unfocus", options ? Object.keys(options) : undefined);
    },
    isFocused: () => focused,
    getBounds: () => ({ row: 2, col: 3, width: 40, height: 10 }),
  };
}

// show renders a component at some widths.
export function show(label, component, widths = [80, 37]) {
  for (const width of widths) {
    if (component == null || typeof component.render !== "function") {
      note("render", label, component == null ? "nothing" : typeof component);
      return;
    }
    try {
      note("render", label, width, component.render(width));
    } catch (error) {
      note("render failed", label, width, error);
    }
  }
}

// press feeds keys until finished says so, and shows what changed.
export async function press(label, component, keys, finished) {
  let last = "";
  for (const key of keys) {
    if (finished()) return;
    if (typeof component.handleInput !== "function") return;
    if (/^\x1b\[\d+;\d+:3u$/.test(key) && !component.wantsKeyRelease) continue;
    try {
      component.handleInput(key);
    } catch (error) {
      note("key failed", label, key, error);
    }
    await clock.advance(40);
    await clock.sleep(0);
    const now = JSON.stringify(plain(attempt(() => component.render(72))));
    note("key", label, key, now === last ? "same" : JSON.parse(now));
    last = now;
  }
}

function attempt(fn) {
  try {
    return fn();
  } catch (error) {
    return error;
  }
}

function user(state, env) {
  const pick = (options) => [options[0], options[options.length - 1], undefined][state.variant % 3];
  const answer = async (what, value, ...said) => {
    note(`ui.${what}`, ...said, { answer: value });
    return value;
  };
  const ui = {
    theme: env.theme,
    select: (title, options, opts) => answer("select", pick(options), title, options, opts),
    confirm: (title, message, opts) => answer("confirm", state.variant % 2 === 0, title, message, opts),
    input: (title, placeholder, opts) => answer("input", state.variant % 3 === 2 ? undefined : "typed text", title, placeholder, opts),
    editor: (title, text) => answer("editor", state.variant % 3 === 2 ? undefined : `${text ?? ""}\nedited`, title, text),
    notify: (message, type) => note("ui.notify", message, type),
    getEditorText: () => "draft",
    getAllThemes: () => [{ name: "dark", path: undefined }, { name: "light", path: undefined }],
    getTheme: () => env.theme,
    setTheme(theme) {
      note("ui.setTheme", typeof theme === "string" ? theme : "<theme>");
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
      note("ui.setEditorComponent", factory);
      state.editorFactory = factory;
    },
    setWidget(key, content, options) {
      note("ui.setWidget", key, content, options);
      if (typeof content === "function") keep(state, `widget ${key}`, content(state.tui, env.theme));
    },
    setFooter(factory) {
      note("ui.setFooter", factory);
      if (factory) keep(state, "footer", factory(state.tui, env.theme, footerData()));
    },
    setHeader(factory) {
      note("ui.setHeader", factory);
      if (factory) keep(state, "header", factory(state.tui, env.theme));
    },
    custom: (factory, options) => custom(state, env, factory, options),
  };
  for (const name of ["setStatus", "setWorkingMessage", "setWorkingVisible", "setWorkingIndicator", "setHiddenThinkingLabel", "setTitle", "pasteToEditor", "setEditorText", "setToolsExpanded"]) {
    ui[name] = (...args) => note(`ui.${name}`, ...args);
  }
  return ui;
}

function keep(state, label, component) {
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
  note("ui.custom", options && { ...options, overlayOptions: typeof options.overlayOptions === "function" ? options.overlayOptions() : options.overlayOptions });
  let finished = false;
  let value;
  const done = (v) => {
    if (finished) return;
    finished = true;
    value = v;
    note("custom done", v);
  };
  const component = await factory(state.tui, env.theme, state.keybindings, done);
  if (options?.onHandle) options.onHandle(handle());
  if (component && "focused" in component) component.focused = true;
  if (!finished) show("custom", component, [80, 37, 12]);
  await clock.advance(300);
  for (let i = 0; i < 5 && !finished; i++) await clock.sleep(1);
  if (!finished) {
    const mine = state.variant % 2 === 1 ? [...canned.keys].reverse() : canned.keys;
    // Who is asked again and again gives up.
    const tired = ++state.shown > 10;
    await press("custom", component, state.variant % 3 === 2 || tired ? [] : mine, () => finished);
    if (!finished) await press("custom", component, canned.closing, () => finished);
  }
  if (typeof component?.dispose === "function") component.dispose();
  note("custom ended", finished);
  return value;
}

function manager(state, env) {
  const byId = (id) => state.entries.find((e) => e.id === id);
  return {
    getCwd: () => env.cwd,
    getSessionDir: () => `${env.home}/sessions`,
    getSessionId: () => "0197f0a0-0000-7000-8000-000000000001",
    getSessionFile: () => `${env.home}/sessions/one.jsonl`,
    getSessionName: () => state.name,
    getLeafId: () => state.entries[state.entries.length - 1]?.id ?? null,
    getLeafEntry: () => state.entries[state.entries.length - 1],
    getEntry: byId,
    getLabel: (id) => state.labels.get(id),
    getBranch: () => state.entries.slice(),
    getEntries: () => state.entries.slice(),
    buildContextEntries: () => state.entries.slice(),
    getTree: () => [],
    getHeader: () => ({ type: "session", version: 3, id: "0197f0a0-0000-7000-8000-000000000001", timestamp: "2025-06-15T15:06:30.000Z", cwd: env.cwd }),
    appendMessage: (message) => note("setup.appendMessage", message),
  };
}

function registry() {
  return {
    find: (provider, id) => canned.models.find((m) => m.provider === provider && m.id === id),
    getAll: () => canned.models,
    getAvailable: () => canned.models,
    hasConfiguredAuth: () => true,
    isUsingOAuth: () => false,
    getError: () => undefined,
    getApiKeyForProvider: async () => "key",
    getApiKey: async () => "key",
    getApiKeyAndHeaders: async () => ({ ok: true, apiKey: "key", headers: {} }),
    async complete(model, context, options) {
      note("complete", model.id, context, options && Object.keys(options).sort());
      return structuredClone(canned.reply);
    },
  };
}

function api(state, env) {
  const r = state.registered;
  const listeners = new Map();
  return {
    on(event, handler) {
      note("pi.on", event);
      r.events.push([event, handler]);
    },
    registerTool(tool) {
      note("pi.registerTool", tool);
      r.tools.push(tool);
    },
    registerCommand(name, options) {
      note("pi.registerCommand", name, options);
      r.commands.push([name, options]);
    },
    registerShortcut(key, options) {
      note("pi.registerShortcut", key, options);
      r.shortcuts.push([key, options]);
    },
    registerFlag(name, options) {
      note("pi.registerFlag", name, options);
      r.flags.set(name, options.default);
    },
    getFlag: (name) => (env.flags && name in env.flags ? env.flags[name] : r.flags.get(name)),
    registerMessageRenderer(type, renderer) {
      note("pi.registerMessageRenderer", type);
      r.messages.set(type, renderer);
    },
    registerEntryRenderer(type, renderer) {
      note("pi.registerEntryRenderer", type);
      r.entryRenderers.set(type, renderer);
    },
    registerMarkdownTransformer: (fn) => note("pi.registerMarkdownTransformer", fn),
    registerProvider(name, config) {
      note("pi.registerProvider", name, config);
      r.providers.push([name, config]);
    },
    unregisterProvider: (name) => note("pi.unregisterProvider", name),
    sendMessage(message, options) {
      note("pi.sendMessage", message, options);
      state.sent.push(message);
    },
    sendUserMessage: (content, options) => note("pi.sendUserMessage", content, options),
    appendEntry(customType, data) {
      note("pi.appendEntry", customType, data);
      const last = state.entries[state.entries.length - 1];
      state.entries.push({ type: "custom", customType, data, id: `entry${String(state.entries.length).padStart(4, "0")}`, parentId: last?.id ?? null, timestamp: "2025-06-15T15:06:40.000Z" });
    },
    setSessionName(name) {
      note("pi.setSessionName", name);
      state.name = name;
    },
    getSessionName: () => state.name,
    setLabel(id, label) {
      note("pi.setLabel", id, label);
      if (label === undefined) state.labels.delete(id);
      else state.labels.set(id, label);
    },
    async exec(command, args, options) {
      note("pi.exec", command, args, options);
      return canned.exec(command, args);
    },
    getActiveTools: () => state.active.slice(),
    getAllTools: () => [...builtin, ...r.tools.map((t) => t.name)].map((name) => ({ name, description: `The ${name} tool.`, parameters: { type: "object", properties: {} }, sourceInfo: { source: "builtin", path: `<${name}>`, scope: "user", origin: "top-level" } })),
    setActiveTools(names) {
      note("pi.setActiveTools", names);
      state.active = names.slice();
    },
    getCommands: () => [
      { name: "review", description: "Review it", source: "prompt", sourceInfo: { path: `${env.home}/prompts/review.md`, source: "user", scope: "user", origin: "top-level" } },
      { name: "skill:pdf", description: "PDF", source: "skill", sourceInfo: { path: `${env.home}/skills/pdf/SKILL.md`, source: "user", scope: "user", origin: "top-level" } },
      ...r.commands.map(([name, o]) => ({ name, description: o.description, source: "extension", sourceInfo: { path: "<extension>", source: "cli", scope: "temporary", origin: "top-level" } })),
    ],
    async setModel(model) {
      note("pi.setModel", model.id);
      return true;
    },
    getThinkingLevel: () => state.level,
    setThinkingLevel(level) {
      note("pi.setThinkingLevel", level);
      state.level = level;
    },
    events: {
      emit(channel, data) {
        note("events.emit", channel, data);
        for (const fn of listeners.get(channel) ?? []) fn(data);
      },
      on(channel, fn) {
        note("events.on", channel);
        listeners.set(channel, [...(listeners.get(channel) ?? []), fn]);
        return () => {};
      },
    },
  };
}

// context is what handlers get.
export function context(state, env, extra = {}) {
  const ctx = {
    ui: state.ui,
    mode: "tui",
    hasUI: true,
    cwd: env.cwd,
    sessionManager: state.sessionManager,
    modelRegistry: state.modelRegistry,
    model: state.model,
    scopedModels: [],
    thinkingLevel: state.level,
    signal: undefined,
    isIdle: () => state.variant % 2 === 0,
    isProjectTrusted: () => true,
    abort: () => note("ctx.abort"),
    hasPendingMessages: () => false,
    shutdown: () => note("ctx.shutdown"),
    getContextUsage: () => ({ tokens: 150000, contextWindow: 200000, percent: 75 }),
    compact(options) {
      note("ctx.compact", options);
      options?.onComplete?.({ summary: "short", firstKeptEntryId: "entry0002", tokensBefore: 1000 });
      if (state.variant === 1) options?.onError?.(new Error("compaction failed"));
    },
    getSystemPrompt: () => "You are a helper.\nBe short.",
    getSystemPromptOptions: () => ({ cwd: env.cwd, selectedTools: builtin }),
    waitForIdle: async () => note("ctx.waitForIdle"),
    async newSession(options) {
      note("ctx.newSession", options);
      await options?.setup?.(state.sessionManager);
      await options?.withSession?.({ ...ctx, sendMessage: async (m, o) => note("new.sendMessage", m, o), sendUserMessage: async (m, o) => note("new.sendUserMessage", m, o) });
      return { cancelled: state.variant === 2 };
    },
    async fork(id, options) {
      note("ctx.fork", id, options);
      return { cancelled: false };
    },
    async navigateTree(id, options) {
      note("ctx.navigateTree", id, options);
      return { cancelled: false };
    },
    async switchSession(path, options) {
      note("ctx.switchSession", path, options);
      return { cancelled: false };
    },
    reload: async () => note("ctx.reload"),
    ...extra,
  };
  return ctx;
}
