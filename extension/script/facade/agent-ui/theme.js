// Themes: names of colours and the sequences that set them.

import { host } from "rondo:host";

const fallbacks = { scrollbarTrack: "muted", scrollbarThumb: "text", searchMatchText: "text", thinkingMax: "thinkingXhigh", searchMatchBg: "selectedBg" };
const cube = [0, 95, 135, 175, 215, 255];
const nearest = (list, value) => list.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(list[best] - value) ? i : best), 0);
const grays = Array.from({ length: 24 }, (_, i) => 8 + 10 * i);

// indexed returns the colour of the 256 that is most like a hexadecimal one.
function indexed(hex) {
  const [r, g, b] = rgb(hex);
  const [ri, gi, bi] = [r, g, b].map((v) => nearest(cube, v));
  const gray = nearest(grays, Math.round(0.299 * r + 0.587 * g + 0.114 * b));
  const distance = (x, y, z) => 0.299 * (r - x) ** 2 + 0.587 * (g - y) ** 2 + 0.114 * (b - z) ** 2;
  const spread = Math.max(r, g, b) - Math.min(r, g, b);
  const inCube = distance(cube[ri], cube[gi], cube[bi]);
  const inGrays = distance(grays[gray], grays[gray], grays[gray]);
  return spread < 10 && inGrays < inCube ? 232 + gray : 16 + 36 * ri + 6 * gi + bi;
}

function rgb(hex) {
  const n = Number.parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

// sequence returns what sets a colour; layer is 38 for text and 48 for backgrounds. A colour
// of the built-in theme is an object with parameters of its own.
function sequence(color, layer, mode) {
  if (color === "") return `\x1b[${layer + 1}m`;
  if (typeof color === "number") return `\x1b[${layer};5;${color}m`;
  if (typeof color === "object") return color.sgr ? `\x1b[${color.sgr}m` : "";
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw new Error(`The theme has the colour ${JSON.stringify(color)}: write #rrggbb, a number up to 255, or "" for the terminal's own.`);
  if (mode === "256color") return `\x1b[${layer};5;${indexed(color)}m`;
  return `\x1b[${layer};2;${rgb(color).join(";")}m`;
}

function table(colors, layer, mode, optional) {
  const map = new Map();
  for (const [name, color] of Object.entries(colors)) map.set(name, [sequence(color, layer, mode), ender(color, layer)]);
  for (const name of optional) if (!map.has(name) && map.has(fallbacks[name])) map.set(name, map.get(fallbacks[name]));
  return map;
}

// ender returns what ends a colour; attributes that stand for one end with it.
function ender(color, layer) {
  if (typeof color !== "object") return `\x1b[${layer + 1}m`;
  const ends = { 1: 22, 2: 22, 3: 23, 4: 24, 7: 27, 9: 29 };
  const codes = new Set((color.sgr ?? "").split(";").filter(Boolean).map((c) => ends[c] ?? layer + 1));
  return codes.size > 0 ? `\x1b[${[...codes].join(";")}m` : "";
}

const styles = { bold: [1, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29] };

// inTables paints with the colours that a theme has been given.
function inTables(fgColors, bgColors, mode) {
  const fg = table(fgColors, 38, mode, ["scrollbarTrack", "scrollbarThumb", "searchMatchText", "thinkingMax"]);
  const bg = table(bgColors, 48, mode, ["searchMatchBg"]);
  const entry = (map, name, what) => {
    const found = map.get(name);
    if (!found) throw new Error(`No theme has a ${what} ${name}. There are: ${[...map.keys()].join(", ")}.`);
    return found;
  };
  const inside = ([on, off], text) => on + text + off;
  return {
    has: (color) => fg.has(color),
    paint(how, text, color) {
      if (how === "fg") return inside(entry(fg, color, "colour"), text);
      if (how === "bg") return inside(entry(bg, color, "background"), text);
      if (how === "fgANSI") return entry(fg, color, "colour")[0];
      if (how === "bgANSI") return entry(bg, color, "background")[0];
      if (how === "mode") return mode;
      const [on, off] = styles[how];
      return text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`;
    },
  };
}

// painted makes a theme whose colours somebody else has, such as the terminal of the person.
const painting = Symbol("painting");
export const painted = (painter) => new Theme({ [painting]: painter });

export class Theme {
  #painter;
  constructor(fgColors, bgColors, mode, options = {}) {
    this.#painter = fgColors[painting] ?? inTables(fgColors, bgColors, mode);
    const about = fgColors[painting] ?? options;
    for (const key of ["name", "sourcePath", "sourceInfo"]) Object.defineProperty(this, key, { enumerable: true, configurable: true, get: () => about[key] });
  }

  fg(color, text) { return this.#painter.paint("fg", text, color); }
  bg(color, text) { return this.#painter.paint("bg", text, color); }
  bold(text) { return this.#painter.paint("bold", text); }
  italic(text) { return this.#painter.paint("italic", text); }
  underline(text) { return this.#painter.paint("underline", text); }
  inverse(text) { return this.#painter.paint("inverse", text); }
  strikethrough(text) { return this.#painter.paint("strikethrough", text); }
  getFgAnsi(color) { return this.#painter.paint("fgANSI", "", color); }
  getBgAnsi(color) { return this.#painter.paint("bgANSI", "", color); }
  getColorMode() { return this.#painter.paint("mode", ""); }
  getBashModeBorderColor() { return (text) => this.fg("bashMode", text); }
  getThinkingBorderColor(level) {
    const name = `thinking${level[0].toUpperCase()}${level.slice(1)}`;
    return (text) => this.fg(this.#painter.has(name) ? name : "thinkingOff", text);
  }
}

let active;

// load gets a theme of the program or of the user by its name, undefined if there is none.
export function load(name) {
  const found = host("theme.load", { name });
  if (!found) return undefined;
  return new Theme(found.fg, found.bg, found.mode, { name: found.name, sourcePath: found.path });
}

// current is the theme that components use which are not given one: that of the person.
export function current() {
  if (!active) initTheme(host("theme.current"));
  return active;
}

export function initTheme(themeName) {
  active = load(themeName ?? "") ?? load("");
}

// theme is the current one under one name, whatever it is.
export const theme = new Proxy(Object.create(Theme.prototype), {
  get(_, key) {
    const value = current()[key];
    return typeof value === "function" ? value.bind(current()) : value;
  },
});
