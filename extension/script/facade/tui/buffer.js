// The text of an editor: lines, a cursor, undo, deleted text, long pastes that are one mark.

import { KillRing, wordEnd, wordStart } from "./editing.js";
import { graphemes } from "./text.js";

const mark = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;
const longPasteLines = 10;
const longPasteChars = 1000;

export const normalize = (text) => text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ");

export class Buffer {
  // changed is called after each change of the text.
  constructor(changed) {
    this.lines = [""];
    this.line = 0;
    this.col = 0;
    this.changed = changed;
    this.killRing = new KillRing();
    this.snapshots = [];
    this.pastes = new Map();
    this.pasteCount = 0;
    this.last = undefined;
  }

  get current() {
    return this.lines[this.line];
  }

  get text() {
    return this.lines.join("\n");
  }

  get empty() {
    return this.lines.length === 1 && this.lines[0] === "";
  }

  // expanded is the text with pastes in the place of their marks.
  get expanded() {
    return this.text.replace(mark, (whole, id) => this.pastes.get(Number(id)) ?? whole);
  }

  // segments splits a line into characters; a mark of a paste is one.
  segments(line) {
    if (this.pastes.size === 0 || !line.includes("[paste #")) return graphemes(line);
    const out = [];
    let at = 0;
    for (const m of line.matchAll(mark)) {
      if (!this.pastes.has(Number(m[1]))) continue;
      out.push(...graphemes(line.slice(at, m.index)), m[0]);
      at = m.index + m[0].length;
    }
    out.push(...graphemes(line.slice(at)));
    return out;
  }

  // bounds returns the starts of the characters of the current line, and its end.
  bounds() {
    const list = [0];
    for (const g of this.segments(this.current)) list.push(list[list.length - 1] + g.length);
    return list;
  }

  previousCol() {
    return this.bounds().filter((b) => b < this.col).pop() ?? 0;
  }

  nextCol() {
    return this.bounds().find((b) => b > this.col) ?? this.current.length;
  }

  // replace sets the whole text; the cursor goes to its end, or to its start.
  replace(text, toStart = false) {
    this.lines = normalize(text).split("\n");
    this.line = toStart ? 0 : this.lines.length - 1;
    this.col = toStart ? 0 : this.current.length;
    this.changed();
  }

  insert(text) {
    const parts = normalize(text).split("\n");
    const head = this.current.slice(0, this.col);
    const tail = this.current.slice(this.col);
    const col = parts.length === 1 ? this.col + parts[0].length : parts[parts.length - 1].length;
    parts[0] = head + parts[0];
    parts[parts.length - 1] += tail;
    this.lines.splice(this.line, 1, ...parts);
    this.line += parts.length - 1;
    this.col = col;
    this.changed();
  }

  // type inserts what a key types. Words are undone as a whole.
  type(text) {
    if (/\s/.test(text) || this.last !== "type") this.snapshot();
    this.last = "type";
    this.insert(text);
  }

  newLine() {
    this.snapshot();
    this.last = undefined;
    this.insert("\n");
  }

  // paste inserts pasted text; a long one is kept aside and stands there as a mark.
  paste(raw) {
    this.snapshot();
    this.last = undefined;
    let text = normalize(raw).replace(/[\x00-\x09\x0b-\x1f\x7f]/g, "");
    if (/^[/~.]/.test(text) && /\w$/.test(this.current.slice(0, this.col))) text = ` ${text}`;
    const lines = text.split("\n").length;
    if (lines > longPasteLines || text.length > longPasteChars) {
      const id = ++this.pasteCount;
      this.pastes.set(id, text);
      text = lines > longPasteLines ? `[paste #${id} +${lines} lines]` : `[paste #${id} ${text.length} chars]`;
    }
    this.insert(text);
  }

  // forgetPastes drops pastes whose marks are not in a text that replaces all.
  forgetPastes(text) {
    if (text.includes("[paste #")) return;
    this.pastes.clear();
    this.pasteCount = 0;
  }

