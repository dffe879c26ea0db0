// The driver: it loads one example, calls everything that the example registered and writes
// down what it did. It runs the same under Rondo's host and under Node with Pi's packages.

import * as fs from "node:fs";
import { calls } from "./arguments.js";
import * as canned from "./canned.js";
import * as clock from "./clock.js";
import { context, press, show, world } from "./fakes.js";
import { note, replace, written } from "./trace.js";

// drive runs the whole example. env names its folders; tui and agent are the two packages.
export async function drive(load, { tui, agent }, env) {
  clock.install();
  replace([[env.cwd, "<cwd>"], [env.home, "<home>"], [env.examples, "<examples>"]]);
  capture();
  try {
    const kb = new tui.KeybindingsManager({ ...tui.TUI_KEYBINDINGS, ...appKeys });
    tui.setKeybindings(kb);
    agent.initTheme("harness");
    env.theme = new agent.Theme(env.colors.fg, env.colors.bg, "truecolor", { name: "harness" });
    const state = world(env);
    state.keybindings = kb;
    const module = await load();
    note("loaded", typeof module.default);
    await settle("factory", () => module.default(state.pi));
    await run(state, env, agent);
  } catch (error) {
    note("broken", error);
  }
  note("files", files(env.cwd));
  return written();
}

const appKeys = Object.fromEntries(
  [
    ["app.interrupt", "escape"], ["app.clear", "ctrl+c"], ["app.exit", "ctrl+d"], ["app.suspend", "ctrl+z"],
    ["app.thinking.cycle", "shift+tab"], ["app.model.cycleForward", "ctrl+p"], ["app.model.select", "ctrl+l"],
    ["app.tools.expand", "ctrl+o"], ["app.thinking.toggle", "ctrl+t"], ["app.editor.external", "ctrl+g"],
    ["app.message.followUp", "alt+enter"], ["app.message.dequeue", "alt+up"], ["app.clipboard.pasteImage", "ctrl+v"],
  ].map(([id, key]) => [id, { defaultKeys: key }]),
);

function capture() {
  const print = (name) => (...args) => note(name, ...args);
  console.log = print("console.log");
  console.error = print("console.error");
  console.warn = print("console.warn");
  process.stdout.write = (text) => {
    note("stdout", String(text));
    return true;
  };
}

// settle calls fn and waits for it. Real work gets time first; then the clock is moved.
async function settle(label, fn) {
  let outcome;
  const promise = (async () => fn())();
  promise.then(
    (value) => (outcome = ["returned", value]),
    (error) => (outcome = ["failed", error]),
  );
  for (let i = 0; i < 400 && !outcome; i++) {
    await clock.sleep(i < 50 ? 0 : 4);
    if (i > 150 && i % 5 === 0) await clock.next();
  }
  note(label, ...(outcome ?? ["never ended"]));
  return outcome?.[1];
}

async function run(state, env, agent) {
  const r = state.registered;
  const events = canned.events(env.cwd);
  const fire = async (kind) => {
    for (const event of events[kind] ?? []) {
      for (const [name, handler] of r.events.slice()) {
        if (name !== kind) continue;
        const result = await settle(`on ${kind}`, () => handler(event, context(state, env, { signal: kind === "turn_end" ? new AbortController().signal : undefined })));
        if (kind === "user_bash" && result?.operations) await bash(result.operations, event, env);
      }
      if (r.events.some(([name]) => name === kind)) note("event afterwards", event);
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
    for (const [key, options] of r.shortcuts) await settle(`shortcut ${key}`, () => options.handler(context(state, env)));
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

async function bash(operations, event, env) {
  if (typeof operations.exec !== "function") return;
  const out = [];
  await settle("user_bash exec", () => operations.exec(event.command.startsWith("vim") ? "true" : event.command, env.cwd, { onData: (d) => out.push(String(d)), timeout: 5, env: process.env }));
  note("user_bash output", out.join(""));
}

const argumentsOf = ["", "first words", "show", "list", "off", "3"];

async function command(state, env, name, options) {
  if (options.getArgumentCompletions) {
    for (const prefix of ["", "a", "s"]) await settle(`completions ${name}`, () => options.getArgumentCompletions(prefix));
  }
  for (const args of state.variant === 0 ? argumentsOf : argumentsOf.slice(0, 2)) {
    state.shown = 0;
    await settle(`command ${name} ${args}`, () => options.handler(args, context(state, env)));
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
      const result = await settle(`tool ${tool.name} ${JSON.stringify(args)}`, () =>
        tool.execute(`call_${n}`, ready, new AbortController().signal, (u) => updates.push(u), context(state, env)),
      );
      note("updates", updates.length > 0);
      rendered(state, env, tool, ready, result, updates);
    }
  }
}

function rendered(state, env, tool, args, result, updates) {
  const base = { args, toolCallId: "call_1", invalidate() {}, lastComponent: undefined, state: {}, cwd: env.cwd, executionStarted: true, argsComplete: true, isPartial: false, expanded: false, showImages: false, isError: false };
  const attempt = (label, fn) => {
    try {
      show(label, fn());
    } catch (error) {
      note("renderer failed", label, error);
    }
  };
  if (tool.renderCall) attempt(`call ${tool.name}`, () => tool.renderCall(args, env.theme, { ...base }));
  if (!tool.renderResult || !result?.content) return;
  for (const expanded of [false, true]) {
    attempt(`result ${tool.name} ${expanded}`, () => tool.renderResult(result, { expanded, isPartial: false }, env.theme, { ...base, expanded }));
  }
  const partial = updates[0] ?? { content: [{ type: "text", text: "so far" }], details: result.details };
  attempt(`partial ${tool.name}`, () => tool.renderResult(partial, { expanded: false, isPartial: true }, env.theme, { ...base, isPartial: true }));
}

async function renderers(state, env) {
  for (const [type, renderer] of state.registered.messages) {
    const sent = state.sent.filter((m) => m.customType === type).slice(-3);
    for (const message of [...sent, { customType: type, content: "plain text", display: true, details: { level: "warn", timestamp: 1750000000000 } }]) {
      for (const expanded of [false, true]) show(`message ${type}`, render(() => renderer({ role: "custom", timestamp: 1, ...message }, { expanded, outputPad: 1 }, env.theme)));
    }
  }
  for (const [type, renderer] of state.registered.entryRenderers) {
    for (const entry of state.entries.filter((e) => e.customType === type).slice(-3)) {
      for (const expanded of [false, true]) show(`entry ${type}`, render(() => renderer(entry, { expanded }, env.theme)));
    }
  }
}

function render(fn) {
  try {
    return fn();
  } catch (error) {
    note("renderer failed", error);
    return undefined;
  }
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
  for (const factory of state.autocomplete) await complete(factory);
  state.autocomplete = [];
}

async function complete(factory) {
  const none = { getSuggestions: async () => ({ items: [{ value: "/help", label: "help" }], prefix: "/" }), applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }), shouldTriggerFileCompletion: () => true };
  const provider = factory(none);
  note("triggers", provider.triggerCharacters);
  for (const line of ["see #", "see #1", "see #cra", "/he", "nothing"]) {
    const found = await settle(`suggest ${line}`, () => provider.getSuggestions([line], 0, line.length, { signal: new AbortController().signal }));
    const item = found?.items?.[0];
    if (item) note("completed", provider.applyCompletion([line], 0, line.length, item, found.prefix));
    note("file completion", provider.shouldTriggerFileCompletion?.([line], 0, line.length));
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
