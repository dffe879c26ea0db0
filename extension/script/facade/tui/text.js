// Widths, wrapping and cutting of styled text. Go does it; what is plain ASCII stays here.

import { host } from "rondo:host";

const ascii = /^[\x20-\x7e]*$/;
const sgr = /\x1b\[[0-9;:]*m/g;

export function visibleWidth(str) {
  if (ascii.test(str)) return str.length;
  const bare = str.replace(sgr, "");
  return ascii.test(bare) ? bare.length : host("text.width", { text: bare });
}

export function stripTerminalSequences(str) {
  return str.includes("\x1b") ? host("text.strip", { text: str }) : str;
}

export function truncateToWidth(text, maxWidth, ellipsis = "...", pad = false) {
  const width = Math.floor(maxWidth);
  if (ascii.test(text) && text.length <= width) return pad ? text.padEnd(width) : text;
  return host("text.truncate", { text, width, ellipsis, pad });
}

export function wrapTextWithAnsi(text, width) {
  if (ascii.test(text) && text.length <= width) return [text];
  return host("text.wrap", { text, width: Math.floor(width) });
}

export function sliceByColumn(line, startCol, length, strict = false) {
  if (ascii.test(line)) return line.slice(startCol, startCol + Math.max(0, length));
  return host("text.slice", { text: line, start: startCol, length, strict });
}

// restByColumn is what follows a column, in the style that is active there.
export function restByColumn(line, startCol, length) {
  return ascii.test(line) ? line.slice(startCol, startCol + length) : host("text.rest", { text: line, start: startCol, length });
}

export function getOsc8LinkAtColumn(line, column) {
  return (line.includes("\x1b]8;") && host("text.link", { text: line, column })) || undefined;
}

// graphemes splits text into what a user sees as characters.
export function graphemes(text) {
  return ascii.test(text) ? text.split("") : host("text.graphemes", { text });
}

// fill pads a line with spaces on the right.
export function fill(line, width) {
  return line + " ".repeat(Math.max(0, width - visibleWidth(line)));
}

// clean makes text of any kind fit for one line of a component.
export const expandTabs = (text) => text.replaceAll("\t", "   ");

export function fuzzyMatch(query, text) {
  return host("text.fuzzy", { query, texts: [text], words: false })[0];
}

export function fuzzyFilter(items, query, getText) {
  if (!query.trim()) return items;
  const scores = host("text.fuzzy", { query, texts: items.map(getText), words: true });
  return items
    .map((item, i) => ({ item, ...scores[i] }))
    .filter((m) => m.matches)
    .sort((a, b) => a.score - b.score)
    .map((m) => m.item);
}
