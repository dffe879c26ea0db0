// The styles that components get from the current theme, and code in colours.

import { host } from "rondo:host";
import { current } from "./theme.js";

const fg = (color) => (text) => current().fg(color, text);

export function getMarkdownTheme() {
  const style = (name) => (text) => current()[name](text);
  return {
    heading: fg("mdHeading"),
    link: fg("mdLink"),
    linkUrl: fg("mdLinkUrl"),
    code: fg("mdCode"),
    codeBlock: fg("mdCodeBlock"),
    codeBlockBorder: fg("mdCodeBlockBorder"),
    quote: fg("mdQuote"),
    quoteBorder: fg("mdQuoteBorder"),
    hr: fg("mdHr"),
    listBullet: fg("mdListBullet"),
    bold: style("bold"),
    italic: style("italic"),
    underline: style("underline"),
    strikethrough: style("strikethrough"),
    highlightCode,
  };
}

export function getSelectListTheme() {
  return {
    selectedPrefix: fg("accent"),
    selectedText: fg("accent"),
    description: fg("muted"),
    scrollInfo: fg("muted"),
    noMatch: fg("muted"),
  };
}

export const getEditorTheme = () => ({ borderColor: fg("borderMuted"), selectList: getSelectListTheme() });

export function getSettingsListTheme() {
  return {
    label: (text, selected) => (selected ? current().fg("accent", text) : text),
    value: (text, selected) => current().fg(selected ? "accent" : "muted", text),
    description: fg("dim"),
    cursor: current().fg("accent", "→ "),
    hint: fg("dim"),
  };
}

// highlightCode returns the lines of code in the colours of its language.
export function highlightCode(code, lang) {
  const pieces = lang ? host("code.highlight", { code, lang }) : undefined;
  if (!pieces) return code.split("\n").map((line) => current().fg("mdCodeBlock", line));
  const lines = [""];
  for (const { c, s } of pieces) {
    s.split("\n").forEach((part, i) => {
      if (i > 0) lines.push("");
      lines[lines.length - 1] += part && c ? current().fg(c, part) : part;
    });
  }
  return lines;
}

// Names of languages where the host has one for several.
const languages = { ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript" };

export function getLanguageFromPath(filePath) {
  const name = filePath.split(/[\\/]/).pop();
  if (name.startsWith(".") && !name.slice(1).includes(".")) return undefined;
  return languages[name.split(".").pop().toLowerCase()] ?? (host("code.language", { path: filePath }) || undefined);
}
