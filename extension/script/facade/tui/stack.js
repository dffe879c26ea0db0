// Components in rows and columns, and one that scrolls.

import { compositeTuiLine, Container } from "./container.js";
import { fill, visibleWidth } from "./text.js";

const entryOf = (child) => (typeof child.render === "function" ? { component: child } : child);

// share distributes a size: wishes first, then what is left by grow, what is missing by shrink.
function share(entries, wishes, available, gap) {
  const within = (e, size) => Math.max(e.minSize ?? 0, Math.min(e.maxSize ?? Infinity, Math.floor(size)));
  const sizes = entries.map((e, i) => within(e, typeof e.basis === "number" ? e.basis : wishes[i]));
  let rest = available - gap * Math.max(0, entries.length - 1) - sizes.reduce((a, b) => a + b, 0);
  const weightOf = rest > 0 ? (e) => e.grow ?? 0 : (e) => (e.shrink ?? 1);
  let total = entries.reduce((sum, e) => sum + weightOf(e), 0);
  entries.forEach((e, i) => {
    const weight = weightOf(e);
    if (rest === 0 || weight === 0) return;
    const part = within(e, Math.max(0, sizes[i] + Math.trunc((rest * weight) / total))) - sizes[i];
    sizes[i] += part;
    rest -= part;
    total -= weight;
  });
  return sizes;
}

class Stack extends Container {
  constructor(children = [], options = {}) {
    super();
    this.entries = [];
    this.gap = options.gap ?? 0;
    this.align = options.align ?? "stretch";
    for (const child of children) {
      const { component, ...how } = entryOf(child);
      this.addChild(component, how);
    }
  }

  addChild(component, options = {}) {
    super.addChild(component);
    this.entries.push({ ...options, component });
  }

  removeChild(component) {
    super.removeChild(component);
    this.entries = this.entries.filter((e) => e.component !== component);
  }

  clear() {
    super.clear();
    this.entries = [];
  }

  // shown returns the entries that want to be seen at this width.
  shown(width) {
    return this.entries.filter((e) => e.visible?.({ width, height: Infinity }) ?? true);
  }
}

export class VStack extends Stack {
  render(width) {
    const lines = [];
    this.shown(width).forEach((entry, i) => {
      if (i > 0) for (let g = 0; g < this.gap; g++) lines.push("");
      lines.push(...entry.component.render(width));
    });
    return lines;
  }
}

export class HStack extends Stack {
  render(width) {
    const entries = this.shown(width);
    if (entries.length === 0) return [];
    const wishes = entries.map((e) => (typeof e.basis === "number" ? e.basis : widest(e.component.render(width))));
    const sizes = share(entries, wishes, width, this.gap);
    const columns = entries.map((e, i) => (sizes[i] > 0 ? e.component.render(sizes[i]) : []));
    const height = Math.max(0, ...columns.map((c) => c.length));
    return Array.from({ length: height }, (_, y) => {
      let line = "";
      let at = 0;
      columns.forEach((column, i) => {
        line = compositeTuiLine(fill(line, at), fill(column[y - this.offset(column, height)] ?? "", sizes[i]), at, sizes[i], at + sizes[i]);
        at += sizes[i] + (i < columns.length - 1 ? this.gap : 0);
      });
      return line;
    });
  }

  // offset is where a column begins that is shorter than the others.
  offset(column, height) {
    if (this.align === "end") return height - column.length;
    return this.align === "center" ? Math.floor((height - column.length) / 2) : 0;
  }
}

const widest = (lines) => lines.reduce((w, line) => Math.max(w, visibleWidth(line.trimEnd())), 0);

export class ScrollView extends Container {
  constructor(component, options = {}) {
    super();
    this.child = component;
    this.children = [component];
    this.followEnd = options.follow === "end";
    this.primary = options.primary ?? false;
    this.overscroll = options.overscroll ?? "chain";
    this.bar = options.scrollbar ?? "auto";
    this.scrollbarTrackStyle = options.scrollbarTrackStyle ?? ((text) => text);
    this.scrollbarThumbStyle = options.scrollbarThumbStyle ?? ((text) => text);
    this.top = 0;
    this.following = this.followEnd;
    this.contentHeight = 0;
    this.height = 0;
  }

  get scrollTop() {
    return this.top;
  }

  get isFollowingEnd() {
    return this.following;
  }

  get viewportHeight() {
    return this.height;
  }

  get scrollbar() {
    return this.bar;
  }

  get isScrollbarVisible() {
    return this.bar === "always" && this.contentHeight > this.height;
  }

  get isScrollbarActive() {
    return this.active ?? false;
  }

  setScrollbar(scrollbar) {
    this.bar = scrollbar;
  }

  setScrollbarActive(active) {
    this.active = active;
  }

  getContentWidth(width) {
    return this.bar === "always" ? Math.max(1, width - 1) : width;
  }

  scrollTo(scrollTop, options = {}) {
    const end = Math.max(0, this.contentHeight - this.height);
    this.top = Math.max(0, Math.min(Math.floor(scrollTop), end));
    this.following = this.followEnd && !options.disableFollow && this.top === end;
    this.requestRender?.();
  }

  scrollBy(lines) {
    const from = this.top;
    this.scrollTo(this.top + lines);
    return lines - (this.top - from);
  }

  scrollToStart() {
    this.scrollTo(0);
  }

  scrollToEnd() {
    this.scrollTo(this.contentHeight);
  }

  updateLayout(contentHeight, viewportHeight, requestRender) {
    Object.assign(this, { contentHeight, height: viewportHeight, requestRender });
    const end = Math.max(0, contentHeight - viewportHeight);
    this.top = this.following ? end : Math.min(this.top, end);
  }

  addChild() {
    throw new Error("A ScrollView has the one child that it was made with.");
  }

  removeChild() {
    this.addChild();
  }

  clear() {
    this.addChild();
  }

  render(width) {
    return this.child.render(width);
  }
}
