// Which keys do what. Applications add their own actions to these.

import { matchesKey } from "./keys.js";

const table = {
  "tui.editor.cursorUp": ["up", "Move cursor up"],
  "tui.editor.cursorDown": ["down", "Move cursor down"],
  "tui.editor.historyPrevious": [[], "Previous entry of the history"],
  "tui.editor.historyNext": [[], "Next entry of the history"],
  "tui.editor.cursorLeft": [["left", "ctrl+b"], "Move cursor left"],
  "tui.editor.cursorRight": [["right", "ctrl+f"], "Move cursor right"],
  "tui.editor.cursorWordLeft": [["alt+left", "ctrl+left", "alt+b"], "Move cursor a word left"],
  "tui.editor.cursorWordRight": [["alt+right", "ctrl+right", "alt+f"], "Move cursor a word right"],
  "tui.editor.cursorLineStart": [["home", "ctrl+home", "ctrl+a"], "Move to the start of the line"],
  "tui.editor.cursorLineEnd": [["end", "ctrl+end", "ctrl+e"], "Move to the end of the line"],
  "tui.editor.jumpForward": ["ctrl+]", "Jump forward to a character"],
  "tui.editor.jumpBackward": ["ctrl+alt+]", "Jump backward to a character"],
  "tui.editor.pageUp": [["pageUp", "ctrl+pageUp"], "Page up"],
  "tui.editor.pageDown": [["pageDown", "ctrl+pageDown"], "Page down"],
  "tui.editor.deleteCharBackward": ["backspace", "Delete the character before the cursor"],
  "tui.editor.deleteCharForward": [["delete", "ctrl+d"], "Delete the character at the cursor"],
  "tui.editor.deleteWordBackward": [["ctrl+w", "alt+backspace"], "Delete the word before the cursor"],
  "tui.editor.deleteWordForward": [["alt+d", "alt+delete"], "Delete the word after the cursor"],
  "tui.editor.deleteToLineStart": ["ctrl+u", "Delete to the start of the line"],
  "tui.editor.deleteToLineEnd": ["ctrl+k", "Delete to the end of the line"],
  "tui.editor.yank": ["ctrl+y", "Insert what was deleted last"],
  "tui.editor.yankPop": ["alt+y", "Replace it by what was deleted before"],
  "tui.editor.undo": ["ctrl+-", "Undo"],
  "tui.input.newLine": [["shift+enter", "ctrl+j"], "New line"],
  "tui.input.submit": ["enter", "Submit"],
  "tui.input.tab": ["tab", "Complete"],
  "tui.input.copy": ["ctrl+c", "Copy the selection"],
  "tui.select.up": ["up", "Move selection up"],
  "tui.select.down": ["down", "Move selection down"],
  "tui.select.pageUp": ["pageUp", "Page up in the list"],
  "tui.select.pageDown": ["pageDown", "Page down in the list"],
  "tui.select.confirm": ["enter", "Confirm selection"],
  "tui.select.cancel": [["escape", "ctrl+c"], "Cancel selection"],
  "tui.altScreen.pageUp": ["pageUp", "Scroll up a page"],
  "tui.altScreen.pageDown": ["pageDown", "Scroll down a page"],
  "tui.altScreen.halfPageUp": [[], "Scroll up half a page"],
  "tui.altScreen.halfPageDown": [[], "Scroll down half a page"],
  "tui.altScreen.lineUp": [[], "Scroll up a line"],
  "tui.altScreen.lineDown": [[], "Scroll down a line"],
  "tui.altScreen.previousPrompt": [["ctrl+shift+up", "ctrl+up"], "Previous message"],
  "tui.altScreen.nextPrompt": [["ctrl+shift+down", "ctrl+down"], "Next message"],
  "tui.altScreen.search": ["ctrl+shift+f", "Search"],
  "tui.altScreen.searchNext": [["enter", "ctrl+g"], "Next match"],
  "tui.altScreen.searchPrevious": [["shift+enter", "ctrl+shift+g"], "Previous match"],
  "tui.altScreen.searchClose": ["escape", "Close search"],
  "tui.altScreen.top": ["home", "Scroll to the top"],
  "tui.altScreen.bottom": ["end", "Scroll to the bottom"],
};

export const TUI_KEYBINDINGS = Object.fromEntries(
  Object.entries(table).map(([id, [defaultKeys, description]]) => [id, { defaultKeys, description }]),
);

const list = (keys) => (keys === undefined ? [] : Array.isArray(keys) ? keys : [keys]);

export class KeybindingsManager {
  constructor(definitions, userBindings = {}) {
    this.definitions = definitions;
    this.setUserBindings(userBindings);
  }

  setUserBindings(userBindings) {
    this.userBindings = userBindings;
    this.keysById = new Map();
    for (const [id, definition] of Object.entries(this.definitions)) {
      const keys = id in userBindings ? userBindings[id] : definition.defaultKeys;
      this.keysById.set(id, [...new Set(list(keys))]);
    }
  }

  matches(data, keybinding) {
    return (this.keysById.get(keybinding) ?? []).some((key) => matchesKey(data, key));
  }

  getKeys(keybinding) {
    return [...(this.keysById.get(keybinding) ?? [])];
  }

  getDefinition(keybinding) {
    return this.definitions[keybinding];
  }

  // getConflicts lists keys that the user gave to more than one action.
  getConflicts() {
    const users = new Map();
    for (const id of Object.keys(this.userBindings)) {
      for (const key of new Set(list(this.userBindings[id]))) {
        if (id in this.definitions) users.set(key, [...(users.get(key) ?? []), id]);
      }
    }
    return [...users].filter(([, ids]) => ids.length > 1).map(([key, keybindings]) => ({ key, keybindings }));
  }

  getUserBindings() {
    return { ...this.userBindings };
  }

  getResolvedBindings() {
    return Object.fromEntries([...this.keysById].map(([id, keys]) => [id, keys.length === 1 ? keys[0] : [...keys]]));
  }
}

let current;

export function getKeybindings() {
  current ??= new KeybindingsManager(TUI_KEYBINDINGS);
  return current;
}

export function setKeybindings(keybindings) {
  current = keybindings;
}
