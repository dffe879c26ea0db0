// What both text fields need: words, deleted text that can come back, undo.

import { graphemes } from "./text.js";

const space = /^\s/;
const punctuation = /^[\p{P}\p{S}]/u;

// kind tells runs of characters apart: white space, punctuation, pictures, letters.
function kind(character) {
  if (space.test(character)) return "space";
  if (character === "_") return "letter";
  if (/^\p{Extended_Pictographic}/u.test(character)) return "picture";
  return punctuation.test(character) ? "punctuation" : "letter";
}

// wordEnd returns where the word at or after a position ends.
export function wordEnd(text, from) {
  let at = from;
  let run;
  for (const g of graphemes(text.slice(from))) {
    const k = kind(g);
    if (run === undefined && k !== "space") run = k;
    if (run !== undefined && k !== run) break;
    at += g.length;
  }
  return at;
}

// wordStart returns where the word before a position begins.
export function wordStart(text, from) {
  let at = from;
  let run;
  for (const g of graphemes(text.slice(0, from)).reverse()) {
    const k = kind(g);
    if (run === undefined && k !== "space") run = k;
    if (run !== undefined && k !== run) break;
    at -= g.length;
  }
  return at;
}

// before and after return the character on either side of a position, "" at the ends.
export const before = (text, at) => graphemes(text.slice(0, at)).pop() ?? "";
export const after = (text, at) => graphemes(text.slice(at))[0] ?? "";

// KillRing keeps deleted text. Deletions in a row are one entry.
export class KillRing {
  constructor() {
    this.entries = [];
  }

  push(text, { prepend = false, accumulate = false } = {}) {
    if (!text) return;
    if (!accumulate || this.entries.length === 0) {
      this.entries.push(text);
      return;
    }
    const last = this.entries.pop();
    this.entries.push(prepend ? text + last : last + text);
  }

  get size() {
    return this.entries.length;
  }

  peek() {
    return this.entries[this.entries.length - 1];
  }

  rotate() {
    if (this.entries.length > 1) this.entries.unshift(this.entries.pop());
  }
}

// Pastes collects what comes between the marks of a bracketed paste.
export class Pastes {
  // feed returns undefined if data has nothing to do with a paste. Otherwise text is what was
  // pasted, once it is complete, and rest is what came after it.
  feed(data) {
    let chunk = data;
    if (this.open === undefined) {
      const start = data.indexOf("\x1b[200~");
      if (start < 0) return undefined;
      this.open = "";
      chunk = data.slice(0, start) + data.slice(start + 6);
    }
    this.open += chunk;
    const end = this.open.indexOf("\x1b[201~");
    if (end < 0) return { rest: "" };
    const text = this.open.slice(0, end);
    const rest = this.open.slice(end + 6);
    this.open = undefined;
    return { text, rest };
  }
}
