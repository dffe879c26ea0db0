// Records what Pi's terminal library answers, one JSON line a call: [function, arguments, result].
// In a folder with @earendil-works/pi-tui 0.85 installed, run: node record.mjs > pi.jsonl
// The golden test compares the package with it; no code of Pi is read, only its answers.

import * as tui from "@earendil-works/pi-tui";

const lines = [];
const ask = (fn, ...args) => lines.push(JSON.stringify([fn, args, tui[fn](...args) ?? null]));

let seed = 7;
const rand = (n) => ((seed = (seed * 1103515245 + 12345) % 2147483648) >> 8) % n;
const pick = (list) => list[rand(list.length)];

const marker = "\x1b_pi:c\x07";
const link = (text, end) => `\x1b]8;;http://x${end}${text}\x1b]8;;${end}`;
const texts = [
  "", " ", "   ", "a", "Hello World", "hello  world", "  indented text here", "trailing   ", "one two",
  "This is a long line that needs wrapping", "helloworldfoo", "hi helloworldfoo",
  "a\tb", "a\tb c", "ab\tcd", "tab\tseparated\tvalues", "\u00a0ab cd", "foo-bar-baz", "https://example.com/a/very/long/path?query=1",
  "\x1b[31mred\x1b[0m", "\x1b[31mred text that wraps\x1b[0m normal", "\x1b[1m\x1b[31mbold red words here\x1b[22m only red\x1b[0m",
  "\x1b[4munderlined words wrap\x1b[24m not", "\x1b[41mbg words wrap here\x1b[0m", "\x1b[41m  ab  \x1b[49m", "x\x1b[31m y\x1b[0m",
  "aaa \x1b[31mbbb ccc", "ab \x1b[31m\x1b[0mcd", "ab \x1b[0mcdef", "\x1b[31mab cdef", "\x1b[38;2;1;2;3mtrue color words\x1b[39m x",
  "\x1b[38;5;12mabcdef\x1b[48;5;1mghi", "\x1b[7minverse words\x1b[27m", "\x1b[3;9mit strike\x1b[29m a b c\x1b[23m d", "\x1b[mx y", "\x1b[1;mx y",
  "\x1b[91mbright \x1b[2mdim\x1b[22m text\x1b[39m", "\x1b[31mab cd ef\x1b[0m gh   ", "ab\x1b[0m   ", "\x1b[31m",
  link("link text here", "\x1b\\") + " end", link("link text here", "\x07") + " end", "a" + link("bcdef", "\x1b\\") + "gh",
  `word${marker}more text`, `ab${marker}`, "日本語テキスト", "日本語 テキスト", "word 日本語テキスト", "日,本。語", "(日本)語", "한글 한글한글",
  "👍 👍🏽 👨‍👩‍👧 ☺️ 🇩🇪 1️⃣", "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", "a👨‍👩‍👧bcdefg", "e\u0301e\u0301e\u0301e\u0301", "…—a", "x x x x x ", "⚠️ warning ✓ done",
  "a\nb", "a\n\nb", "\n", "a\r\nb", "\x1b[31mred\ntext\x1b[0m", "\x1b[4mab\ncd", "foo bar\n\x1b[32mbaz qux", "ab  \ncd",
];
const parts = ["a", "bc", " ", "  ", "word", "longerword", "日", "本語", "👍", "é", "\t", "-", "\x1b[31m", "\x1b[0m", "\x1b[1m", "\x1b[22m", "\x1b[4m", "\x1b[24m", "\x1b[48;5;3m", "\x1b[49m", "\x1b[38;2;9;8;7m", "\x1b[39m", "\x1b]8;;u\x1b\\", "\x1b]8;;\x1b\\", "\n"];
for (let i = 0; i < 250; i++) {
  let s = "";
  for (let n = 1 + rand(12); n > 0; n--) s += pick(parts);
  texts.push(s);
}

for (const s of texts) {
  ask("visibleWidth", s);
  ask("stripTerminalSequences", s);
  for (const w of [1, 2, 3, 5, 8, 20]) if (rand(3) === 0 || w === 5) ask("wrapTextWithAnsi", s, w);
  for (const w of s.includes("\n") ? [] : [0, 1, 2, 4, 7, 11]) {
    if (rand(3) === 0 || w === 7) ask("truncateToWidth", s, w);
    if (rand(4) === 0) ask("truncateToWidth", s, w, "…", true);
    if (rand(6) === 0) ask("truncateToWidth", s, w, "");
  }
  if (s.includes("\n")) continue;
  for (const [a, l] of [[0, 3], [1, 2], [2, 5], [5, 1]]) ask("sliceByColumn", s, a, l, rand(2) === 0);
  ask("getOsc8LinkAtColumn", s, rand(6));
}
for (const [q, t] of [["abc", "abc"], ["abc", "aXbXc"], ["abc", "acb"], ["", "x"], ["set", "settings"], ["ts", "src/main.test.ts"], ["MT", "my-text"], ["mt", "my-text"], ["gpt5", "openai/gpt-5"], ["5gpt", "gpt-5"], ["foo bar", "foobar"], ["a", "ba"], ["a", "a"], ["ba", "a-b a"]]) ask("fuzzyMatch", q, t);

console.log(lines.join("\n"));
