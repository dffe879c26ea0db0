// The driver: it loads one example, calls everything that the example registered and writes
// down what it did. It runs the same under Rondo's host and under Node with Pi's packages.

import * as fs from "node:fs";
import { format } from "node:util";
import { calls } from "./arguments.js";
import * as canned from "./canned.js";
import * as clock from "./clock.js";
import { context, world } from "./fakes.js";
import { made, press, show } from "./person.js";
import { note, replace, written } from "./trace.js";
import * as words from "./words.js";

// drive runs the whole example. env names its folders; tui and agent are the two packages.
export async function drive(load, { tui, agent }, env) {
  clock.install();
  replace([[env.cwd, "<cwd>"], [env.home, "<home>"], [env.examples, "<examples>"]]);
  capture();
  try {
    const kb = new tui.KeybindingsManager({ ...tui.TUI_KEYBINDINGS, ...canned.appKeys });
    tui.setKeybindings(kb);
    agent.initTheme("harness");
    env.theme = new agent.Theme(env.colors.fg, env.colors.bg, "truecolor", { name: "harness" });
    const state = world(env);
    state.keybindings = kb;
    const module = await load();
    await module.default(state.pi);
    note("loaded");
    state.loading = false;
    registrations(state.registered);
    await run(state, env, agent);
  } catch (error) {
    note("broken", error);
  }
  note("files", files(env.cwd));
  return written();
}

function capture() {
  const print = (...args) => {
    for (const line of format(...args).split("\n")) note("console", line);
  };
  Object.assign(console, { log: print, error: print, warn: print });
  process.stdout.write = (text) => {
    note("stdout", String(text));
    return true;
  };
  // Nothing is fetched, wherever this runs.
  globalThis.fetch = async () => {
    throw new TypeError("fetch failed");
  };
}

// registrations writes down what the factory has brought.
function registrations(r) {
  note("handles", [...new Set(r.events.map(([kind]) => kind))].sort());
  for (const t of r.tools) note("tool", words.tool(t));
  for (const [name, options] of r.commands) note("command", words.command(name, options));
  for (const [key, options] of r.shortcuts) note("shortcut", key, options.description ?? "");
  for (const flag of r.flagList) note("flag", flag);
  for (const [name, config] of r.providers) note("provider", words.provider(name, config));
}

// settle calls fn and waits for it. Real work gets time first; then the clock is moved, unless
// a component is shown, which moves it itself.
async function settle(state, fn) {
  let outcome;
  (async () => fn())().then(
    (value) => (outcome = { value }),
    (error) => (outcome = { error }),
  );
  for (let moved = 0, shown = 0; moved < 50 && shown < 20000; ) {
    await clock.quiet();
    if (outcome) break;
    if (state.customs > 0) {
      shown++;
    } else {
      await clock.next();
      moved++;
    }
  }
  return outcome ?? {};
}

// perform is settle for what returns nothing.
async function perform(state, label, fn) {
  const outcome = await settle(state, fn);
  if ("error" in outcome) note("failed", outcome.error);
  note(label, "error" in outcome ? "failed" : "value" in outcome ? "returned" : "never ended");
}

async function run(state, env, agent) {
  const r = state.registered;
  const events = canned.events(env.cwd);
  const fire = async (kind) => {
    for (const event of events[kind] ?? []) {
      const handlers = r.events.filter(([name]) => name === kind);
      if (handlers.length === 0) continue;
      const results = [];
      for (const [, handler] of handlers) {
        const outcome = await settle(state, () => handler(event, context(state, env)));
        if ("error" in outcome) note("failed", outcome.error);
        else if (!("value" in outcome)) note("never ended");
        if (outcome.value !== undefined && outcome.value !== null) results.push(outcome.value);
      }
      note("event", kind, words.effect(event, results) ?? null);
      const operations = results.at(-1)?.operations;
      if (kind === "user_bash" && operations) await bash(state, operations, event, env);
    }
    await clock.advance(300);
  };
  for (const kind of ["project_trust", "resources_discover", "session_start"]) await fire(kind);
  await parts(state, env, agent);
  for (let variant = 0; variant < 3; variant++) {
    state.variant = variant;
    for (const kind of Object.keys(events)) {
      if (["project_trust", "resources_discover", "session_start", "session_shutdown"].includes(kind)) continue;
      await fire(kind);
    }
    for (const [name, options] of r.commands.slice()) await command(state, env, name, options);
    for (const [key, options] of r.shortcuts) await perform(state, `shortcut ${key}`, () => options.handler(context(state, env)));
    await tools(state, env);
    await clock.advance(1000);
  }
  state.variant = 0;
  await fire("session_start");
  await renderers(state, env);
  await parts(state, env, agent);
  for (const [label, component] of state.components) {
    show(label, component);
    component?.invalidate?.();
    component?.dispose?.();
  }
  await fire("session_shutdown");
  note("timers left", clock.pending() > 0);
}

async function bash(state, operations, event, env) {
  if (typeof operations.exec !== "function") return;
  const out = [];
  const outcome = await settle(state, () => operations.exec(event.command.startsWith("vim") ? "true" : event.command, env.cwd, { onData: (d) => out.push(String(d)), timeout: 5 }));
  note("user_bash", outcome.value?.exitCode ?? outcome.error ?? null, out.join(""));
}

const argumentsOf = ["", "first words", "show", "list", "off", "3"];

