// Markdown. Go parses it; here it gets the theme's styles and is broken into lines.

import { host } from "rondo:host";
import { table } from "./markdown-table.js";
import { paint } from "./views.js";
import { expandTabs, visibleWidth, wrapTextWithAnsi } from "./text.js";

const widestRule = 80;
const nested = 4; // columns by which a list in a list is indented

// before returns the sequences with which a style begins.
function before(style) {
  const [prefix] = style("\0").split("\0");
  return prefix;
}

const plain = { apply: (text) => text, prefix: "" };
const styleOf = (apply) => ({ apply, prefix: before(apply) });

export class Markdown {
  constructor(text, paddingX, paddingY, theme, defaultTextStyle, options = {}) {
    this.text = text;
    this.paddingX = paddingX;
    this.paddingY = paddingY;
    this.theme = theme;
    this.defaultTextStyle = defaultTextStyle;
    this.options = options;
  }

  setText(text) {
    this.text = text;
    this.cached = undefined;
  }

  invalidate() {
    this.cached = undefined;
  }

  render(width) {
    const c = this.cached;
    if (c && c.width === width && c.text === this.text) return c.lines;
    const lines = this.lay(width);
    this.cached = { width, text: this.text, lines };
    return lines;
  }

  lay(width) {
    if (!this.text || this.text.trim() === "") return [];
    const inner = Math.max(1, width - 2 * this.paddingX);
    const source = expandTabs(this.options.transform ? this.options.transform(this.text, inner) : this.text);
    const body = this.blocks(host("markdown.parse", { text: source }), inner, this.base());
    if (/\n[ \t]*\n\s*$/.test(source)) body.push("");
    const margin = " ".repeat(this.paddingX);
    const background = this.defaultTextStyle?.bgColor;
    const blank = Array.from({ length: this.paddingY }, () => paint("", width, background));
    const lines = body.flatMap((line) => wrapTextWithAnsi(line, inner)).map((line) => paint(margin + line + margin, width, background));
    return [...blank, ...lines, ...blank];
  }

  // base is the style of text that Markdown does not style.
  base() {
    const d = this.defaultTextStyle;
    if (!d) return plain;
    return styleOf((text) => {
      let out = d.color ? d.color(text) : text;
      for (const name of ["bold", "italic", "strikethrough", "underline"]) if (d[name]) out = this.theme[name](out);
      return out;
    });
  }

  // blocks renders what stands in one container; empty lines keep blocks apart, except where a
  // list follows its introduction at once.
  blocks(list, width, style) {
    const lines = [];
    list.forEach((block, i) => {
      if (i > 0 && (block.gap || this.keepsApart(list[i - 1], block))) lines.push("");
      lines.push(...this.block(block, width, style));
    });
    return lines;
  }

  keepsApart(block, next) {
    if (block.t === "list") return false;
    return block.t !== "p" || next.t !== "list";
  }

  block(block, width, style) {
    const { theme } = this;
    switch (block.t) {
      case "p":
        return this.inline(block.c, style).split("\n");
      case "h":
        return [this.heading(block)];
      case "code":
        return this.code(block);
      case "quote":
        return this.quote(block, width);
      case "list":
        return this.list(block, width, style, 0);
      case "hr":
        return [theme.hr("─".repeat(Math.min(width, widestRule)))];
      case "table":
        return table(block.rows.map((row) => row.map((cell) => this.inline(cell, style))), width, theme.bold) ?? block.s.split("\n");
      default:
        return (block.s ?? "").split("\n").map((line) => style.apply(line));
    }
  }

  heading(block) {
    const { theme } = this;
    const style = styleOf((text) => theme.heading(theme.bold(block.n === 1 ? theme.underline(text) : text)));
    const marks = block.n > 2 ? style.apply(`${"#".repeat(block.n)} `) : "";
    return marks + this.inline(block.c, style);
  }

