// Completions of an editor: when a provider is asked, the list under the text, what a choice does.

import { getKeybindings } from "./keybindings.js";
import { SelectList } from "./select-list.js";
import { fill } from "./text.js";

const triggers = ["@", "#"];
const debounceMs = 20;
const commandColumn = { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 32 };

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");

export class Completion {
  // host is the editor: its buffer, its theme and its tui are used.
  constructor(host) {
    this.host = host;
    this.maxVisible = 5;
    this.request = 0;
    this.setProvider(undefined);
  }

  setProvider(provider) {
    this.close();
    this.provider = provider;
    const all = [...new Set([...triggers, ...(provider?.triggerCharacters ?? [])])].map(escaped).join("");
    this.token = new RegExp(`(?:^|[\\s(\\["'])[${all}][^\\s${all}]*$`);
  }

  get open() {
    return this.list !== undefined;
  }

  get textBefore() {
    return this.host.buffer.current.slice(0, this.host.buffer.col);
  }

  // inCommand tells whether the cursor is in a command at the start of the message.
  inCommand() {
    return this.host.buffer.line === 0 && /^\s*\//.test(this.textBefore);
  }

  // typed is called after a key has changed the text.
  typed() {
    if (!this.provider) return;
    if (this.inCommand() || this.token.test(this.textBefore)) this.ask(false);
    else if (this.open) this.ask(this.forced);
  }

  moved() {
    if (this.open) this.ask(this.forced);
  }

  // tab asks for files, or for what the command's argument can be.
  tab() {
    if (!this.provider) return;
    const { lines, line, col } = this.host.buffer;
    if (this.inCommand() && !/\s/.test(this.textBefore.trimStart())) {
      this.ask(false, true);
      return;
    }
    if (this.provider.shouldTriggerFileCompletion?.(lines, line, col) === false) return;
    this.ask(true, true);
  }

  // ask gets suggestions; explicit is true after Tab, when a single one is taken at once.
  ask(force, explicit = false) {
    const request = ++this.request;
    this.abort?.abort();
    clearTimeout(this.timer);
    const delay = !explicit && !this.inCommand() && !force ? debounceMs : 0;
    const start = () => {
      this.run(request, force, explicit).catch((error) => {
        console.error(`Completion failed: ${error?.message ?? error}`);
        if (request === this.request) this.close();
      });
    };
    if (delay) this.timer = setTimeout(start, delay);
    else start();
  }

  async run(request, force, explicit) {
    const { lines, line, col } = this.host.buffer;
    this.abort = new AbortController();
    const found = await this.provider.getSuggestions([...lines], line, col, { signal: this.abort.signal, force });
    if (request !== this.request) return;
    if (!found || found.items.length === 0) {
      this.close();
    } else if (explicit && found.items.length === 1) {
      this.prefix = found.prefix;
      this.take(found.items[0]);
      this.host.buffer.changed();
    } else {
      this.show(found, force);
    }
    this.host.tui.requestRender();
  }

  show({ items, prefix }, force) {
    this.forced = force;
    this.prefix = prefix;
    const layout = prefix.startsWith("/") ? commandColumn : undefined;
    this.list = new SelectList(items, this.maxVisible, this.host.theme.selectList, layout);
    const exact = items.findIndex((item) => item.value === prefix);
    const starting = prefix ? items.findIndex((item) => item.value.startsWith(prefix)) : -1;
    const best = exact >= 0 ? exact : starting;
    if (best >= 0) this.list.setSelectedIndex(best);
  }

  close() {
    this.request++;
    this.abort?.abort();
    clearTimeout(this.timer);
    this.list = undefined;
    this.prefix = "";
  }

  // take puts a suggestion into the text.
  take(item) {
    const { buffer } = this.host;
    const { lines, line, col } = buffer;
    const prefix = this.prefix;
    this.close();
    buffer.snapshot();
    const result = this.provider.applyCompletion([...lines], line, col, item, prefix);
    buffer.lines = result.lines;
    buffer.moveTo(result.cursorLine, result.cursorCol);
  }

  // key handles a key while the list is open. It returns "handled", "submit" if the text shall be
  // submitted after the choice, or undefined if the key is not for the list.
  key(data) {
    const kb = getKeybindings();
    if (kb.matches(data, "tui.select.cancel")) {
      this.close();
      return "handled";
    }
    if (kb.matches(data, "tui.select.up") || kb.matches(data, "tui.select.down")) {
      this.list.handleInput(data);
      return "handled";
    }
    const tab = kb.matches(data, "tui.input.tab");
    if (!tab && !kb.matches(data, "tui.select.confirm")) return undefined;
    const item = this.list.getSelectedItem();
    if (!item) return tab ? "handled" : undefined;
    const command = this.prefix.startsWith("/");
    this.take(item);
    if (command && !tab) return "submit";
    this.host.buffer.changed();
    return "handled";
  }

  render(width) {
    return this.list ? this.list.render(width).map((line) => fill(line, width)) : [];
  }
}
