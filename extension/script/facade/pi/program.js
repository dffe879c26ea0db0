// The program: its folders, its pictures, its differences of texts, the clipboard.
import { host, hostAsync } from "rondo:host";
import * as path from "node:path";

// Nothing of the program lies in files; the folder may be made by a person who wants some.
export const getPackageDir = () => process.env.PI_PACKAGE_DIR || path.join(host("program.about").home, "package");
export const getReadmePath = () => path.join(getPackageDir(), "README.md");
export const getDocsPath = () => path.join(getPackageDir(), "docs");
export const getExamplesPath = () => path.join(getPackageDir(), "examples");

const base64 = (data) => (typeof data === "string" ? data : Buffer.from(data).toString("base64"));

// resizeImage makes an image no larger than the limits; null if it is none.
export async function resizeImage(data, mimeType, options = {}) {
	try {
		return await hostAsync("picture.fit", { data: base64(data), maxSide: Math.min(options.maxWidth ?? 2000, options.maxHeight ?? 2000), maxBytes: options.maxBytes ?? 0 });
	} catch {
		return null;
	}
}
export const formatDimensionNote = ({ wasResized, originalWidth, originalHeight, width, height }) => (wasResized ? `[Image: ${originalWidth}x${originalHeight}, shown as ${width}x${height}. Multiply coordinates by ${(originalWidth / width).toFixed(2)} for those of the original.]` : undefined);

export function generateDiffString(before, after) {
	const { diff, firstChangedLine } = host("text.diff", { name: "", before, after });
	return { diff, firstChangedLine: firstChangedLine || undefined };
}
export const generateUnifiedPatch = (file, before, after) => host("text.diff", { name: file, before, after }).patch;

export const DEFAULT_COMPACTION_SETTINGS = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };
export const shouldCompact = (tokens, window, settings) => settings.enabled && tokens > window - settings.reserveTokens;

// The clipboard is that of the terminal, or of the program that the system has for it.
const programs = { darwin: [["pbcopy", []]], win32: [["clip", []]] };
export async function copyToClipboard(text) {
	if (process.stdout.isTTY) {
		process.stdout.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
		return;
	}
	const { spawnSync } = __rondo.require("node:child_process");
	for (const [file, args] of programs[process.platform] ?? [["wl-copy", []], ["xclip", ["-selection", "clipboard"]], ["xsel", ["--clipboard", "--input"]]]) {
		if (!spawnSync(file, args, { input: text }).error) return;
	}
	throw new Error("there is no clipboard: no terminal, and no program for it");
}