  code(block) {
    const { theme } = this;
    const indent = theme.codeBlockIndent ?? "  ";
    const text = block.s ?? "";
    const lines = theme.highlightCode ? theme.highlightCode(text, block.lang || undefined) : text.split("\n").map((line) => theme.codeBlock(line));
    return [theme.codeBlockBorder(`\`\`\`${block.lang ?? ""}`), ...lines.map((line) => indent + line), theme.codeBlockBorder("```")];
  }

  quote(block, width) {
    const { theme } = this;
    const style = styleOf((text) => theme.quote(theme.italic(text)));
    const inner = Math.max(1, width - 2);
    return this.paragraphs(block.b, inner, { apply: (text) => text, prefix: style.prefix })
      .flatMap((line) => wrapTextWithAnsi(style.apply(line), inner))
      .map((line) => theme.quoteBorder("│ ") + line);
  }

  // paragraphs is blocks, except that the lines of a paragraph stay together: the style of a
  // quotation goes around the whole.
  paragraphs(list, width, style) {
    const lines = [];
    list.forEach((block, i) => {
      if (i > 0 && (block.gap || this.keepsApart(list[i - 1], block))) lines.push("");
      if (block.t === "p") lines.push(this.inline(block.c, style));
      else lines.push(...this.block(block, width, style));
    });
    return lines;
  }

  list(block, width, style, depth) {
    const lines = [];
    block.b.forEach((item, i) => {
      if (i > 0 && block.loose) lines.push("");
      const number = `${(block.n || 1) + i}.`;
      const marker = `${block.ordered ? number : "-"} ${item.task ? `${item.task} ` : ""}`;
      lines.push(...this.item(item, marker, width, style, depth));
    });
    return lines;
  }

  item(item, marker, width, style, depth) {
    const indent = " ".repeat(nested * depth);
    const bullet = this.theme.listBullet(marker);
    const rest = indent + " ".repeat(visibleWidth(marker));
    const inner = Math.max(1, width - indent.length - visibleWidth(bullet));
    const lines = [];
    const push = (line) => lines.push((lines.length === 0 ? indent + bullet : rest) + line);
    item.b.forEach((block, i) => {
      if (i > 0 && block.gap) lines.push("");
      if (block.t === "list") {
        if (lines.length === 0) push("");
        lines.push(...this.list(block, width, style, depth + 1));
        return;
      }
      for (const line of this.block(block, inner, style)) for (const part of wrapTextWithAnsi(line, inner)) push(part);
    });
    if (lines.length === 0) push("");
    return lines;
  }

  // inline styles text; after a piece with a style of its own the outer one goes on.
  inline(list, style) {
    let out = "";
    for (const piece of list ?? []) {
      if (piece.t === "t") out += (piece.s ?? "").split("\n").map((line) => (line ? style.apply(line) : "")).join("\n");
      else out += this.styled(piece, style) + style.prefix;
    }
    while (style.prefix && out.endsWith(style.prefix)) out = out.slice(0, -style.prefix.length);
    return out;
  }

  styled(piece, style) {
    const { theme } = this;
    switch (piece.t) {
      case "b":
        return theme.bold(this.inline(piece.c, style));
      case "i":
        return theme.italic(this.inline(piece.c, style));
      case "s":
        return theme.strikethrough(this.inline(piece.c, style));
      case "c":
        return theme.code(piece.s ?? "");
      default:
        return this.link(piece, style);
    }
  }

  link(piece, style) {
    const { theme } = this;
    const shown = theme.link(theme.underline(this.inline(piece.c, style)));
    const text = bare(piece.c);
    const url = piece.url ?? "";
    if (text === url || `mailto:${text}` === url) return shown;
    return shown + theme.linkUrl(` (${url})`);
  }
}

// bare is the text of pieces without styles.
const bare = (list) => (list ?? []).map((p) => p.s ?? bare(p.c)).join("");
