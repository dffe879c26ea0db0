// Keys as they are named to users.

import { getKeybindings } from "@earendil-works/pi-tui";
import { current } from "./theme.js";

export const keyText = (keybinding) => getKeybindings().getKeys(keybinding).join("/");
export const rawKeyHint = (key, description) => current().fg("dim", key) + current().fg("muted", ` ${description}`);
export const keyHint = (keybinding, description) => rawKeyHint(keyText(keybinding), description);
