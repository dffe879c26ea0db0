// What an example does, one JSON line a step, without what differs from run to run.

let lines = [];
let places = [];

export const written = () => lines;

// replace names texts (folders) that are written as a word.
export function replace(pairs) {
  places = pairs.filter(([text]) => text).sort((a, b) => b[0].length - a[0].length);
}

function clean(text) {
  for (const [from, to] of places) text = text.split(from).join(to);
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/(pi|rondo)-(bash|powershell|ls|output|truncated|rg|subagent)-?[A-Za-z0-9]+/g, "<temporary>");
}

// Engines word this one differently.
const mistake = /^cannot read propert/i;

export function plain(value, depth = 0, seen = new Set()) {
  if (typeof value === "string") return clean(value);
  if (typeof value === "function") return "<function>";
  if (typeof value === "symbol" || typeof value === "bigint") return String(value);
  if (value === undefined) return "<undefined>";
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return "<again>";
  if (depth > 12) return "<deep>";
  if (value instanceof Error) return { error: mistake.test(value.message) ? "<a value is undefined>" : clean(String(value.message)) };
  seen.add(value);
  let out;
  if (Array.isArray(value)) {
    out = value.map((v) => plain(v, depth + 1, seen));
  } else if (value instanceof Map) {
    out = { map: [...value].map((v) => plain(v, depth + 1, seen)) };
  } else if (value instanceof Set) {
    out = { set: [...value].map((v) => plain(v, depth + 1, seen)) };
  } else if (typeof value.render === "function") {
    out = "<component>";
  } else if (typeof value.aborted === "boolean" && typeof value.addEventListener === "function") {
    out = { signal: value.aborted };
  } else {
    out = {};
    for (const key of Object.keys(value).sort()) {
      if (value[key] !== undefined) out[key] = plain(value[key], depth + 1, seen);
    }
  }
  seen.delete(value);
  return out;
}

// note writes one line.
export function note(what, ...values) {
  lines.push(JSON.stringify([what, ...values.map((v) => plain(v))]));
}
