// The editor of the prompt: several lines, history, completions. Extensions subclass it.

import { Buffer } from "./buffer.js";
import { Completion } from "./completion.js";
import { CURSOR_MARKER } from "./container.js";
import { Pastes } from "./editing.js";
import { getKeybindings } from "./keybindings.js";
import { isKeyRelease, matchesKey, printable } from "./keys.js";
import { layRows, rowOf } from "./layout.js";
import { fill, truncateToWidth, visibleWidth } from "./text.js";
import { marginOf } from "./views.js";

const historySize = 100;
const leastRows = 5;
const shareOfScreen = 0.3;

// Keys that change the text, and keys that only move the cursor.
const edits = {
  "tui.editor.undo": (b) => b.undo(),
  "tui.editor.deleteToLineEnd": (b) => b.deleteToEnd(),
  "tui.editor.deleteToLineStart": (b) => b.deleteToStart(),
  "tui.editor.deleteWordBackward": (b) => b.deleteWordBack(),
  "tui.editor.deleteWordForward": (b) => b.deleteWordForward(),
  "tui.editor.deleteCharBackward": (b) => b.deleteBack(),
  "tui.editor.deleteCharForward": (b) => b.deleteForward(),
  "tui.editor.yank": (b) => b.yank(),
  "tui.editor.yankPop": (b) => b.yankPop(),
};
const moves = {
  "tui.editor.cursorLineStart": (b) => b.moveTo(b.line, 0),
  "tui.editor.cursorLineEnd": (b) => b.moveTo(b.line, b.current.length),
  "tui.editor.cursorWordLeft": (b) => b.moveWordLeft(),
  "tui.editor.cursorWordRight": (b) => b.moveWordRight(),
  "tui.editor.cursorLeft": (b) => b.moveLeft(),
  "tui.editor.cursorRight": (b) => b.moveRight(),
};

export class Editor {
  constructor(tui, theme, options = {}) {
    this.tui = tui;
    this.theme = theme;
    this.borderColor = theme.borderColor;
    this.focused = false;
    this.disableSubmit = false;
    this.buffer = new Buffer(() => this.onChange?.(this.getText()));
    this.completion = new Completion(this);
    this.pasteMarks = new Pastes();
    this.history = [];
    this.browsing = -1;
    this.width = 80;
    this.scroll = 0;
    this.setPaddingX(options.paddingX ?? 0);
    this.setAutocompleteMaxVisible(options.autocompleteMaxVisible ?? 5);
  }

  getPaddingX() {
    return this.paddingX;
  }

  setPaddingX(padding) {
    this.paddingX = Number.isFinite(padding) ? Math.max(0, Math.floor(padding)) : 0;
    this.tui?.requestRender?.();
  }

  getAutocompleteMaxVisible() {
    return this.completion.maxVisible;
  }

  setAutocompleteMaxVisible(maxVisible) {
    this.completion.maxVisible = Number.isFinite(maxVisible) ? Math.max(3, Math.min(20, Math.floor(maxVisible))) : 5;
  }

  setAutocompleteProvider(provider) {
    this.completion.setProvider(provider);
  }

  isShowingAutocomplete() {
    return this.completion.open;
  }

  getText() {
    return this.buffer.text;
  }

  getExpandedText() {
    return this.buffer.expanded;
  }

  getLines() {
    return [...this.buffer.lines];
  }

  getCursor() {
    return { line: this.buffer.line, col: this.buffer.col };
  }

  setText(text) {
    this.browsing = -1;
    this.completion.close();
    this.buffer.last = undefined;
    if (this.getText() !== text) this.buffer.snapshot();
    this.buffer.forgetPastes(text);
    this.buffer.replace(text);
  }

  insertTextAtCursor(text) {
    if (!text) return;
    this.completion.close();
    this.browsing = -1;
    this.buffer.snapshot();
    this.buffer.last = undefined;
    this.buffer.insert(text);
  }

  addToHistory(text) {
    const entry = text.trim();
    if (!entry || this.history[0] === entry) return;
    this.history.unshift(entry);
    this.history.length = Math.min(this.history.length, historySize);
  }

  invalidate() {}

  handleInput(data) {
    if (this.jumping !== undefined && this.jump(data)) return;
    const paste = this.pasteMarks.feed(data);
    if (paste) {
      if (paste.text !== undefined) this.paste(paste.text);
      if (paste.rest) this.handleInput(paste.rest);
      return;
    }
    if (isKeyRelease(data)) return;
    if (this.completion.open) {
      const what = this.completion.key(data);
      if (what === "submit") this.submit();
      if (what) return;
    }
    this.key(data);
  }

