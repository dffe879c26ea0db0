export default async function({ t, a, p, colors, wait }) {
  const f = (n) => (s) => `<${n}>${s}</${n}>`;
  const tui = { requestRender() {
  }, terminal: { rows: 20, columns: 40 } };
  let l = new t.Loader(tui, f("s"), f("m"), "Working");
  p("l", l.render(30));
  l.setMessage("Other");
  p("l", l.render(30));
  l.stop();
  l.setIndicator({ frames: ["*"] });
  p("l", l.render(30));
  l.setIndicator({ frames: [] });
  p("l", l.render(30));
  l.setIndicator();
  l.stop();
  p("l", l.render(30));
  let cl = new t.CancellableLoader(tui, f("s"), f("m"));
  cl.onAbort = () => p("abort", cl.aborted);
  p("cl", [cl.render(30), cl.aborted, cl.signal.aborted]);
  cl.handleInput("x");
  cl.handleInput("\x1B");
  p("cl", [cl.aborted, cl.signal.aborted]);
  cl.dispose();
  const img = new t.Image("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "image/png", { fallbackColor: f("fb") }, { filename: "a.png" });
  p("img", img.render(40));
  p("fb", [t.imageFallback("image/png", { widthPx: 3, heightPx: 4 }, "/tmp/x/y.png"), t.imageFallback("image/png"), t.hyperlink("t", "u"), t.getCellDimensions()]);
  p("dim", t.getImageDimensions("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "image/png"));
  p("comp", [t.compositeTuiLine("base line text here", "OV", 5, 6, 20), t.compositeTuiLine("ab", "OVER", 5, 6, 20), t.compositeTuiLine("\x1B[31mbase line\x1B[0m text here", "\x1B[1mOVERLONG", 5, 6, 20)]);
  p("stack", new t.VStack([new t.Text("a", 0, 0), new t.Text("b", 0, 0)], { gap: 1 }).render(5));
}
