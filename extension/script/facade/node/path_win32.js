import { win32 as path } from "./paths.js";

export const { sep, delimiter, isAbsolute, normalize, join, resolve, basename, dirname, extname, relative, parse, format, matchesGlob, toNamespacedPath, posix, win32 } = path;
export default path;