  key(data) {
    const kb = getKeybindings();
    const is = (action) => kb.matches(data, `tui.${action}`);
    const before = this.getText();
    if (kb.matches(data, "tui.input.copy")) return;
    if (is("input.tab")) this.completion.tab();
    else if (is("editor.jumpForward")) this.jumping = true;
    else if (is("editor.jumpBackward")) this.jumping = false;
    else if (is("editor.historyPrevious")) this.browse(1);
    else if (is("editor.historyNext")) this.browse(-1);
    else if (this.isNewLine(data)) this.edit((b) => b.newLine());
    else if (is("input.submit")) this.enter();
    else if (is("editor.cursorUp")) this.up();
    else if (is("editor.cursorDown")) this.down();
    else if (is("editor.pageUp")) this.page(-1);
    else if (is("editor.pageDown")) this.page(1);
    else if (this.byTable(kb, data)) return;
    else this.type(data, before);
  }

  byTable(kb, data) {
    for (const [action, act] of Object.entries(edits)) {
      if (!kb.matches(data, action)) continue;
      this.edit(act);
      return true;
    }
    for (const [action, act] of Object.entries(moves)) {
      if (!kb.matches(data, action)) continue;
      this.sticky = undefined;
      act(this.buffer);
      this.completion.moved();
      return true;
    }
    return false;
  }

  // edit changes the text and lets completions follow.
  edit(act) {
    this.sticky = undefined;
    this.browsing = -1;
    const before = this.getText();
    act(this.buffer);
    if (this.getText() !== before) this.completion.typed();
  }

  type(data) {
    // Several characters at once come from a paste without its marks.
    const text = matchesKey(data, "shift+space") ? " " : data.length > 1 && data >= " " && !data.includes("\x1b") ? data : printable(data);
    if (text === undefined) return;
    this.edit((b) => b.type(text));
  }

  paste(text) {
    this.sticky = undefined;
    this.browsing = -1;
    this.completion.close();
    this.buffer.paste(text);
  }

  isNewLine(data) {
    if (getKeybindings().matches(data, "tui.input.newLine")) return true;
    return data === "\x1b\r" || data === "\x1b[13;2~" || (data.length > 1 && data.includes("\x1b") && data.includes("\r")) || matchesKey(data, "alt+enter");
  }

  // enter submits; after a backslash it is a new line, for terminals that have no other key.
  enter() {
    const b = this.buffer;
    if (b.current[b.col - 1] === "\\") {
      b.deleteBack();
      this.edit((buffer) => buffer.newLine());
      return;
    }
    this.submit();
  }

  submit() {
    if (this.disableSubmit) return;
    const text = this.getExpandedText().trim();
    this.completion.close();
    this.browsing = -1;
    this.scroll = 0;
    this.sticky = undefined;
    const b = this.buffer;
    b.snapshots = [];
    b.forgetPastes("");
    b.last = undefined;
    b.replace("");
    this.onSubmit?.(text);
  }

  jump(data) {
    const forward = this.jumping;
    this.jumping = undefined;
    const kb = getKeybindings();
    if (kb.matches(data, "tui.editor.jumpForward") || kb.matches(data, "tui.editor.jumpBackward")) return true;
    const character = printable(data);
    if (character === undefined) return false;
    this.sticky = undefined;
    this.buffer.jump(character, forward);
    return true;
  }

  // browse shows an older entry of the history, or a newer one; the last is the draft.
  browse(step) {
    const next = this.browsing + step;
    if (next < -1 || next >= this.history.length) return;
    const b = this.buffer;
    if (this.browsing === -1) {
      b.snapshot();
      this.draft = { lines: [...b.lines], line: b.line, col: b.col };
    }
    this.browsing = next;
    this.completion.close();
    b.last = undefined;
    this.sticky = undefined;
    this.scroll = 0;
    if (next >= 0) {
      b.replace(this.history[next], step > 0);
    } else {
      Object.assign(b, this.draft);
      b.changed();
    }
  }

  rows() {
    return layRows(this.buffer.lines, this.textWidth(this.width), (line) => this.buffer.segments(line));
  }

  up() {
    const b = this.buffer;
    if (b.empty) {
      this.browse(1);
      return;
    }
    const rows = this.rows();
    const at = rowOf(rows, b.line, b.col);
    if (at > 0) this.vertical(rows, at, at - 1);
    else if (this.browsing > -1 || b.col === 0) this.browse(1);
    else this.toEdge(0);
  }

  down() {
    const b = this.buffer;
    const rows = this.rows();
    const at = rowOf(rows, b.line, b.col);
    if (at < rows.length - 1) this.vertical(rows, at, at + 1);
    else if (this.browsing > -1) this.browse(-1);
    else this.toEdge(b.current.length);
  }

