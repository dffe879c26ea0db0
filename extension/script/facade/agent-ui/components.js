// Components of Pi's application that extensions use: borders, a loader in a frame, the editor
// with the application's keys.

import { CancellableLoader, Container, Editor, Loader, Spacer, Text, getKeybindings } from "@earendil-works/pi-tui";
import { keyHint } from "./hints.js";
import { current } from "./theme.js";

export class DynamicBorder {
  constructor(color = (text) => current().fg("border", text)) {
    this.color = color;
  }

  invalidate() {}

  render(width) {
    return [this.color("─".repeat(Math.max(1, width)))];
  }
}

export class BorderedLoader extends Container {
  constructor(tui, theme, message, options = {}) {
    super();
    this.cancellable = options.cancellable ?? true;
    const border = () => new DynamicBorder((text) => theme.fg("border", text));
    const Kind = this.cancellable ? CancellableLoader : Loader;
    this.loader = new Kind(tui, (text) => theme.fg("accent", text), (text) => theme.fg("muted", text), message);
    this.addChild(border());
    this.addChild(this.loader);
    if (this.cancellable) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    } else {
      this.controller = new AbortController();
    }
    this.addChild(new Spacer(1));
    this.addChild(border());
  }

  get signal() {
    return this.cancellable ? this.loader.signal : this.controller.signal;
  }

  set onAbort(fn) {
    if (this.cancellable) this.loader.onAbort = fn;
  }

  handleInput(data) {
    if (this.cancellable) this.loader.handleInput(data);
  }

  dispose() {
    this.loader.stop();
  }
}

export class CustomEditor extends Editor {
  constructor(tui, theme, keybindings, options = {}) {
    super(tui, theme, options);
    this.keybindings = keybindings ?? getKeybindings();
    this.embedWorkingStatus = options.embedWorkingStatus ?? false;
    this.actionHandlers = new Map();
  }

  onAction(action, handler) {
    this.actionHandlers.set(action, handler);
  }

  setWorkingStatusIndicator(indicator) {
    this.workingStatusIndicator = indicator;
  }

  // The keys of the application come before those of the editor. Escape closes completions
  // first; the key to exit deletes a character unless the editor is empty.
  handleInput(data) {
    if (this.onExtensionShortcut?.(data)) return;
    const is = (action) => this.keybindings.matches(data, action);
    if (is("app.clipboard.pasteImage")) {
      this.onPasteImage?.();
      return;
    }
    if (is("app.interrupt") && !this.isShowingAutocomplete()) {
      const handler = this.onEscape ?? this.actionHandlers.get("app.interrupt");
      if (handler) {
        handler();
        return;
      }
    }
    if (is("app.exit") && this.getText() === "") {
      (this.onCtrlD ?? this.actionHandlers.get("app.exit"))?.();
      return;
    }
    for (const [action, handler] of this.actionHandlers) {
      if (action === "app.interrupt" || action === "app.exit" || !is(action)) continue;
      handler();
      return;
    }
    super.handleInput(data);
  }
}
