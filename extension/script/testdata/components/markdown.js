export default async function({ t, a, p, colors, wait }) {
  const f = (n) => (s) => `<${n}>${s}</${n}>`;
  const th = {};
  for (const n of ["heading", "link", "linkUrl", "code", "codeBlock", "codeBlockBorder", "quote", "quoteBorder", "hr", "listBullet", "bold", "italic", "strikethrough", "underline"]) th[n] = f(n);
  const ex = {
    para: "Hello world",
    two: "Hello\nworld\n\nnext para",
    h: "# H1\n## H2\n### H3\n#### H4 **b** `c`\ntext",
    inline: "a **bold** *it* _it2_ `code` ~~del~~ [link](http://x) <http://auto> https://bare.com x",
    link: '[http://x](http://x) [mail](mailto:a@b) ![img](http://i/a.png "t")',
    nested: "**bold *it* `c`**",
    list: "- a\n- b\n  - c\n    - d\n- e\n\nafter",
    olist: "1. a\n2. b\n   1. c\n10. d",
    olist3: "3. a\n4. b",
    loose: "- a\n\n- b\n\n  para in b\n- c",
    task: "- [ ] todo\n- [x] done",
    code: "```ts\nconst a = 1;\n\nb\n```\nafter",
    code2: "text\n```\nplain\n```",
    quote: "> quoted *text* here\n> more\n>\n> second\n\nafter",
    quote2: "> a\n>> nested\n> - list\n> ```\n> code\n> ```",
    hr: "a\n\n---\n\nb",
    table: "| A | B |\n|---|:-:|\n| one | **two** |\n| three long cell | x |\n\nafter",
    html: "a <b>bold</b> <br> x\n\n<div>\nblock\n</div>\n\nend",
    br: "a  \nb\\\nc",
    esc: "\\*not\\* a &amp; b &lt;",
    listcode: "- item\n  ```js\n  x\n  ```\n- two\n\n  > q",
    trailing: "text\n\n\n\nmore\n\n",
    empty: "",
    ws: "   \n  ",
    long: "This is a **long bold text that wraps** around the line [a link that wraps too](http://example.com/path)",
    longlist: "- a long item that wraps around the available width of the list\n1. number item that wraps around the available width",
    headp: "para\n# Head\npara2\n- l\n# Head2",
    hlist: "text\n- a\n- b\ntext2",
    tab: "a	b\n\n```\n	x\n```",
    del: "~one~ ~~two~~ ***both***",
    ulist: "* a\n+ b\n- c",
    codespan: "`` a`b `` `x  y`"
  };
  for (const [k, v] of Object.entries(ex)) p(k, new t.Markdown(v, 0, 0, th).render(40));
  p("pad", new t.Markdown("Hello **w**\n\nx", 2, 1, th).render(30));
  p("bg", new t.Markdown("Hello **w**\n\nx", 1, 1, th, { color: f("c"), bgColor: f("bg"), bold: true, italic: true }).render(30));
  p("st", new t.Markdown("Hello **w** `c` [l](http://u)\n# H\n- a\n> q", 0, 0, th, { color: (s) => `\x1B[90m${s}\x1B[39m`, italic: true }).render(30));
  p("hl", new t.Markdown("```ts\na b\nc\n```", 0, 0, { ...th, highlightCode: (c, l) => c.split("\n").map((x) => `{${l}:${x}}`), codeBlockIndent: "→" }).render(30));
  const ansi = { ...th, bold: (s) => `\x1B[1m${s}\x1B[22m`, heading: (s) => `\x1B[33m${s}\x1B[39m`, code: (s) => `\x1B[36m${s}\x1B[39m`, link: (s) => `\x1B[34m${s}\x1B[39m`, underline: (s) => `\x1B[4m${s}\x1B[24m`, italic: (s) => `\x1B[3m${s}\x1B[23m`, listBullet: (s) => `\x1B[35m${s}\x1B[39m`, quote: (s) => `\x1B[90m${s}\x1B[39m`, quoteBorder: (s) => `\x1B[91m${s}\x1B[39m` };
  p("ansi", new t.Markdown("# Head `code` x\n\n**bold `c` more** text\n\n> quote **b** text that is long and wraps over\n\n- item **b**\n- [l](http://u) after", 0, 0, ansi).render(24));
  p("tablenarrow", new t.Markdown(ex.table, 0, 0, th).render(16));
  p("tabletiny", new t.Markdown(ex.table, 0, 0, th).render(8));
  p("longw", new t.Markdown(ex.long, 0, 0, ansi).render(20));
}
