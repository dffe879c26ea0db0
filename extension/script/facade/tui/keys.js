// Names of keys. Go reads the sequences; the answers are kept, since components ask for many
// names of one key.

import { host } from "rondo:host";

let kittyActive = false;
const known = new Map();

function parsed(data) {
  const key = kittyActive ? `k${data}` : data;
  let found = known.get(key);
  if (!found) {
    found = host("keys.parse", { data, kitty: kittyActive });
    if (known.size > 500) known.clear();
    if (data.length < 64) known.set(key, found);
  }
  return found;
}

const canonical = new Map();

function canonicalId(id) {
  let name = canonical.get(id);
  if (name === undefined) {
    name = host("keys.canonical", { id });
    canonical.set(id, name);
  }
  return name;
}

export function setKittyProtocolActive(active) {
  kittyActive = active;
}

export const isKittyProtocolActive = () => kittyActive;

export function matchesKey(data, keyId) {
  const { names } = parsed(data);
  return names.length > 0 && names.includes(canonicalId(keyId));
}

export const parseKey = (data) => parsed(data).name || undefined;
export const isKeyRelease = (data) => data.includes(":3") && parsed(data).event === "release";
export const isKeyRepeat = (data) => data.includes(":2") && parsed(data).event === "repeat";
export const decodeKittyPrintable = (data) => (data.startsWith("\x1b[") && parsed(data).text) || undefined;

// printable returns the text that a key types, or undefined.
export function printable(data) {
  const typed = decodeKittyPrintable(data);
  if (typed) return typed;
  return /[\x00-\x1f\x7f-\x9f]/.test(data) ? undefined : data;
}

const symbols = {
  backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";",
  quote: "'", comma: ",", period: ".", slash: "/", exclamation: "!", at: "@", hash: "#", dollar: "$", percent: "%",
  caret: "^", ampersand: "&", asterisk: "*", leftparen: "(", rightparen: ")", underscore: "_", plus: "+", pipe: "|",
  tilde: "~", leftbrace: "{", rightbrace: "}", colon: ":", lessthan: "<", greaterthan: ">", question: "?",
};
const specials = [
  "escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end",
  "pageUp", "pageDown", "up", "down", "left", "right", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
];
const combinations = [
  ["ctrl"], ["shift"], ["alt"], ["super"], ["ctrl", "shift"], ["shift", "ctrl"], ["ctrl", "alt"], ["alt", "ctrl"],
  ["shift", "alt"], ["alt", "shift"], ["ctrl", "super"], ["super", "ctrl"], ["shift", "super"], ["super", "shift"],
  ["alt", "super"], ["super", "alt"], ["ctrl", "shift", "alt"], ["ctrl", "shift", "super"],
];

// Key has every key by name, and functions such as ctrlShift("p") for keys with modifiers.
export const Key = { ...Object.fromEntries(specials.map((name) => [name, name])), ...symbols };
for (const modifiers of combinations) {
  const name = modifiers.map((m, i) => (i ? m[0].toUpperCase() + m.slice(1) : m)).join("");
  Key[name] = (key) => `${modifiers.join("+")}+${key}`;
}
