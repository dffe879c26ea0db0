// The tree of components, mouse events in it, and lines laid over lines.

import { fill, restByColumn, sliceByColumn, visibleWidth } from "./text.js";

// CURSOR_MARKER stands before the character under the cursor; the terminal shows nothing of it.
export const CURSOR_MARKER = "\x1b_pi:c\x07";

export const isFocusable = (component) => component !== null && component !== undefined && "focused" in component;

export const VIEWPORT_TUI = Symbol.for("rondo.viewport");
export const isViewportTUI = (tui) => Boolean(tui?.[VIEWPORT_TUI]);

// mouseTo hands an event to a component and remembers where it went.
export function mouseTo(component, event) {
  if (typeof component.handleMouse !== "function") return undefined;
  const result = component.handleMouse(event);
  if (!result || !(result.handled || result.capture || result.focus)) return undefined;
  if (result.target) return result;
  const target = { component, originX: event.screenX - event.x, originY: event.screenY - event.y, width: event.width, height: event.height };
  return { ...result, handled: true, target };
}

// Rows remembers which rows of a rendered frame belong to which child.
export class Rows {
  constructor() {
    this.list = [];
  }

  add(component, top, height, left, width) {
    this.list.push({ component, top, height, left, width });
  }

  dispatch(event) {
    for (const row of this.list) {
      const y = event.y - row.top;
      const x = event.x - row.left;
      if (y < 0 || y >= row.height || x < 0 || x >= row.width) continue;
      return mouseTo(row.component, { ...event, x, y, width: row.width, height: row.height });
    }
    return undefined;
  }
}

export class Container {
  constructor() {
    this.children = [];
  }

  addChild(component) {
    this.children.push(component);
  }

  removeChild(component) {
    const i = this.children.indexOf(component);
    if (i >= 0) this.children.splice(i, 1);
  }

  clear() {
    this.children = [];
  }

  invalidate() {
    for (const child of this.children) child.invalidate?.();
  }

  handleMouse(event) {
    return this.rows?.dispatch(event);
  }

  render(width) {
    const lines = [];
    this.rows = new Rows();
    for (const child of this.children) {
      const part = child.render(width);
      this.rows.add(child, lines.length, part.length, 0, width);
      for (const line of part) lines.push(line);
    }
    return lines;
  }
}

const reset = "\x1b[0m\x1b]8;;\x07";

export function compositeTuiLine(baseLine, overlayLine, startCol, overlayWidth, totalWidth) {
  const before = fill(sliceByColumn(baseLine, 0, startCol, true), startCol);
  const over = fill(sliceByColumn(overlayLine, 0, overlayWidth, true), overlayWidth);
  const rest = Math.max(0, totalWidth - startCol - overlayWidth);
  const after = fill(restByColumn(baseLine, startCol + overlayWidth, rest), rest);
  const line = before + reset + over + reset + after;
  return visibleWidth(line) > totalWidth ? sliceByColumn(line, 0, totalWidth, true) : line;
}