  // removeCols deletes a part of the current line; kill says on which side of the cursor a
  // part was that can be inserted again.
  removeCols(from, to, kill) {
    if (from === to) return;
    this.snapshot();
    const line = this.current;
    this.kill(line.slice(from, to), kill);
    this.lines[this.line] = line.slice(0, from) + line.slice(to);
    this.col = from;
    this.changed();
  }

  // join makes one line of a line and the next.
  join(line, kill) {
    if (line < 0 || line + 1 >= this.lines.length) return;
    this.snapshot();
    this.kill("\n", kill);
    this.col = this.lines[line].length;
    this.line = line;
    this.lines.splice(line, 2, this.lines[line] + this.lines[line + 1]);
    this.changed();
  }

  kill(text, side) {
    if (side) this.killRing.push(text, { prepend: side === "back", accumulate: this.last === "kill" });
    this.last = side ? "kill" : undefined;
  }

  deleteBack() {
    if (this.col > 0) this.removeCols(this.previousCol(), this.col);
    else this.join(this.line - 1);
  }

  deleteForward() {
    if (this.col < this.current.length) this.removeCols(this.col, this.nextCol());
    else this.join(this.line);
  }

  deleteWordBack() {
    if (this.col > 0) this.removeCols(wordStart(this.current, this.col), this.col, "back");
    else this.join(this.line - 1, "back");
  }

  deleteWordForward() {
    if (this.col < this.current.length) this.removeCols(this.col, wordEnd(this.current, this.col), "forward");
    else this.join(this.line, "forward");
  }

  deleteToStart() {
    if (this.col > 0) this.removeCols(0, this.col, "back");
    else this.join(this.line - 1, "back");
  }

  deleteToEnd() {
    if (this.col < this.current.length) this.removeCols(this.col, this.current.length, "forward");
    else this.join(this.line, "forward");
  }

  yank() {
    const text = this.killRing.peek();
    if (!text) return;
    this.snapshot();
    this.insert(text);
    this.last = "yank";
  }

  yankPop() {
    if (this.last !== "yank" || this.killRing.size < 2) return;
    this.snapshot();
    this.removeBack(this.killRing.peek());
    this.killRing.rotate();
    this.insert(this.killRing.peek());
    this.last = "yank";
  }

  // removeBack takes text away that stands before the cursor.
  removeBack(text) {
    const parts = text.split("\n");
    const first = this.line - (parts.length - 1);
    const col = parts.length === 1 ? this.col - text.length : this.lines[first].length - parts[0].length;
    this.lines.splice(first, parts.length, this.lines[first].slice(0, col) + this.current.slice(this.col));
    this.line = first;
    this.col = col;
  }

  moveTo(line, col) {
    this.line = line;
    this.col = col;
    this.last = undefined;
  }

  moveLeft() {
    if (this.col > 0) this.moveTo(this.line, this.previousCol());
    else if (this.line > 0) this.moveTo(this.line - 1, this.lines[this.line - 1].length);
  }

  moveRight() {
    if (this.col < this.current.length) this.moveTo(this.line, this.nextCol());
    else if (this.line < this.lines.length - 1) this.moveTo(this.line + 1, 0);
  }

  moveWordLeft() {
    if (this.col > 0) this.moveTo(this.line, wordStart(this.current, this.col));
    else this.moveLeft();
  }

  moveWordRight() {
    if (this.col < this.current.length) this.moveTo(this.line, wordEnd(this.current, this.col));
    else this.moveRight();
  }

  // jump goes to the next occurrence of a character, or to the one before.
  jump(character, forward) {
    const step = forward ? 1 : -1;
    for (let l = this.line; l >= 0 && l < this.lines.length; l += step) {
      const here = l === this.line;
      const from = forward ? (here ? this.col + 1 : 0) : here ? this.col - 1 : Infinity;
      const found = from < 0 ? -1 : forward ? this.lines[l].indexOf(character, from) : this.lines[l].lastIndexOf(character, from);
      if (found >= 0) {
        this.moveTo(l, found);
        return;
      }
    }
  }

  snapshot() {
    this.snapshots.push({ lines: [...this.lines], line: this.line, col: this.col });
  }

  undo() {
    const old = this.snapshots.pop();
    if (!old) return;
    Object.assign(this, old);
    this.last = undefined;
    this.changed();
  }
}
