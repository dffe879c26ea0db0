// Tables of Markdown: as wide as they need to be, or narrowed until they fit.

import { fill, stripTerminalSequences, visibleWidth, wrapTextWithAnsi } from "./text.js";

const resetStyles = "\x1b[22;23;24;25;27;28;29;39m"; // all but the background
const longestKept = 30; // columns of a word that is not broken if possible

function longestWord(cell) {
  return Math.min(longestKept, Math.max(1, ...stripTerminalSequences(cell).split(/\s+/).map(visibleWidth)));
}

// narrow distributes the columns that there are.
function narrow(natural, least, available) {
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  if (sum(natural) <= available) return natural;
  const from = sum(least) <= available ? least : natural.map(() => 1);
  const wish = sum(least) <= available ? natural.map((n, i) => n - least[i]) : least.map((l) => Math.max(0, l - 1));
  const rest = available - sum(from);
  const total = sum(wish) || 1;
  const widths = from.map((w, i) => w + Math.floor((wish[i] * rest) / total));
  for (let i = 0, left = available - sum(widths); left > 0; i = (i + 1) % widths.length, left--) widths[i]++;
  return widths;
}

// table returns the lines of a table, whose first row is the head and gets the style; undefined
// if not even one character a column fits.
export function table(rows, width, headStyle) {
  const columns = rows[0].length;
  const available = width - 3 * columns - 1;
  if (available < columns) return undefined;
  const column = (i, of) => Math.max(1, ...rows.map((row) => of(row[i] ?? "")));
  const indices = rows[0].map((_, i) => i);
  const widths = narrow(indices.map((i) => column(i, visibleWidth)), indices.map((i) => column(i, longestWord)), available);
  const rule = (left, middle, right) => left + widths.map((w) => "─".repeat(w + 2)).join(middle) + right;
  const lines = [rule("┌", "┬", "┐")];
  rows.forEach((row, i) => {
    if (i > 0) lines.push(rule("├", "┼", "┤"));
    lines.push(...rowLines(row, widths, i === 0 ? headStyle : (text) => text));
  });
  lines.push(rule("└", "┴", "┘"));
  return lines;
}

function rowLines(row, widths, style) {
  const cells = widths.map((w, i) => {
    const lines = wrapTextWithAnsi(row[i] ?? "", w);
    return lines.map((line, n) => (n < lines.length - 1 ? line + resetStyles : line));
  });
  const height = Math.max(...cells.map((c) => c.length));
  return Array.from({ length: height }, (_, y) => `│ ${cells.map((c, i) => style(fill(c[y] ?? "", widths[i]))).join(" │ ")} │`);
}
