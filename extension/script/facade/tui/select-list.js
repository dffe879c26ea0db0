// A list from which one item is chosen.

import { getKeybindings } from "./keybindings.js";
import { truncateToWidth, visibleWidth } from "./text.js";

const oneLine = (text) => text.replace(/[\r\n]+/g, " ").trim();

// visibleRange returns which items are shown: the selected one in the middle, if possible.
export function visibleRange(selected, count, most) {
  const start = Math.max(0, Math.min(selected - Math.floor(most / 2), count - most));
  return [start, Math.min(start + most, count)];
}

const gap = 2;
const prefixWidth = 2;
const standardColumn = 32;
const leastWidthForDescriptions = 40;
const leastDescription = 10;

export class SelectList {
  constructor(items, maxVisible, theme, layout = {}) {
    this.items = items;
    this.filteredItems = items;
    this.selectedIndex = 0;
    this.maxVisible = maxVisible;
    this.theme = theme;
    this.layout = layout;
  }

  setFilter(filter) {
    const start = filter.toLowerCase();
    this.filteredItems = this.items.filter((item) => item.value.toLowerCase().startsWith(start));
    this.selectedIndex = 0;
  }

  setSelectedIndex(index) {
    this.selectedIndex = Math.max(0, Math.min(index, this.filteredItems.length - 1));
  }

  getSelectedItem() {
    return this.filteredItems[this.selectedIndex] ?? null;
  }

  invalidate() {}

  render(width) {
    if (this.filteredItems.length === 0) return [this.theme.noMatch("  No matching commands")];
    const [start, end] = visibleRange(this.selectedIndex, this.filteredItems.length, this.maxVisible);
    const column = this.columnWidth();
    const lines = this.filteredItems.slice(start, end).map((item, i) => this.line(item, start + i === this.selectedIndex, width, column));
    if (end - start < this.filteredItems.length) {
      const info = `  (${this.selectedIndex + 1}/${this.filteredItems.length})`;
      lines.push(this.theme.scrollInfo(truncateToWidth(info, width - 2, "")));
    }
    return lines;
  }

  columnWidth() {
    const min = Math.max(1, Math.min(this.layout.minPrimaryColumnWidth ?? this.layout.maxPrimaryColumnWidth ?? standardColumn, this.layout.maxPrimaryColumnWidth ?? Infinity));
    const max = Math.max(min, this.layout.maxPrimaryColumnWidth ?? this.layout.minPrimaryColumnWidth ?? standardColumn);
    const widest = this.filteredItems.reduce((w, item) => Math.max(w, visibleWidth(item.label || item.value) + gap), 0);
    return Math.max(min, Math.min(widest, max));
  }

  line(item, isSelected, width, column) {
    const prefix = isSelected ? "→ " : "  ";
    const description = item.description ? oneLine(item.description) : "";
    if (description && width > leastWidthForDescriptions) {
      const columnWidth = Math.max(1, Math.min(column, width - prefixWidth - 4));
      const primary = this.primary(item, isSelected, Math.max(1, columnWidth - gap), columnWidth);
      const spacing = " ".repeat(Math.max(1, columnWidth - visibleWidth(primary)));
      const rest = width - prefixWidth - visibleWidth(primary) - spacing.length - 2;
      if (rest > leastDescription) {
        const text = truncateToWidth(description, rest, "");
        if (isSelected) return this.theme.selectedText(`${prefix}${primary}${spacing}${text}`);
        return prefix + primary + this.theme.description(spacing + text);
      }
    }
    const most = width - prefixWidth - 2;
    const primary = this.primary(item, isSelected, most, most);
    return isSelected ? this.theme.selectedText(prefix + primary) : prefix + primary;
  }

  primary(item, isSelected, maxWidth, columnWidth) {
    const text = item.label || item.value;
    const cut = this.layout.truncatePrimary;
    return truncateToWidth(cut ? cut({ text, maxWidth, columnWidth, item, isSelected }) : text, maxWidth, "");
  }

  move(step) {
    const count = this.filteredItems.length;
    if (count === 0) return;
    this.selectedIndex = (this.selectedIndex + step + count) % count;
    this.onSelectionChange?.(this.filteredItems[this.selectedIndex]);
  }

  handleInput(keyData) {
    const kb = getKeybindings();
    if (kb.matches(keyData, "tui.select.up")) this.move(-1);
    else if (kb.matches(keyData, "tui.select.down")) this.move(1);
    else if (kb.matches(keyData, "tui.select.confirm")) this.confirm();
    else if (kb.matches(keyData, "tui.select.cancel")) this.onCancel?.();
  }

  confirm() {
    const item = this.getSelectedItem();
    if (item) this.onSelect?.(item);
  }

  handleMouse(event) {
    if (event.type === "wheel" && this.filteredItems.length > 0) {
      const next = this.selectedIndex + Math.sign(event.wheelDelta ?? 0);
      if (next >= 0 && next < this.filteredItems.length && next !== this.selectedIndex) this.move(next - this.selectedIndex);
      return { handled: true };
    }
    const [start, end] = visibleRange(this.selectedIndex, this.filteredItems.length, this.maxVisible);
    const index = start + event.y;
    if (event.y < 0 || index >= end) return undefined;
    if (event.type === "move") {
      if (index !== this.selectedIndex) this.move(index - this.selectedIndex);
      return { handled: true, render: true };
    }
    if (event.button !== "left" || (event.type !== "press" && event.type !== "click")) return undefined;
    this.selectedIndex = index;
    if (event.type === "click") this.confirm();
    return { handled: true };
  }
}

