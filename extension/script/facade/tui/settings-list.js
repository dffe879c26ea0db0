// Settings with values that are cycled through or chosen in a component of their own.

import { Input } from "./input.js";
import { getKeybindings } from "./keybindings.js";
import { visibleRange } from "./select-list.js";
import { fill, fuzzyFilter, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./text.js";

const widestLabel = 30;

export class SettingsList {
  constructor(items, maxVisible, theme, onChange, onCancel, options = {}) {
    this.items = items;
    this.filteredItems = items;
    this.maxVisible = maxVisible;
    this.theme = theme;
    this.onChange = onChange;
    this.onCancel = onCancel;
    this.selectedIndex = 0;
    if (options.enableSearch) this.searchInput = new Input();
  }

  updateValue(id, newValue) {
    const item = this.items.find((i) => i.id === id);
    if (item) item.currentValue = newValue;
  }

  selectItem(id) {
    const index = this.filteredItems.findIndex((i) => i.id === id);
    if (index >= 0) this.selectedIndex = index;
  }

  invalidate() {
    this.submenu?.invalidate?.();
  }

  render(width) {
    return this.submenu ? this.submenu.render(width) : this.renderMain(width);
  }

  renderMain(width) {
    const lines = this.searchInput ? [...this.searchInput.render(width), ""] : [];
    const hint = this.theme.hint(this.searchInput ? "  Type to search · Enter/Space to change · Esc to cancel" : "  Enter/Space to change · Esc to cancel");
    if (this.items.length === 0) lines.push(this.theme.hint("  No settings available"));
    else if (this.filteredItems.length === 0) lines.push(truncateToWidth(this.theme.hint("  No matching settings"), width));
    else this.renderItems(lines, width);
    if (this.items.length > 0 || this.searchInput) lines.push("", truncateToWidth(hint, width));
    return lines;
  }

  renderItems(lines, width) {
    const [start, end] = visibleRange(this.selectedIndex, this.filteredItems.length, this.maxVisible);
    const column = Math.min(widestLabel, Math.max(...this.items.map((i) => visibleWidth(i.label))));
    this.firstRow = { y: lines.length, index: start, end };
    for (let i = start; i < end; i++) {
      const item = this.filteredItems[i];
      const selected = i === this.selectedIndex;
      const prefix = selected ? this.theme.cursor : "  ";
      const used = visibleWidth(prefix) + column + 2;
      const value = truncateToWidth(item.currentValue, Math.max(1, width - used - 2), "");
      lines.push(truncateToWidth(`${prefix}${this.theme.label(fill(item.label, column), selected)}  ${this.theme.value(value, selected)}`, width));
    }
    if (end - start < this.filteredItems.length) {
      lines.push(this.theme.hint(truncateToWidth(`  (${this.selectedIndex + 1}/${this.filteredItems.length})`, width - 2, "")));
    }
    const description = this.filteredItems[this.selectedIndex]?.description;
    if (!description) return;
    lines.push("", ...wrapTextWithAnsi(description, width - 4).map((line) => this.theme.description(`  ${line}`)));
  }

  handleInput(data) {
    if (this.submenu) {
      this.submenu.handleInput?.(data);
      return;
    }
    const kb = getKeybindings();
    if (kb.matches(data, "tui.select.up")) this.move(-1);
    else if (kb.matches(data, "tui.select.down")) this.move(1);
    else if (kb.matches(data, "tui.select.confirm") || (data === " " && !this.searchInput)) this.activate();
    else if (kb.matches(data, "tui.select.cancel")) this.onCancel();
    else if (this.searchInput) this.search(data);
  }

  move(step) {
    const count = this.filteredItems.length;
    if (count > 0) this.selectedIndex = (this.selectedIndex + step + count) % count;
  }

  search(data) {
    this.searchInput.handleInput(data);
    this.filteredItems = fuzzyFilter(this.items, this.searchInput.getValue(), (i) => i.label);
    this.selectedIndex = 0;
  }

  activate() {
    const item = this.filteredItems[this.selectedIndex];
    if (!item) return;
    if (item.submenu) {
      this.openSubmenu(item);
    } else if (item.values?.length > 0) {
      const next = (item.values.indexOf(item.currentValue) + 1) % item.values.length;
      this.change(item, item.values[next]);
    }
  }

  change(item, value) {
    item.currentValue = value;
    this.onChange(item.id, value);
  }

  openSubmenu(item) {
    const index = this.selectedIndex;
    this.submenu = item.submenu(item.currentValue, (value, options) => {
      if (value !== undefined) this.change(item, value);
      this.submenu = undefined;
      this.selectedIndex = index;
      if (!options?.navigateTo) return;
      this.selectItem(options.navigateTo);
      this.activate();
    });
  }

  handleMouse(event) {
    if (this.submenu) return this.submenu.handleMouse?.(event);
    if (event.type === "wheel") {
      const next = this.selectedIndex + Math.sign(event.wheelDelta ?? 0);
      if (next >= 0 && next < this.filteredItems.length) this.selectedIndex = next;
      return { handled: true };
    }
    const index = (this.firstRow?.index ?? 0) + event.y - (this.firstRow?.y ?? 0);
    if (!this.firstRow || event.y < this.firstRow.y || index >= this.firstRow.end) return undefined;
    if (event.type === "move") {
      this.selectedIndex = index;
      return { handled: true, render: true };
    }
    if (event.button !== "left" || (event.type !== "press" && event.type !== "click")) return undefined;
    this.selectedIndex = index;
    if (event.type === "click") this.activate();
    return { handled: true };
  }
}
