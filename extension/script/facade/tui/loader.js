// Components that show that something is going on.

import { getKeybindings } from "./keybindings.js";
import { Text } from "./views.js";

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const spinnerMs = 80;

export class Loader extends Text {
  constructor(ui, spinnerColorFn, messageColorFn, message = "Loading...", indicator) {
    super("", 1, 0);
    this.ui = ui;
    this.spinnerColorFn = spinnerColorFn;
    this.messageColorFn = messageColorFn;
    this.message = message;
    this.setIndicator(indicator);
  }

  render(width) {
    return ["", ...super.render(width)];
  }

  start() {
    this.show();
    this.stop();
    if (this.frames.length < 2) return;
    this.timer = setInterval(() => {
      this.frame = (this.frame + 1) % this.frames.length;
      this.show();
    }, this.intervalMs);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  setMessage(message) {
    this.message = message;
    this.show();
  }

  setIndicator(indicator) {
    this.verbatim = indicator !== undefined;
    this.frames = indicator?.frames ? [...indicator.frames] : spinner;
    this.intervalMs = indicator?.intervalMs > 0 ? indicator.intervalMs : spinnerMs;
    this.frame = 0;
    this.start();
  }

  // invalidate colours the text anew: the theme may be another one.
  invalidate() {
    super.invalidate();
    this.compose();
  }

  // getRenderedIndicator returns the frame; frames that were given have their own colours.
  getRenderedIndicator() {
    const frame = this.frames[this.frame] ?? "";
    return this.verbatim || !frame ? frame : this.spinnerColorFn(frame);
  }

  compose() {
    const indicator = this.getRenderedIndicator();
    this.setText((indicator ? `${indicator} ` : "") + this.messageColorFn(this.message));
  }

  show() {
    this.compose();
    this.ui?.requestRender();
  }
}

export class CancellableLoader extends Loader {
  controller = new AbortController();

  get signal() {
    return this.controller.signal;
  }

  get aborted() {
    return this.controller.signal.aborted;
  }

  handleInput(data) {
    if (!getKeybindings().matches(data, "tui.select.cancel")) return;
    this.controller.abort();
    this.onAbort?.();
  }

  dispose() {
    this.stop();
  }
}
