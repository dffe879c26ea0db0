// A field for one line of text.

import { CURSOR_MARKER } from "./container.js";
import { after, before, KillRing, Pastes, wordEnd, wordStart } from "./editing.js";
import { getKeybindings } from "./keybindings.js";
import { isKeyRelease, printable } from "./keys.js";
import { fill, graphemes, sliceByColumn, visibleWidth } from "./text.js";

const actions = {
  "tui.select.cancel": (i) => i.onEscape?.(),
  "tui.editor.undo": (i) => i.undo(),
  "tui.input.submit": (i) => i.onSubmit?.(i.value),
  "tui.editor.deleteCharBackward": (i) => i.remove(i.cursor - before(i.value, i.cursor).length, i.cursor, "char"),
  "tui.editor.deleteCharForward": (i) => i.remove(i.cursor, i.cursor + after(i.value, i.cursor).length, "char"),
  "tui.editor.deleteWordBackward": (i) => i.remove(wordStart(i.value, i.cursor), i.cursor, "back"),
  "tui.editor.deleteWordForward": (i) => i.remove(i.cursor, wordEnd(i.value, i.cursor), "forward"),
  "tui.editor.deleteToLineStart": (i) => i.remove(0, i.cursor, "back"),
  "tui.editor.deleteToLineEnd": (i) => i.remove(i.cursor, i.value.length, "forward"),
  "tui.editor.yank": (i) => i.yank(),
  "tui.editor.yankPop": (i) => i.yankPop(),
  "tui.editor.cursorLeft": (i) => i.move(i.cursor - before(i.value, i.cursor).length),
  "tui.editor.cursorRight": (i) => i.move(i.cursor + after(i.value, i.cursor).length),
  "tui.editor.cursorLineStart": (i) => i.move(0),
  "tui.editor.cursorLineEnd": (i) => i.move(i.value.length),
  "tui.editor.cursorWordLeft": (i) => i.move(wordStart(i.value, i.cursor)),
  "tui.editor.cursorWordRight": (i) => i.move(wordEnd(i.value, i.cursor)),
};

export class Input {
  constructor(options = {}) {
    this.value = "";
    this.cursor = 0;
    this.focused = false;
    this.prompt = options.prompt ?? "> ";
    this.placeholder = options.placeholder ?? "";
    this.placeholderStyle = options.placeholderStyle ?? ((text) => text);
    this.killRing = new KillRing();
    this.pastes = new Pastes();
    this.snapshots = [];
    this.first = 0;
  }

  getValue() {
    return this.value;
  }

  setValue(value) {
    this.value = value;
    this.cursor = Math.min(this.cursor, value.length);
  }

  invalidate() {}

  handleInput(data) {
    const paste = this.pastes.feed(data);
    if (paste) {
      if (paste.text !== undefined) this.paste(paste.text);
      if (paste.rest) this.handleInput(paste.rest);
      return;
    }
    if (isKeyRelease(data)) return;
    const kb = getKeybindings();
    for (const [binding, act] of Object.entries(actions)) {
      if (kb.matches(data, binding)) {
        act(this);
        return;
      }
    }
    if (data === "\n") {
      this.onSubmit?.(this.value);
      return;
    }
    const typed = printable(data);
    if (typed !== undefined) this.type(typed);
  }

  type(text) {
    if (/\s/.test(text) || this.last !== "type") this.snapshot();
    this.last = "type";
    this.insert(text);
  }

  insert(text) {
    this.value = this.value.slice(0, this.cursor) + text + this.value.slice(this.cursor);
    this.cursor += text.length;
  }

  paste(text) {
    this.snapshot();
    this.last = undefined;
    this.insert(text.replace(/[\r\n]/g, "").replaceAll("\t", "    "));
  }

  move(to) {
    this.cursor = to;
    this.last = undefined;
  }

  // remove deletes a range. how tells whether it can be inserted again and on which side it was.
  remove(from, to, how) {
    if (from === to) return;
    this.snapshot();
    if (how !== "char") this.killRing.push(this.value.slice(from, to), { prepend: how === "back", accumulate: this.last === "kill" });
    this.last = how === "char" ? undefined : "kill";
    this.value = this.value.slice(0, from) + this.value.slice(to);
    this.cursor = from;
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
    const old = this.killRing.peek();
    this.value = this.value.slice(0, this.cursor - old.length) + this.value.slice(this.cursor);
    this.cursor -= old.length;
    this.killRing.rotate();
    this.insert(this.killRing.peek());
    this.last = "yank";
  }

  snapshot() {
    this.snapshots.push({ value: this.value, cursor: this.cursor });
  }

  undo() {
    const old = this.snapshots.pop();
    if (!old) return;
    Object.assign(this, old);
    this.last = undefined;
  }

  handleMouse(event) {
    if (event.button !== "left" || (event.type !== "press" && event.type !== "click")) return undefined;
    let column = this.first - visibleWidth(this.prompt);
    let at = 0;
    for (const g of graphemes(this.value)) {
      const width = visibleWidth(g);
      if (column + width > event.x) break;
      column += width;
      at += g.length;
    }
    this.move(at);
    return { handled: true, focus: true };
  }

  render(width) {
    const room = width - visibleWidth(this.prompt);
    if (room <= 0) return [this.prompt];
    const marker = this.focused ? CURSOR_MARKER : "";
    if (!this.value && this.placeholder) return [this.renderPlaceholder(room, marker)];
    const at = after(this.value, this.cursor);
    const line = this.window(room, at);
    const shown = `${line.before}${marker}\x1b[7m${at || " "}\x1b[27m${line.after}`;
    return [this.prompt + fill(shown, room)];
  }

  renderPlaceholder(room, marker) {
    const [first, ...others] = graphemes(sliceByColumn(this.placeholder, 0, room, true));
    return `${this.prompt}${marker}\x1b[7m${this.placeholderStyle(first ?? " ")}\x1b[27m${this.placeholderStyle(others.join(""))}`;
  }

  // window returns what is seen on both sides of the cursor; long values scroll.
  window(room, at) {
    const cursorColumn = visibleWidth(this.value.slice(0, this.cursor));
    const total = visibleWidth(this.value);
    const cursorWidth = at ? visibleWidth(at) : 1;
    let start = 0;
    let seen = room;
    if (total >= room) {
      seen = at ? room : room - 1;
      const half = Math.floor(seen / 2);
      if (cursorColumn < half) start = 0;
      else if (cursorColumn > total - half) start = Math.max(0, total - seen);
      else start = Math.max(0, cursorColumn - half);
    }
    this.first = -start;
    const end = start + seen;
    return {
      before: sliceByColumn(this.value, start, cursorColumn - start, true),
      after: at ? sliceByColumn(this.value, cursorColumn + cursorWidth, end - cursorColumn - cursorWidth, true) : "",
    };
  }
}
