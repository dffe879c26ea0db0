export default async function({ t, a, p, colors, wait }) {
  const j = JSON.stringify;
  const R = (c, ...ws) => ws.map((w) => c.render(w));
  const th = { label: (s2, x) => `<l${x ? 1 : 0}>${s2}</l>`, value: (s2, x) => `<v${x ? 1 : 0}>${s2}</v>`, description: (s2) => `<d>${s2}</d>`, cursor: "→ ", hint: (s2) => `<h>${s2}</h>` };
  const items = () => [{ id: "a", label: "Alpha", currentValue: "on", values: ["on", "off"], description: "The alpha setting, described at great length so that it wraps over more lines" }, { id: "b", label: "Beta long label", currentValue: "x" }, { id: "c", label: "C", currentValue: "1", submenu: (v, done) => {
    const c = new t.Text("sub " + v, 0, 0);
    c.handleInput = (d) => done(d === "x" ? void 0 : "new", d === "n" ? { navigateTo: "a" } : void 0);
    return c;
  } }, { id: "d", label: "Delta", currentValue: "v", values: ["q"] }, { id: "e", label: "E", currentValue: "e" }, { id: "f", label: "F", currentValue: "e" }];
  let s = new t.SettingsList(items(), 4, th, (i2, v) => p("change", [i2, v]), () => p("cancel", 0));
  p("s", R(s, 60, 30, 12));
  for (const k of ["\r", " ", "\x1B[B", "\r", "\x1B[B", "\r", "z", "\r", "n", "\x1B[A", "\x1B[A", "\x1B[6~", "\x1B[5~", "a", "\x1B", ""]) {
    s.handleInput(k);
    p("k" + j(k), R(s, 60));
  }
  s = new t.SettingsList(items(), 4, th, (i2, v) => p("change", [i2, v]), () => p("cancel", 0), { enableSearch: true });
  p("search", R(s, 60));
  for (const k of ["d", "e", "\r", "z", "", " ", "\x1B[B", "\x1B"]) {
    s.handleInput(k);
    p("k" + j(k), R(s, 60));
  }
  s = new t.SettingsList([], 4, th, () => {
  }, () => {
  });
  p("empty", R(s, 60));
  s = new t.SettingsList([], 4, th, () => {
  }, () => {
  }, { enableSearch: true });
  p("empty", R(s, 60));
  s = new t.SettingsList(items(), 10, th, () => {
  }, () => {
  });
  s.updateValue("b", "changed");
  s.selectItem("e");
  p("upd", R(s, 60));
  p("INPUT");
  let i = new t.Input();
  p("i", R(i, 20, 5));
  i.focused = true;
  p("if", R(i, 20));
  i.onSubmit = (v) => p("submit", v);
  i.onEscape = () => p("escape", 0);
  for (const k of ["h", "i", " ", "w", "o", "r", "l", "d", "é", "日", "👍", "\x1B[D", "\x1B[D", "", "", "", "", "", "\x1By", "\x1Bb", "\x1Bf", "\v", "", "", "", "", "", "\x1B[3~", "", "\x1B[200~pa\nste	d\x1B[201~", "\r", "\n", "\x1B", "", "	", "\x1B[A", "abc", "\x1B[97u", "\x1B[65;2u", "\x1B[1;5D", "\x1B[1;5C", "\x1Bd", "\x1B", "\x1B[H", "\x1B[F"]) {
    i.handleInput(k);
    p("k" + j(k), [i.getValue(), R(i, 20)]);
  }
  i = new t.Input();
  i.setValue("a long value that does not fit the width");
  p("long", R(i, 20, 10));
  i.handleInput("");
  p("long", R(i, 20, 10));
  for (let n = 0; n < 12; n++) i.handleInput("\x1B[D");
  p("long", R(i, 20, 10));
  i = new t.Input({ prompt: "$ ", placeholder: "type here", placeholderStyle: (s2) => `<ph>${s2}</ph>` });
  p("ph", R(i, 20));
  i.focused = true;
  p("ph", R(i, 20));
  i.setValue("x");
  p("ph", R(i, 20));
}
