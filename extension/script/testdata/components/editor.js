export default async function({ t, a, p, colors, wait }) {
  const j = JSON.stringify;
  const th = { borderColor: (s) => `<b>${s}</b>`, selectList: { selectedPrefix: (s) => `<p>${s}</p>`, selectedText: (s) => `<s>${s}</s>`, description: (s) => `<d>${s}</d>`, scrollInfo: (s) => `<i>${s}</i>`, noMatch: (s) => `<n>${s}</n>` } };
  const tui = { requestRender() {
  }, terminal: { rows: 20, columns: 40 } };
  const mk = (o) => {
    const e2 = new t.Editor(tui, th, o);
    e2.onSubmit = (v) => p("submit", v);
    e2.onChange = (v) => p("change", v);
    e2.focused = true;
    return e2;
  };
  let e = mk();
  const st = () => [e.getLines(), e.getCursor(), e.render(20)];
  p("empty", st());
  const feed = (ks) => {
    for (const k of ks) {
      e.handleInput(k);
      p(j(k), st());
    }
  };
  feed(["h", "i", "\x1B[13;2u", "x", "\n", "y", "\x1B\r", "z", "\x1B[A", "\x1B[A", "\x1B[D", "\x1B[B", "", "", "", "", "\x1B[3~", "\r"]);
  p("--- history");
  e.addToHistory("one");
  e.addToHistory("two\nlines");
  e.addToHistory("two\nlines");
  feed(["\x1B[A", "\x1B[A", "\x1B[A", "\x1B[B", "\x1B[B", "\x1B[B", "d", "r", "\x1B[A", "\x1B[A", "\x1B[B", "\x1B[B", "\x1B[B"]);
  e.setText("");
  p("--- words");
  feed(["hello big world, foo-bar", "", "", "", "", "\x1By", "\x1Bb", "\x1Bb", "\x1Bf", "\x1Bd", "", "", "", "", ""]);
  e.setText("the quick brown fox jumps over the lazy dog again\nshort\nanother quite long line here to move");
  p("--- vertical");
  p("t", st());
  feed(["\x1B[A", "\x1B[A", "\x1B[A", "\x1B[A", "\x1B[A", "\x1B[B", "\x1B[B", "\x1B[B", "\x1B[5~", "\x1B[6~", "", "o", "\x1B", "q"]);
  p("--- scroll");
  e.setText([...Array(12)].map((_, i) => "line " + i).join("\n"));
  p("t", st());
  feed(["\x1B[A", "\x1B[5~", "\x1B[5~", "\x1B[5~", "\x1B[6~"]);
  p("--- paste");
  e.setText("");
  feed(["\x1B[200~small	paste\x1B[201~", "\x1B[200~" + [...Array(12)].map((_, i) => "L" + i).join("\n") + "\x1B[201~", " after", "\x1B[D", "\x1B[D", "\x1B[D", "\x1B[D", "\x1B[D", "\x1B[D", "\x1B[D", "\x1B[D", ""]);
  p("exp", e.getExpandedText());
  e.setText("");
  feed(["\x1B[200~" + "x".repeat(1200) + "\x1B[201~"]);
  p("exp", e.getExpandedText().length);
  feed(["", "\x1B[200~/abs/path\x1B[201~", "a", "\x1B[200~/abs/path\x1B[201~"]);
  p("--- backslash");
  e.setText("a\\");
  feed(["\r", "b", "\r"]);
  e.disableSubmit = true;
  e.setText("x");
  feed(["\r"]);
  e.disableSubmit = false;
  p("--- pad");
  e = mk({ paddingX: 2 });
  e.setText("日本語 text that wraps around the edge");
  p("t", [e.render(20), e.render(9), e.getPaddingX()]);
  e.setPaddingX(0);
  p("t", e.render(12));
  e.borderColor = (s) => `{${s}}`;
  p("t", e.render(12));
  e.focused = false;
  p("t", e.render(12));
  e.setText("exactly ten");
  p("t", e.render(11));
  p("t", e.render(12));
  e.insertTextAtCursor("A\nB	C");
  p("t", e.render(30));
  e.setText("a b");
  e.handleInput("\x1B[D");
  p("mid", e.render(10));
  e.setText("word wordword wo");
  p("wrap", e.render(9));
  e.setText("aaaa   bbbb");
  p("wrap", e.render(6));
  e.setText("a     ");
  p("wrap", e.render(5));
  e.setText("tab	here\r\nnext");
  p("norm", [e.getText(), e.getLines()]);
  e.setText("");
  feed(["", "\x1B", "\x1B[1;3A", "\x1Bx", "\0", "é", "👍", "\x1B[97;5u", "\x1B[233u", "\x1B[65;2u"]);
}
