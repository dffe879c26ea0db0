import { posix, win32 } from "./paths.js";

const path = process.platform === "win32" ? win32 : posix;
export { posix, win32 };
export const { sep, delimiter, isAbsolute, normalize, join, resolve, basename, dirname, extname, relative, parse, format, matchesGlob, toNamespacedPath } = path;
export default path;
