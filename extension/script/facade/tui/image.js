// Images. The terminal draws them where references stand, which it gives for the rows of one;
// without images there is a line of text.

import { host } from "rondo:host";
import { truncateToWidth } from "./text.js";

let capabilities;
let overrides = {};
let cell;

export const detectCapabilities = () => ({ images: host("image.terminal", {}).images ?? null, trueColor: true, hyperlinks: false });
export const getCapabilities = () => ({ ...(capabilities ?? detectCapabilities()), ...overrides });

export function setCapabilities(caps) {
  capabilities = caps;
}

export function setCapabilityOverrides(some) {
  overrides = some;
}

export function resetCapabilitiesCache() {
  capabilities = undefined;
  overrides = {};
}

export function getCellDimensions() {
  if (cell) return cell;
  const { widthPx, heightPx } = host("image.terminal", {});
  return widthPx ? { widthPx, heightPx } : { widthPx: 9, heightPx: 18 };
}

export function setCellDimensions(dims) {
  cell = dims;
}

export const hyperlink = (text, url) => `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;

export function imageFallback(mimeType, dimensions, filename) {
  const size = dimensions ? `${dimensions.widthPx}x${dimensions.heightPx}` : "";
  return `[Image: ${[filename, `[${mimeType}]`, size].filter(Boolean).join(" ")}]`;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// bytes decodes the beginning, where the size stands.
function bytes(base64Data, most = 65536) {
  const out = [];
  for (let i = 0, bits = 0, held = 0; i < base64Data.length && out.length < most; i++) {
    const digit = digits.indexOf(base64Data[i]);
    if (digit < 0) break;
    held = ((held << 6) | digit) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push((held >> bits) & 0xff);
  }
  return out;
}

const big = (b, at) => (b[at] << 8) | b[at + 1];
const little = (b, at) => b[at] | (b[at + 1] << 8);
const size = (widthPx, heightPx) => ({ widthPx, heightPx });
const ascii = (b, at, text) => [...text].every((c, i) => b[at + i] === c.charCodeAt(0));

export function getPngDimensions(base64Data) {
  const b = bytes(base64Data, 48);
  return ascii(b, 1, "PNG") && b.length >= 24 ? size(big(b, 16) * 65536 + big(b, 18), big(b, 20) * 65536 + big(b, 22)) : null;
}

export function getGifDimensions(base64Data) {
  const b = bytes(base64Data, 48);
  return ascii(b, 0, "GIF8") && b.length >= 10 ? size(little(b, 6), little(b, 8)) : null;
}

export function getJpegDimensions(base64Data) {
  const b = bytes(base64Data);
  if (b[0] !== 0xff || b[1] !== 0xd8) return null;
  for (let at = 2; at + 9 < b.length; ) {
    const marker = b[at + 1];
    if (b[at] !== 0xff) return null;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return size(big(b, at + 7), big(b, at + 5));
    at += 2 + big(b, at + 2);
  }
  return null;
}

export function getWebpDimensions(base64Data) {
  const b = bytes(base64Data, 48);
  if (!ascii(b, 0, "RIFF") || !ascii(b, 8, "WEBP") || b.length < 30) return null;
  if (ascii(b, 12, "VP8X")) return size(1 + little(b, 24) + b[26] * 65536, 1 + little(b, 27) + b[29] * 65536);
  if (ascii(b, 12, "VP8 ")) return size(little(b, 26) & 0x3fff, little(b, 28) & 0x3fff);
  const bits = little(b, 21) + little(b, 23) * 65536;
  return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

const readers = { "image/png": getPngDimensions, "image/gif": getGifDimensions, "image/jpeg": getJpegDimensions, "image/webp": getWebpDimensions };

export function getImageDimensions(base64Data, mimeType) {
  return readers[mimeType]?.(base64Data) ?? null;
}

export function calculateImageRows(dimensions, targetWidthCells, cellDimensions = getCellDimensions()) {
  const scale = (targetWidthCells * cellDimensions.widthPx) / dimensions.widthPx;
  return Math.max(1, Math.ceil((dimensions.heightPx * scale) / cellDimensions.heightPx));
}

// rowsOf returns the lines that show an image, or nothing where it cannot be shown.
function rowsOf(data, mimeType, columns, rows) {
  if (!getCapabilities().images) return undefined;
  const lines = host("image.rows", { data, mimeType: mimeType ?? "", columns: Math.max(1, Math.floor(columns)), rows: Math.max(0, Math.floor(rows ?? 0)) });
  return lines?.length ? lines : undefined;
}

// The terminal gets no sequences from components: Image shows an image.
export const renderImage = () => null;
export const allocateImageId = () => 1 + Math.floor(Math.random() * 0xfffffffe);

export class Image {
  constructor(base64Data, mimeType, theme, options = {}, dimensions) {
    Object.assign(this, { base64Data, mimeType, theme, options });
    this.dimensions = dimensions ?? getImageDimensions(base64Data, mimeType) ?? size(800, 600);
  }

  getImageId() {
    return this.options.imageId;
  }

  invalidate() {
    this.drawn = undefined;
  }

  render(width) {
    if (this.drawn?.width === width) return this.drawn.lines;
    const lines =
      rowsOf(this.base64Data, this.mimeType, Math.min(width - 2, this.options.maxWidthCells ?? 60), this.options.maxHeightCells) ??
      [truncateToWidth(this.theme.fallbackColor(imageFallback(this.mimeType, this.dimensions, this.options.filename)), width)];
    this.drawn = { width, lines };
    return lines;
  }
}
