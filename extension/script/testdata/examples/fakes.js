// A session that answers the same everywhere and writes down what is asked.

import { spawnSync } from "node:child_process";
import * as canned from "./canned.js";
import * as clock from "./clock.js";
import { terminal, user } from "./person.js";
import { note } from "./trace.js";
import * as words from "./words.js";

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
    customs: 0, // components that are shown now
    turn: Promise.resolve(), // of who uses a component
    loading: true,
    registered: { events: [], commands: [], tools: [], shortcuts: [], flagList: [], flags: new Map(), messages: new Map(), entryRenderers: new Map(), providers: [], transformers: [] },
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
    appendMessage: (message) => note("setup.append", { type: "message", message }),
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
    // A model answers when everybody else has done what they could.
    async complete(model, context) {
      await clock.quiet();
      note("complete", model.id, { systemPrompt: context.systemPrompt ?? "", messages: context.messages, tools: (context.tools ?? []).map((t) => t.name) });
      return structuredClone(canned.reply);
    },
  };
}

function api(state, env) {
  const r = state.registered;
  const listeners = new Map();
  return {
    on: (event, handler) => r.events.push([event, handler]),
    registerTool(tool) {
      const at = r.tools.findIndex((t) => t.name === tool.name);
      if (at >= 0) r.tools[at] = tool;
      else r.tools.push(tool);
      if (!state.loading) note("registered a tool", words.tool(tool));
    },
    registerCommand: (name, options) => r.commands.push([name, options]),
    registerShortcut: (key, options) => r.shortcuts.push([key, options]),
    registerFlag(name, options) {
      r.flagList.push({ name, description: options.description ?? "", default: options.default ?? null });
      r.flags.set(name, options.default);
    },
    getFlag: (name) => (env.flags && name in env.flags ? env.flags[name] : r.flags.get(name)),
    registerMessageRenderer: (type, renderer) => r.messages.set(type, renderer),
    registerEntryRenderer: (type, renderer) => r.entryRenderers.set(type, renderer),
    registerMarkdownTransformer: (fn) => r.transformers.push(fn),
    registerProvider: (name, config) => r.providers.push([name, config]),
    unregisterProvider: (name) => note("pi.unregisterProvider", name),
    sendMessage(message, options) {
      note("pi.sendMessage", words.message(message), words.sending(options));
      state.sent.push(message);
    },
    sendUserMessage: (content, options) => note("pi.sendUserMessage", content, words.sending(options)),
    appendEntry(customType, data) {
      note("pi.appendEntry", customType, data ?? null);
      const last = state.entries[state.entries.length - 1];
      state.entries.push({ type: "custom", customType, data, id: `entry${String(state.entries.length).padStart(4, "0")}`, parentId: last?.id ?? null, timestamp: "2025-06-15T15:06:40.000Z" });
    },
    setSessionName(name) {
      note("pi.setSessionName", name);
      state.name = name;
    },
    getSessionName: () => state.name,
    setLabel(id, label) {
      note("pi.setLabel", id, label ?? "");
      if (label === undefined) state.labels.delete(id);
      else state.labels.set(id, label);
    },
    // The programs git and gh of the harness answer, and write down that they were asked.
    async exec(command, args, options) {
      const r = spawnSync(command, args, { cwd: options?.cwd ?? env.cwd, encoding: "utf8" });
      return { stdout: r.stdout ?? "", stderr: r.stderr ?? r.error?.message ?? "", code: r.status ?? 1, killed: false };
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
        for (const fn of listeners.get(channel) ?? []) fn(data);
      },
      on(channel, fn) {
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
      note("ctx.compact", options?.customInstructions ?? "");
      if (state.variant === 1) options?.onError?.(new Error("compaction failed"));
      else options?.onComplete?.({ summary: "short", firstKeptEntryId: "entry0002", tokensBefore: 1000 });
    },
    getSystemPrompt: () => "You are a helper.\nBe short.",
    getSystemPromptOptions: () => ({ cwd: env.cwd, selectedTools: builtin }),
    waitForIdle: async () => note("ctx.waitForIdle"),
    async newSession(options) {
      note("ctx.newSession", options?.parentSession ?? "");
      await options?.setup?.(state.sessionManager);
      await options?.withSession?.({ ...ctx, sendMessage: async (m, o) => state.pi.sendMessage(m, o), sendUserMessage: async (m, o) => state.pi.sendUserMessage(m, o) });
      return { cancelled: state.variant === 2 };
    },
    async fork(id, options) {
      note("ctx.fork", id);
      return { cancelled: false };
    },
    async navigateTree(id, options) {
      note("ctx.navigateTree", id);
      return { cancelled: false };
    },
    async switchSession(path, options) {
      note("ctx.switchSession", path);
      return { cancelled: false };
    },
    reload: async () => note("ctx.reload"),
    ...extra,
  };
  return ctx;
}
