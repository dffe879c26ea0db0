// Calls every file of this folder and collects what it notes: [file, label, value].
// t is @earendil-works/pi-tui, a has what @earendil-works/pi-coding-agent shows in a terminal.

import * as clock from "../examples/clock.js";
import app from "./app.js";
import completion from "./completion.js";
import editor from "./editor.js";
import lists from "./lists.js";
import loader from "./loader.js";
import markdown from "./markdown.js";
import views from "./views.js";
import words from "./words.js";

const files = { app, completion, editor, lists, loader, markdown, views, words };

export async function run(t, a, theme) {
  const resolve = (c) => theme.vars[c] ?? c;
  const pick = (wanted) => Object.fromEntries(Object.entries(theme.colors).filter(([name]) => name.endsWith("Bg") === wanted).map(([name, c]) => [name, resolve(c)]));
  const colors = { fg: pick(false), bg: pick(true) };
  clock.install();
  const rest = async () => {
    for (let i = 0; i < 20; i++) await null;
  };
  const wait = async (ms) => {
    await rest();
    await clock.advance(ms);
    await rest();
  };
  a.initTheme("harness");
  const out = [];
  for (const [name, file] of Object.entries(files)) {
    const p = (label, value) => out.push([name, typeof label === "string" ? label : JSON.stringify(label), JSON.parse(JSON.stringify(value ?? null))]);
    await file({ t, a, p, colors, wait });
  }
  return out;
}
