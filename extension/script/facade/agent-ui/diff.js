// Diffs in colours, and the end of a text that fits on some rows.

import { Text } from "@earendil-works/pi-tui";
import { current } from "./theme.js";

const numbered = /^([+-])(\s*\d*) ?(.*)$/;

// words splits a line into words and what is between them.
const words = (line) => line.match(/\s+|[\p{L}\p{N}_]+|./gu) ?? [];

// common returns, for two lists, which of their elements are in the longest common sequence.
function common(a, b) {
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  }
  const inA = new Set();
  const inB = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      inA.add(i++);
      inB.add(j++);
    } else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  return [inA, inB];
}

// marked shows the words of a line that are not in the other one inverted.
function marked(list, kept) {
  let out = "";
  list.forEach((word, i) => {
    out += kept.has(i) || /^\s+$/.test(word) ? word : current().inverse(word);
  });
  return out;
}

const mostWords = 400;

// changed shows a line that took the place of another, if that is all that happened there.
function changed(removed, added) {
  const before = words(removed[3]);
  const after = words(added[3]);
  if (before.length > mostWords || after.length > mostWords) return [removed[3], added[3]];
  const [inBefore, inAfter] = common(before, after);
  return [marked(before, inBefore), marked(after, inAfter)];
}

// renderDiff colours a diff with numbered lines, as the edit tool makes it.
export function renderDiff(diffText) {
  const lines = diffText.replaceAll("\t", "   ").split("\n");
  const out = [];
  const theme = current();
  const run = (i, sign) => {
    const list = [];
    for (; i < lines.length && lines[i].startsWith(sign) && numbered.test(lines[i]); i++) list.push(lines[i].match(numbered));
    return list;
  };
  for (let i = 0; i < lines.length; ) {
    const removed = run(i, "-");
    const added = run(i + removed.length, "+");
    if (removed.length + added.length === 0) {
      out.push(theme.fg("toolDiffContext", lines[i++]));
      continue;
    }
    const texts = removed.length === 1 && added.length === 1 ? changed(removed[0], added[0]) : [...removed, ...added].map((m) => m[3]);
    [...removed, ...added].forEach((m, n) => {
      out.push(theme.fg(m[1] === "-" ? "toolDiffRemoved" : "toolDiffAdded", `${m[1]}${m[2]} ${texts[n]}`));
    });
    i += removed.length + added.length;
  }
  return out.join("\n");
}

// truncateToVisualLines returns the last rows of a text, and how many there are before them.
export function truncateToVisualLines(text, maxVisualLines, width, paddingX = 0) {
  if (!text) return { visualLines: [], skippedCount: 0 };
  const all = new Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, all.length - maxVisualLines);
  return { visualLines: all.slice(skippedCount), skippedCount };
}
