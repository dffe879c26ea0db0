// Names that are new, and names that are one of several.

import { Type } from "typebox";

let last = 0;
let sequence = 0;

// uuidv7 returns an identifier that sorts by time (RFC 9562); those of one millisecond count up.
export function uuidv7(timestampMs = Date.now()) {
  const b = crypto.getRandomValues(new Uint8Array(16));
  const ms = Math.floor(timestampMs);
  sequence = ms === last ? (sequence + 1) & 0xfff : (b[6] & 0x07) << 8 | b[7];
  last = ms;
  for (let i = 0; i < 6; i++) b[i] = Math.floor(ms / 256 ** (5 - i)) & 0xff;
  b[6] = 0x70 | (sequence >> 8);
  b[7] = sequence & 0xff;
  b[8] = (b[8] & 0x3f) | 0x80;
  const hex = Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// StringEnum is a schema of one of some texts, in the form that every provider understands.
export function StringEnum(values, options = {}) {
  return Type.Unsafe({ type: "string", enum: [...values], ...options });
}

export { Type };
