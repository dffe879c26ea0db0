const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
export { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
import promises from "node:timers/promises";
export { promises };
export default { promises, setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