  toEdge(col) {
    this.sticky = undefined;
    this.buffer.moveTo(this.buffer.line, col);
    this.completion.moved();
  }

  page(direction) {
    const rows = this.rows();
    const at = rowOf(rows, this.buffer.line, this.buffer.col);
    this.vertical(rows, at, Math.max(0, Math.min(rows.length - 1, at + direction * this.visibleRows())));
  }

  // vertical moves to another row and tries to keep the column: it is remembered while rows
  // are too short for it.
  vertical(rows, from, to) {
    const b = this.buffer;
    const column = visibleWidth(rows[from].text.slice(0, b.col - rows[from].start));
    const wanted = Math.max(column, this.sticky ?? 0);
    const row = rows[to];
    let used = 0;
    let col = row.start;
    for (const g of b.segments(row.text)) {
      const width = visibleWidth(g);
      const end = col + g.length;
      if (used + width > wanted || (!row.last && end >= row.end)) break;
      used += width;
      col = end;
    }
    b.moveTo(row.line, col);
    this.sticky = used < wanted ? wanted : undefined;
    this.completion.moved();
  }

  textWidth(width) {
    const inner = Math.max(1, width - 2 * this.paddingX);
    return Math.max(1, inner - (this.paddingX > 0 ? 0 : 1)); // a column for the cursor
  }

  visibleRows() {
    return Math.max(leastRows, Math.floor((this.tui?.terminal?.rows ?? 24) * shareOfScreen));
  }

  renderTopBorder(width, hiddenLineCount) {
    return this.border(width, "↑", hiddenLineCount);
  }

  renderBottomBorder(width, hiddenLineCount) {
    return this.border(width, "↓", hiddenLineCount);
  }

  border(width, arrow, hidden) {
    if (hidden <= 0) return this.borderColor("─".repeat(width));
    const label = ` ${arrow} ${hidden} more `;
    const rest = width - visibleWidth(label);
    if (rest < 2) return this.borderColor(truncateToWidth(`───${label}`, width).replaceAll("\x1b[0m", ""));
    const left = Math.floor(rest / 2);
    return this.borderColor("─".repeat(left) + label + "─".repeat(rest - left));
  }

  render(width) {
    this.width = width;
    const padding = marginOf(this.paddingX, width);
    const inner = Math.max(1, width - 2 * padding);
    const rows = this.rows();
    const at = rowOf(rows, this.buffer.line, this.buffer.col);
    const count = this.visibleRows();
    this.scroll = Math.max(Math.min(this.scroll, at), at - count + 1, 0);
    this.scroll = Math.min(this.scroll, Math.max(0, rows.length - count));
    const margin = " ".repeat(padding);
    const shown = rows.slice(this.scroll, this.scroll + count);
    this.shown = { rows: shown, padding };
    const lines = [this.renderTopBorder(width, this.scroll)];
    shown.forEach((row, i) => lines.push(this.row(row, this.scroll + i === at, inner, margin)));
    lines.push(this.renderBottomBorder(width, Math.max(0, rows.length - this.scroll - shown.length)));
    this.listTop = lines.length;
    for (const line of this.completion.render(inner)) lines.push(margin + line + margin);
    return lines;
  }

  // row renders one row; the cursor may stand in the margin behind a full one.
  row(row, hasCursor, inner, margin) {
    if (!hasCursor) return margin + fill(row.text, inner) + margin;
    const offset = this.buffer.col - row.start;
    const head = row.text.slice(0, offset);
    const at = this.buffer.segments(row.text.slice(offset))[0] ?? "";
    const marker = this.focused && !this.completion.open ? CURSOR_MARKER : "";
    const line = `${head}${marker}\x1b[7m${at || " "}\x1b[0m${row.text.slice(offset + at.length)}`;
    return fill(margin + line, inner + margin.length) + (visibleWidth(line) > inner ? margin.slice(1) : margin);
  }

  handleMouse(event) {
    if (this.completion.open && event.y >= this.listTop) {
      const result = this.completion.list.handleMouse({ ...event, y: event.y - this.listTop, x: event.x - this.paddingX });
      if (event.type === "click" && result?.handled) this.handleInput("\t");
      return result;
    }
    const row = this.shown?.rows[event.y - 1];
    if (!row || event.button !== "left" || (event.type !== "press" && event.type !== "click")) return undefined;
    let used = this.shown.padding;
    let col = row.start;
    for (const g of this.buffer.segments(row.text)) {
      used += visibleWidth(g);
      if (used > event.x) break;
      col += g.length;
    }
    this.sticky = undefined;
    this.buffer.moveTo(row.line, col);
    return { handled: true, focus: true };
  }
}
