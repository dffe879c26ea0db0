// Components that show text: Text, TruncatedText, Spacer, Box, MouseRegion.

import { mouseTo, Rows } from "./container.js";
import { expandTabs, fill, truncateToWidth, wrapTextWithAnsi } from "./text.js";

// paint pads a line to the width and puts it on a background.
export function paint(line, width, background) {
  const full = fill(line, width);
  return background ? background(full) : full;
}

// marginOf is the padding that leaves room for one character.
export const marginOf = (padding, width) => Math.min(padding, Math.max(0, Math.floor((width - 1) / 2)));

export class Text {
  constructor(text = "", paddingX = 1, paddingY = 1, customBgFn) {
    this.text = text;
    this.paddingX = paddingX;
    this.paddingY = paddingY;
    this.customBgFn = customBgFn;
  }

  setText(text) {
    this.text = text;
    this.cached = undefined;
  }

  setCustomBgFn(customBgFn) {
    this.customBgFn = customBgFn;
    this.cached = undefined;
  }

  invalidate() {
    this.cached = undefined;
  }

  render(width) {
    const c = this.cached;
    if (c && c.width === width && c.text === this.text) return c.lines;
    const lines = this.lay(width);
    this.cached = { width, text: this.text, lines };
    return lines;
  }

  lay(width) {
    if (!this.text || this.text.trim() === "") return [];
    const padding = marginOf(this.paddingX, width);
    const margin = " ".repeat(padding);
    const inner = Math.max(1, width - 2 * padding);
    const blank = Array.from({ length: this.paddingY }, () => paint("", width, this.customBgFn));
    const body = wrapTextWithAnsi(expandTabs(this.text), inner).map((line) => paint(margin + line + margin, width, this.customBgFn));
    return [...blank, ...body, ...blank];
  }
}

export class TruncatedText {
  constructor(text, paddingX = 0, paddingY = 0) {
    this.text = text;
    this.paddingX = paddingX;
    this.paddingY = paddingY;
  }

  invalidate() {}

  render(width) {
    const margin = " ".repeat(this.paddingX);
    const blank = Array.from({ length: this.paddingY }, () => " ".repeat(width));
    const first = this.text.split("\n", 1)[0];
    const line = margin + truncateToWidth(first, Math.max(1, width - 2 * this.paddingX)) + margin;
    return [...blank, fill(line, width), ...blank];
  }
}

export class Spacer {
  constructor(lines = 1) {
    this.lines = lines;
  }

  setLines(lines) {
    this.lines = lines;
  }

  invalidate() {}

  render() {
    return Array.from({ length: this.lines }, () => "");
  }
}

export class Box {
  constructor(paddingX = 1, paddingY = 1, bgFn) {
    this.children = [];
    this.paddingX = paddingX;
    this.paddingY = paddingY;
    this.bgFn = bgFn;
  }

  addChild(component) {
    this.children.push(component);
  }

  removeChild(component) {
    const i = this.children.indexOf(component);
    if (i >= 0) this.children.splice(i, 1);
  }

  clear() {
    this.children = [];
  }

  setBgFn(bgFn) {
    this.bgFn = bgFn;
  }

  invalidate() {
    for (const child of this.children) child.invalidate?.();
  }

  handleMouse(event) {
    return this.rows?.dispatch(event);
  }

  render(width) {
    const inner = Math.max(1, width - 2 * this.paddingX);
    const margin = " ".repeat(this.paddingX);
    const body = [];
    this.rows = new Rows();
    for (const child of this.children) {
      const part = child.render(inner);
      this.rows.add(child, this.paddingY + body.length, part.length, this.paddingX, inner);
      for (const line of part) body.push(paint(margin + line, width, this.bgFn));
    }
    if (body.length === 0) return [];
    const blank = Array.from({ length: this.paddingY }, () => paint("", width, this.bgFn));
    return [...blank, ...body, ...blank];
  }
}

export class MouseRegion {
  constructor(child, onMouse) {
    this.child = child;
    this.onMouse = onMouse;
  }

  render(width) {
    return this.child.render(width);
  }

  // The child comes first; what it leaves goes to the region.
  handleMouse(event) {
    return mouseTo(this.child, event) ?? this.onMouse(event);
  }

  invalidate() {
    this.child.invalidate?.();
  }
}

