// @earendil-works/pi-coding-agent: what extensions import from the program.
import { host } from "rondo:host";
import { extname } from "node:path";

export { BorderedLoader, CustomEditor, DynamicBorder, Theme, getEditorTheme, getLanguageFromPath, getMarkdownTheme, getSelectListTheme, getSettingsListTheme, highlightCode, initTheme, keyHint, keyText, rawKeyHint, renderDiff, truncateToVisualLines } from "../agent-ui/index.js";
export {
	createReadToolDefinition, createBashToolDefinition, createEditToolDefinition, createWriteToolDefinition, createGrepToolDefinition,
	createLsToolDefinition, createFindToolDefinition, createReadTool, createBashTool, createEditTool,
	createWriteTool, createGrepTool, createFindTool, createLsTool, createCodingTools,
	createReadOnlyTools, createLocalBashOperations, withFileMutationQueue, getShellConfig,
} from "./tools.js";
export * from "./truncate.js";
export { convertToLlm, serializeConversation } from "./messages.js";
export { parseFrontmatter, stripFrontmatter } from "./frontmatter.js";
export { SessionManager } from "./session_file.js";
export { buildContextEntries, buildSessionContext, sessionEntryToContextMessages } from "./session_tree.js";
export { SettingsManager } from "./settings.js";
export { formatSkillsForPrompt, loadSkills, loadSkillsFromDir, parseSkillBlock } from "./skills.js";
export { createSyntheticSourceInfo } from "./source.js";
export {
	getPackageDir, getReadmePath, getDocsPath, getExamplesPath, resizeImage,
	formatDimensionNote, generateDiffString, generateUnifiedPatch, DEFAULT_COMPACTION_SETTINGS, shouldCompact,
	copyToClipboard,
} from "./program.js";

const about = host("program.about");
export const VERSION = about.version;
export const CONFIG_DIR_NAME = about.configDirName;
export const getAgentDir = () => about.home;
export const CURRENT_SESSION_VERSION = about.sessionVersion;

export const defineTool = (tool) => tool;
export const isToolCallEventType = (name, event) => event.toolName === name;
const result = (name) => (event) => event.toolName === name;
export const isBashToolResult = result("bash");
export const isReadToolResult = result("read");
export const isEditToolResult = result("edit");
export const isWriteToolResult = result("write");
export const isGrepToolResult = result("grep");
export const isFindToolResult = result("find");
export const isLsToolResult = result("ls");

export function createEventBus() {
	const channels = new Map();
	return {
		emit(channel, data) { for (const fn of [...(channels.get(channel) ?? [])]) fn(data); },
		on(channel, fn) {
			channels.set(channel, [...(channels.get(channel) ?? []), fn]);
			return () => channels.set(channel, channels.get(channel).filter((f) => f !== fn));
		},
		clear() { channels.clear(); },
	};
}

// A rough count: four characters are about a token.
export function estimateTokens(message) {
	const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : (message.content ?? []);
	const chars = blocks.reduce((n, b) => n + (b.type === "text" ? b.text.length : b.type === "thinking" ? b.thinking.length : b.type === "toolCall" ? b.name.length + JSON.stringify(b.arguments).length : b.type === "image" ? 4800 : 0), 0) + (message.output?.length ?? 0) + (message.summary?.length ?? 0);
	return Math.ceil(chars / 4);
}
export const calculateContextTokens = (usage) => usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
export const getLatestCompactionEntry = (entries) => entries.findLast((e) => e.type === "compaction") ?? null;
export const getLastAssistantUsage = (entries) => entries.findLast((e) => e.type === "message" && e.message.role === "assistant" && e.message.usage && !["aborted", "error"].includes(e.message.stopReason))?.message.usage;
export const parseSessionEntries = (content) => content.split("\n").filter((line) => line.trim() !== "").flatMap((line) => { try { return [JSON.parse(line)]; } catch { return []; } });

const types = { ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp" };
export const detectSupportedImageMimeTypeFromFile = async (file) => types[extname(file).toLowerCase()] ?? null;
