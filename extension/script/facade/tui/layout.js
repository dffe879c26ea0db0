// How the lines of an editor become rows of the screen.

import { graphemes, visibleWidth } from "./text.js";

const space = /^\s+$/;
const cjk = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

// wordWrapLine splits a line into chunks. Spaces stay at the end of their row, if they fit.
// segments are the line's characters, if they are known already.
export function wordWrapLine(line, maxWidth, segments) {
  if (line === "" || (!segments && visibleWidth(line) <= maxWidth)) return [{ text: line, startIndex: 0, endIndex: line.length }];
  const chunks = [];
  const chunk = (from, to) => chunks.push({ text: line.slice(from, to), startIndex: from, endIndex: to });
  let start = 0;
  let used = 0;
  let opportunity = -1;
  let usedAtOpportunity = 0;
  let previous = "";
  let at = 0;
  for (const g of segments ?? graphemes(line)) {
    let width = visibleWidth(g);
    if (width > maxWidth && graphemes(g).length > 1) {
      // What is one character for the cursor, a mark of a paste, is wider than a row.
      if (at > start) chunk(start, at);
      const parts = wordWrapLine(g, maxWidth);
      for (const part of parts.slice(0, -1)) chunk(at + part.startIndex, at + part.endIndex);
      start = at + parts[parts.length - 1].startIndex;
      width = visibleWidth(parts[parts.length - 1].text);
      used = 0;
      opportunity = -1;
    }
    if (previous && mayBreak(previous, g)) {
      opportunity = at;
      usedAtOpportunity = used;
    }
    if (used + width > maxWidth && at > start) {
      if (opportunity > start && used - usedAtOpportunity + width <= maxWidth) {
        chunk(start, opportunity);
        start = opportunity;
        used -= usedAtOpportunity;
      } else {
        chunk(start, at);
        start = at;
        used = 0;
      }
      opportunity = -1;
    }
    used += width;
    at += g.length;
    previous = g;
  }
  chunk(start, line.length);
  return chunks;
}

function mayBreak(previous, next) {
  if (space.test(next)) return false;
  return space.test(previous) || cjk.test(previous) || cjk.test(next);
}

// layRows returns every row: the line it is part of, where it begins and ends there.
export function layRows(lines, width, segment) {
  const rows = [];
  lines.forEach((line, index) => {
    const chunks = wordWrapLine(line, width, segment(line));
    chunks.forEach((c, i) => {
      rows.push({ line: index, start: c.startIndex, end: c.endIndex, text: c.text, last: i === chunks.length - 1 });
    });
  });
  return rows;
}

// rowOf finds the row of a position.
export function rowOf(rows, line, col) {
  for (let i = rows.length - 1; i >= 0; i--) {
    if (rows[i].line === line && col >= rows[i].start) return i;
  }
  return Math.max(0, rows.length - 1);
}
