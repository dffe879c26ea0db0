export default async function({ t, a, p, colors, wait }) {
  const j = JSON.stringify;
  const f = (n) => (s) => `<${n}>${s}</${n}>`;
  const { fg, bg } = colors;
  const th = new a.Theme(fg, bg, "truecolor", { name: "x" });
  const th2 = new a.Theme(fg, bg, "256color");
  p("theme", [th.fg("accent", "x"), th.fg("text", "x"), th.fg("thinkingMax", "x"), th.bg("selectedBg", "x"), th.bg("toolErrorBg", "x"), th.bg("userMessageBg", "x"), th.bold("x"), th.italic("x"), th.underline("x"), th.inverse("x"), th.strikethrough("x"), th.getFgAnsi("accent"), th.getFgAnsi("text"), th.getBgAnsi("selectedBg"), th.getColorMode(), th.getThinkingBorderColor("high")("x"), th.getBashModeBorderColor()("x"), th.name, th2.fg("accent", "x"), th2.bg("selectedBg", "x"), th.fg("searchMatchText", "s"), th.bg("searchMatchBg", "s"), th.getThinkingBorderColor("off")("x"), th.getThinkingBorderColor("max")("x")]);
  for (const c of ["#000000", "#ffffff", "#ff0000", "#123456", "#808080", "#5f87af", "#c0c0c0", "#0a0b0c", "#00ff7f", "#abcdef"]) {
    const q = new a.Theme({ ...fg, accent: c }, bg, "256color");
    p(c, q.fg("accent", "x"));
  }
  const keys = (o) => Object.keys(o);
  p("md", keys(a.getMarkdownTheme()));
  p("sl", keys(a.getSelectListTheme()));
  p("set", keys(a.getSettingsListTheme()));
  const show = (o) => Object.fromEntries(Object.entries(o).map(([k, v]) => [k, typeof v === "function" ? k === "highlightCode" ? 0 : v("T", true) : v]));
  p("md", show(a.getMarkdownTheme()));
  p("sl", show(a.getSelectListTheme()));
  p("set", show(a.getSettingsListTheme()));
  const se = a.getSettingsListTheme();
  p("set0", [se.label("T", false), se.value("T", false)]);
  p("hint", [a.keyHint("tui.select.confirm", "to go"), a.keyHint("tui.select.cancel", "x"), a.keyText("tui.select.cancel"), a.keyText("tui.editor.cursorWordLeft"), a.rawKeyHint("ctrl+x", "do"), a.keyHint("app.tools.expand", "expand"), a.keyText("nope")]);
  p("lang", ["a.ts", "b.py", "c.unknown", "Makefile", "x/y.TSX", "Dockerfile", "a.h", "a.mjs", "a.yml", "noext", ".bashrc", "a.sh"].map((x) => [x, a.getLanguageFromPath(x) ?? null]));
  p("diff", a.renderDiff(" 1 same\n-2 old word here\n+2 new word here\n 3 ctx\n-4 gone\n+5 added\n+6 more\n   ..."));
  p("diff", a.renderDiff("-1 a\n-2 b\n+1 c\n+2 d").split("\n"));
  p("vis", [a.truncateToVisualLines("a\nb\nc\nlong line that wraps here", 3, 10), a.truncateToVisualLines("", 3, 10), a.truncateToVisualLines("a\nb", 3, 10, 1)]);
  const tui = { requestRender() {
  }, terminal: { rows: 20, columns: 40 } };
  p("db", [new a.DynamicBorder(f("c")).render(5), new a.DynamicBorder(f("c")).render(0)]);
  p("db", new a.DynamicBorder().render(5));
  let bl = new a.BorderedLoader(tui, th, "Loading");
  p("bl", bl.render(30));
  bl.onAbort = () => p("abort", 1);
  p("sig", bl.signal.aborted);
  bl.handleInput("x");
  bl.handleInput("\x1B");
  p("sig", bl.signal.aborted);
  bl.dispose();
  bl = new a.BorderedLoader(tui, th, "Loading", { cancellable: false });
  p("bl", bl.render(30));
  bl.handleInput("\x1B");
  p("sig", bl.signal?.aborted);
  bl.dispose();
  const kb = new t.KeybindingsManager({ ...t.TUI_KEYBINDINGS, "app.interrupt": { defaultKeys: "escape" }, "app.exit": { defaultKeys: "ctrl+d" }, "app.clipboard.pasteImage": { defaultKeys: "ctrl+v" }, "app.tools.expand": { defaultKeys: "ctrl+o" }, "app.clear": { defaultKeys: "ctrl+c" } });
  const et = { borderColor: f("b"), selectList: a.getSelectListTheme() };
  const ce = new a.CustomEditor(tui, et, kb);
  ce.onEscape = () => p("esc", 1);
  ce.onCtrlD = () => p("ctrld", 1);
  ce.onPasteImage = () => p("img", 1);
  ce.onAction("app.tools.expand", () => p("expand", 1));
  ce.onAction("app.clear", () => p("clear", 1));
  ce.onExtensionShortcut = (d) => {
    p("sc", d);
    return d === "z";
  };
  for (const k of ["a", "z", "\x1B", "", "", "", "", "", "", "b"]) {
    ce.handleInput(k);
    p(j(k), ce.getText());
  }
  p("ce", ce.render(20));
  const ce2 = new a.CustomEditor(tui, et, kb);
  ce2.onAction("app.interrupt", () => p("interrupt", 1));
  for (const k of ["a", "\x1B", "", "", ""]) {
    ce2.handleInput(k);
    p(j(k), ce2.getText());
  }
  p("kbget", [kb.getKeys("tui.select.cancel"), kb.matches("\x1B", "tui.select.cancel"), kb.matches("\x1B", "nope")]);
  p("bound", [kb.getDefinition("tui.select.cancel").defaultKeys, kb.getResolvedBindings()["tui.select.up"], kb.getConflicts(), kb.getUserBindings()]);
}
