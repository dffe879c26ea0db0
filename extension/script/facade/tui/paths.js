// Completion of slash commands and of paths.

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fuzzyFilter } from "./text.js";

const mostFiles = 20;
const mostVisited = 5000;
const skipped = new Set([".git", "node_modules"]);

const nameOf = (command) => command.name ?? command.value;
const quoted = (text) => (/\s/.test(text) ? `"${text}"` : text);

export class CombinedAutocompleteProvider {
  constructor(commands = [], basePath = process.cwd()) {
    this.commands = commands;
    this.basePath = basePath;
  }

  async getSuggestions(lines, cursorLine, cursorCol, options) {
    const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
    const at = before.match(/(?:^|[\s="'])(@(?:"[^"]*|[^\s"]*))$/);
    if (at) return this.fuzzyFiles(at[1], options.signal);
    const command = cursorLine === 0 && !options.force && before.match(/^\s*\/(\S*)( .*)?$/s);
    if (command) return command[2] === undefined ? this.names(command[1]) : this.argument(command[1], command[2].slice(1));
    return this.path(before, options.force);
  }

  names(start) {
    const found = fuzzyFilter(this.commands, start, nameOf);
    if (found.length === 0) return null;
    const describe = (c) => [c.argumentHint, c.description].filter(Boolean).join(" — ") || undefined;
    return { prefix: `/${start}`, items: found.map((c) => ({ value: nameOf(c), label: c.label ?? nameOf(c), description: describe(c) })) };
  }

  async argument(name, start) {
    const command = this.commands.find((c) => nameOf(c) === name);
    const items = await command?.getArgumentCompletions?.(start);
    return Array.isArray(items) && items.length > 0 ? { items, prefix: start } : null;
  }

  // path completes a path as a shell does: one folder at a time.
  path(before, force) {
    const prefix = before.match(/(?:"[^"]*|[^\s"'=]*)$/)[0];
    const text = prefix.replace(/^"/, "");
    if (!force && !/^(?:\.{0,2}\/|~\/)/.test(text)) return null;
    const slash = text.lastIndexOf("/");
    const folder = text.slice(0, slash + 1);
    const start = text.slice(slash + 1).toLowerCase();
    const items = this.entries(this.absolute(folder))
      .filter((e) => e.name.toLowerCase().startsWith(start))
      .map((e) => ({ value: quoted(folder + e.name + (e.folder ? "/" : "")), label: e.name + (e.folder ? "/" : "") }));
    return items.length > 0 ? { items, prefix } : null;
  }

  absolute(folder) {
    if (folder.startsWith("~/")) return path.join(os.homedir(), folder.slice(2));
    return path.isAbsolute(folder) ? folder : path.join(this.basePath, folder);
  }

  entries(folder) {
    try {
      const list = fs.readdirSync(folder, { withFileTypes: true }).map((e) => ({ name: e.name, folder: e.isDirectory() }));
      return list.sort((a, b) => Number(b.folder) - Number(a.folder) || (a.name < b.name ? -1 : 1));
    } catch {
      return []; // a folder that is not there, or closed to us, has nothing to offer
    }
  }

  // fuzzyFiles finds files anywhere below the base folder.
  async fuzzyFiles(prefix, signal) {
    const query = prefix.slice(1).replace(/^"/, "");
    const found = [];
    const queue = [""];
    for (let visited = 0; queue.length > 0 && visited < mostVisited && !signal?.aborted; ) {
      const folder = queue.shift();
      for (const e of this.entries(path.join(this.basePath, folder))) {
        if (skipped.has(e.name)) continue;
        visited++;
        found.push(folder + e.name + (e.folder ? "/" : ""));
        if (e.folder) queue.push(`${folder}${e.name}/`);
      }
    }
    const items = fuzzyFilter(found, query, (f) => f).slice(0, mostFiles);
    if (items.length === 0 || signal?.aborted) return null;
    return { prefix, items: items.map((f) => ({ value: `@${quoted(f)}`, label: path.basename(f) + (f.endsWith("/") ? "/" : ""), description: f })) };
  }

  applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
    const line = lines[cursorLine] ?? "";
    const head = line.slice(0, cursorCol - prefix.length);
    const command = prefix.startsWith("/") && head.trim() === "" && !prefix.slice(1).includes("/");
    const value = command ? `/${item.value}` : item.value;
    const space = command || (prefix.startsWith("@") && !/\/"?$/.test(value)) ? " " : "";
    const changed = [...lines];
    changed[cursorLine] = head + value + space + line.slice(cursorCol);
    return { lines: changed, cursorLine, cursorCol: head.length + value.length + space.length };
  }

  shouldTriggerFileCompletion(lines, cursorLine, cursorCol) {
    const before = (lines[cursorLine] ?? "").slice(0, cursorCol).trimStart();
    return !(cursorLine === 0 && /^\/\S*$/.test(before));
  }
}
