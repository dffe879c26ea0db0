// What terminals report about their colours.

export function parseOsc11BackgroundColor(data) {
  const m = data.match(/^\x1b\]11;(?:rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?|#([0-9a-f]{6}))(?:\x07|\x1b\\)$/i);
  if (!m) return undefined;
  if (m[4]) {
    const n = Number.parseInt(m[4], 16);
    return { r: n >> 16, g: (n >> 8) & 255, b: n & 255 };
  }
  const part = (hex) => Math.round((Number.parseInt(hex, 16) / (16 ** hex.length - 1)) * 255);
  return { r: part(m[1]), g: part(m[2]), b: part(m[3]) };
}

export function parseTerminalColorSchemeReport(data) {
  const m = data.match(/^\x1b\[\?997;([12])n$/);
  return m ? (m[1] === "1" ? "dark" : "light") : undefined;
}
