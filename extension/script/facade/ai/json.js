// JSON that is damaged or still arriving.

// repairJson escapes what must not stand in a text as it is.
export function repairJson(json) {
  let out = "";
  let inText = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i];
    if (c === '"') inText = !inText;
    if (!inText || c === '"') {
      out += c;
    } else if (c === "\\") {
      const next = json[i + 1] ?? "";
      const valid = next === "u" ? /^[0-9a-fA-F]{4}$/.test(json.slice(i + 2, i + 6)) : '"\\/bfnrt'.includes(next) && next !== "";
      out += valid ? c + next : "\\\\";
      if (valid) i++;
    } else {
      out += c < " " ? JSON.stringify(c).slice(1, -1) : c;
    }
  }
  return out;
}

export function parseJsonWithRepair(json) {
  try {
    return JSON.parse(json);
  } catch (error) {
    const repaired = repairJson(json);
    if (repaired === json) throw error;
    return JSON.parse(repaired);
  }
}

// complete closes what is open at the end of a text of JSON.
function complete(json) {
  const open = [];
  let inText = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i];
    if (inText) {
      if (c === "\\") i++;
      else if (c === '"') inText = false;
    } else if (c === '"') {
      inText = true;
    } else if (c === "{" || c === "[") {
      open.push(c === "{" ? "}" : "]");
    } else if (c === "}" || c === "]") {
      open.pop();
    }
  }
  const text = inText ? `${json.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")}"` : json;
  return { text, closing: open.reverse().join("") };
}

// candidates are shorter and shorter versions of what came last, until one of them is JSON.
function* candidates(text) {
  yield text;
  yield text.replace(/[\s,]+$/, "");
  yield text.replace(/,?\s*"(?:[^"\\]|\\.)*"\s*:?\s*$/, "");
  yield text.replace(/,?\s*"(?:[^"\\]|\\.)*"\s*:\s*[-+.\w]*$/, "");
  yield text.replace(/[-+.\w]+$/, "").replace(/[\s,]+$/, "");
}

export function parseStreamingJson(partialJson) {
  const source = partialJson?.trim();
  if (!source) return {};
  try {
    return parseJsonWithRepair(source) ?? {};
  } catch {
    // It goes on below: the text is not complete.
  }
  const { text, closing } = complete(repairJson(source));
  for (const candidate of candidates(text)) {
    try {
      return JSON.parse(candidate + closing) ?? {};
    } catch {
      // The next candidate is shorter.
    }
  }
  return {};
}
