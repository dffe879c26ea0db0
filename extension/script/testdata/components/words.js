export default async function({ t, a, p, colors, wait }) {
  const j = JSON.stringify;
  for (const s of ["foo_bar baz", "don't stop", "x=1+2", "a.b.c", "3.14 is", "日本語 テキスト", "foo--bar", "a, b", "path/to/file.ts", "  lead", "tail  ", "a👍b", "'quoted'", "foo(bar)", "über straße", "a-b_c", "@file:x", "foo…bar"]) {
    const i = new t.Input();
    i.setValue(s);
    i.handleInput("");
    const f = [];
    for (let n = 0; n < 9; n++) {
      i.handleInput("\x1Bf");
      f.push(i.cursor);
    }
    i.handleInput("");
    const b = [];
    for (let n = 0; n < 9; n++) {
      i.handleInput("\x1Bb");
      b.push(i.cursor);
    }
    p(s, [[...new Set(f)], [...new Set(b)]]);
  }
  const e = new t.Editor({ requestRender() {
  }, terminal: { rows: 20 } }, { borderColor: (s) => s, selectList: {} });
  for (const ks of [["a", "b", " ", "c", "d", " ", " ", "e"], ["a", "b", "\n", "c"], ["a", "", "b"], ["ab", "cd"], ["a", "\x1B[D", "b", "c"]]) {
    e.setText("");
    e.undoStack?.clear?.();
    for (const k of ks) e.handleInput(k);
    const r = [e.getText()];
    for (let n = 0; n < 6; n++) {
      e.handleInput("");
      r.push(e.getText() + "|" + e.getCursor().col);
    }
    p(ks, r);
  }
  e.setText("one two three");
  for (const k of ["", "", "", "\v", "", "\x1By", "\x1By"]) {
    e.handleInput(k);
    p(j(k), e.getText());
  }
  e.setText("l1\nl2");
  for (const k of ["", "", "", ""]) {
    e.handleInput(k);
    p(j(k), e.getText());
  }
  e.setText("l1\nl2");
  e.handleInput("\x1B[A");
  for (const k of ["\v", "\v", "", "\v", "", "\x1B[B", ""]) {
    e.handleInput(k);
    p(j(k), [e.getText(), e.getCursor()]);
  }
  e.setText("l1\nl2");
  e.handleInput("");
  for (const k of ["", "\x1Bd", "\x1B[D", "\x1B[C", "\x1Bb", "\x1Bf", "\x1Bf"]) {
    e.handleInput(k);
    p(j(k), [e.getText(), e.getCursor()]);
  }
  e.onSubmit = (v) => p("submit", v);
  e.setText("  pad text \n ");
  e.handleInput("\r");
  e.setText("   ");
  e.handleInput("\r");
  e.setText("\\");
  e.handleInput("\r");
  p("after", e.getText());
  for (const w of [8, 9, 10, 11, 12, 13, 14, 15, 30]) {
    e.setText([...Array(20)].map((_, i) => "l" + i).join("\n"));
    e.handleInput("\x1B[5~");
    p(w, [e.render(w)[0], e.render(w).at(-1)]);
  }
}
