export default async function({ t, a, p, colors, wait }) {
  const th = { borderColor: (s) => s, selectList: { selectedPrefix: (s) => `<p>${s}</p>`, selectedText: (s) => `<s>${s}</s>`, description: (s) => `<d>${s}</d>`, scrollInfo: (s) => `<i>${s}</i>`, noMatch: (s) => `<n>${s}</n>` } };
  let renders = 0;
  const tui = { requestRender() {
    renders++;
  }, terminal: { rows: 20, columns: 40 } };
  const mkp = (o = {}) => ({ async getSuggestions(lines, l, c, opts) {
    const b = lines[l].slice(0, c);
    p("  get", [b, opts.force ?? null]);
    const m = b.match(/[\/@#]?\S*$/)[0];
    if (!m && !opts.force) return null;
    const items = ["help", "hello", "quit"].filter((x) => x.startsWith(m.replace(/^[\/@#]/, ""))).map((x) => ({ value: x, label: x, description: "d " + x }));
    return items.length ? { items, prefix: m } : null;
  }, applyCompletion(lines, l, c, item, prefix) {
    p("  apply", [item.value, prefix]);
    const line = lines[l];
    const nl = line.slice(0, c - prefix.length) + (prefix[0] === "/" ? "/" : "") + item.value + " " + line.slice(c);
    return { lines: lines.map((x, i) => i === l ? nl : x), cursorLine: l, cursorCol: c - prefix.length + item.value.length + 1 + (prefix[0] === "/" ? 1 : 0) };
  }, ...o });
  async function run(name, ks, o, init) {
    p("###", name);
    const e = new t.Editor(tui, th);
    e.onSubmit = (v) => p("  SUBMIT", v);
    e.onChange = (v) => p("  change", v);
    e.setAutocompleteProvider(mkp(o));
    if (init) e.setText(init);
    for (const k of ks) {
      p("key", k);
      e.handleInput(k);
      await wait(30);
      p("  ->", [e.getText(), e.getCursor().col, e.isShowingAutocomplete(), e.isShowingAutocomplete() ? e.render(40).slice(2) : null]);
    }
  }
  await run("slash", ["/", "h", "e", "\x1B[B", "	"]);
  await run("slash enter", ["/", "h", "\r"]);
  await run("slash esc", ["/", "h", "\x1B", "e", ""]);
  await run("slash mid", ["a", "/", "h"]);
  await run("slash no match", ["/", "z", ""]);
  await run("at", ["a", " ", "@", "h", "\r"]);
  await run("hash no trig", ["#", "h"]);
  await run("hash trig", ["a", " ", "#", "h", "\x1B[A", "\r"], { triggerCharacters: ["#"] });
  await run("tab", ["h", "	"]);
  await run("tab one", ["q", "	"]);
  await run("tab none", ["z", "	"]);
  await run("tab should not", ["h", "	"], { shouldTriggerFileCompletion: () => false });
  await run("space", ["/", "h", "e", "l", "p", " ", "x"]);
  await run("multi", ["/", "h", "\x1B[D", "\x1B[C"]);
  await run("line2", ["/"], {}, "first\n");
  await run("exact", ["/", "q", "u", "i", "t", "\r"]);
  await run("paste slash", ["\x1B[200~/he\x1B[201~"]);
}
