// Arguments for a tool, made from its JSON schema.

const named = {
  path: ["notes.txt"],
  file_path: ["notes.txt"],
  file: ["notes.txt"],
  command: ["echo hello", "exit 3"],
  pattern: ["hello"],
  glob: ["*.txt"],
  content: ["one\ntwo\n"],
  query: ["hello"],
  oldText: ["hello"],
  newText: ["goodbye"],
  timeout: [5],
  offset: [1],
  limit: [2],
  duration: ["2 days"],
  cell: [4],
  row: [1],
  column: [1],
  col: [1],
};

// value returns a value for one schema; pick chooses among alternatives.
function value(schema, name, pick) {
  if (!schema) return null;
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[pick % schema.enum.length];
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return value(union[pick % union.length], name, pick);
  if (name in named && schema.type !== "object" && schema.type !== "array") return named[name][pick % named[name].length];
  switch (schema.type) {
    case "object": {
      const out = {};
      for (const [key, s] of Object.entries(schema.properties ?? {})) {
        const required = (schema.required ?? []).includes(key);
        if (required || pick % 3 !== 2) out[key] = value(s, key, pick);
      }
      return out;
    }
    case "array":
      return [value(schema.items, name, pick), value(schema.items, name, pick + 1)];
    case "number":
    case "integer":
      return pick + 1;
    case "boolean":
      return pick % 2 === 0;
    default:
      return `${name || "text"} ${pick + 1}`;
  }
}

// choices counts how many different calls are worth making.
function choices(schema) {
  let n = 2;
  for (const s of Object.values(schema?.properties ?? {})) {
    n = Math.max(n, s.enum?.length ?? 0, s.anyOf?.length ?? 0);
  }
  return Math.min(n + 1, 8);
}

// calls returns some calls of a tool.
export function calls(schema) {
  const list = [];
  for (let pick = 0; pick < choices(schema); pick++) list.push(value(schema, "", pick));
  return list;
}