async function command(state, env, name, options) {
  if (options.getArgumentCompletions) {
    for (const prefix of ["", "a", "s"]) note(`completions ${name}`, (await settle(state, () => options.getArgumentCompletions(prefix))).value ?? []);
  }
  for (const args of state.variant === 0 ? argumentsOf : argumentsOf.slice(0, 2)) {
    state.shown = 0;
    await perform(state, `command ${name} ${args}`, () => options.handler(args, context(state, env)));
    await clock.advance(250);
  }
}

async function tools(state, env) {
  for (const tool of state.registered.tools.slice()) {
    let n = 0;
    for (const args of calls(tool.parameters)) {
      n++;
      const ready = tool.prepareArguments ? tool.prepareArguments(args) : args;
      const updates = [];
      const { value, error } = await settle(state, () =>
        tool.execute(`call_${n}`, ready, new AbortController().signal, (u) => updates.push(u), context(state, env)),
      );
      note(`call ${tool.name}`, args, value ? words.result(value) : { error: error ?? null });
      note("updates", updates.length > 0);
      rendered(state, env, tool, n, ready, value, updates);
    }
  }
}

function rendered(state, env, tool, n, args, result, updates) {
  const shared = {};
  const base = { args, toolCallId: `call_${n}`, invalidate() {}, lastComponent: undefined, state: shared, cwd: env.cwd, executionStarted: true, argsComplete: true, isPartial: false, expanded: false, showImages: false, isError: false };
  if (tool.renderCall) show(`call ${tool.name}`, made(() => tool.renderCall(args, env.theme, { ...base })));
  if (!tool.renderResult || !result?.content) return;
  for (const expanded of [false, true]) {
    show(`result ${tool.name} ${expanded}`, made(() => tool.renderResult(result, { expanded, isPartial: false }, env.theme, { ...base, expanded })));
  }
  const partial = updates[0] ?? { content: [{ type: "text", text: "so far" }], details: result.details };
  show(`partial ${tool.name}`, made(() => tool.renderResult(partial, { expanded: false, isPartial: true }, env.theme, { ...base, isPartial: true })));
}

// renderers shows the messages and entries that were sent, and one of each type besides.
async function renderers(state, env) {
  for (const type of new Set(state.sent.map((m) => m.customType))) {
    const renderer = state.registered.messages.get(type);
    if (!renderer) continue;
    const sent = state.sent.filter((m) => m.customType === type).slice(-3).map((m) => words.message(m));
    for (const message of [...sent, { customType: type, content: "plain text", display: true, details: { level: "warn", timestamp: 1750000000000 } }]) {
      for (const expanded of [false, true]) showMade(`message ${type}`, () => renderer({ role: "custom", timestamp: 1, ...message }, { expanded, outputPad: 1 }, env.theme));
    }
  }
  for (const type of new Set(state.entries.filter((e) => e.type === "custom").map((e) => e.customType))) {
    const renderer = state.registered.entryRenderers.get(type);
    if (!renderer) continue;
    for (const entry of state.entries.filter((e) => e.customType === type).slice(-3)) {
      for (const expanded of [false, true]) showMade(`entry ${type}`, () => renderer(entry, { expanded }, env.theme));
    }
  }
}

function showMade(label, make) {
  const component = made(make);
  if (component) show(label, component);
}

// parts tries the editor and the completions that were installed.
async function parts(state, env, agent) {
  if (state.editorFactory) {
    const select = agent.getSelectListTheme();
    const theme = { borderColor: (s) => env.theme.fg("borderMuted", s), selectList: select };
    const editor = state.editorFactory(state.tui, theme, state.keybindings);
    editor.focused = true;
    editor.onSubmit = (text) => note("editor.onSubmit", text);
    show("editor", editor, [60, 20]);
    await press("editor", editor, [..."say ultrathink now", ...canned.keys, "line", "\x0a", ..."more words here", "\x1b", "0", "w", "x", "i", ...canned.keys], () => false);
    note("editor text", editor.getText());
    editor.setText("first line\nsecond line that is long enough to be wrapped at sixty columns, surely");
    show("editor", editor, [60]);
    editor.dispose?.();
  }
  for (const factory of state.autocomplete) await complete(state, factory);
  state.autocomplete = [];
}

async function complete(state, factory) {
  const none = { getSuggestions: async () => ({ items: [{ value: "/help", label: "help" }], prefix: "/" }), applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }), shouldTriggerFileCompletion: () => true };
  const provider = factory(none);
  note("triggers", provider.triggerCharacters ?? []);
  for (const line of ["see #", "see #1", "see #cra", "/he", "nothing"]) {
    const { value: found } = await settle(state, () => provider.getSuggestions([line], 0, line.length, { signal: new AbortController().signal }));
    note("suggested", line, found ?? null);
    const item = found?.items?.[0];
    if (item) note("completed", provider.applyCompletion([line], 0, line.length, item, found.prefix));
    note("file completion", provider.shouldTriggerFileCompletion?.([line], 0, line.length) ?? true);
  }
}

function files(dir, under = "") {
  const out = [];
  for (const name of fs.readdirSync(dir).sort()) {
    const path = `${dir}/${name}`;
    if (fs.statSync(path).isDirectory()) out.push(...files(path, `${under}${name}/`));
    else out.push([under + name, fs.readFileSync(path, "utf8").slice(0, 400)]);
  }
  return out;
}
