// The parts of @earendil-works/pi-coding-agent that are shown in a terminal.

export { BorderedLoader, CustomEditor, DynamicBorder } from "./components.js";
export { renderDiff, truncateToVisualLines } from "./diff.js";
export { keyHint, keyText, rawKeyHint } from "./hints.js";
export { getEditorTheme, getLanguageFromPath, getMarkdownTheme, getSelectListTheme, getSettingsListTheme, highlightCode } from "./styles.js";
export { Theme, initTheme, theme } from "./theme.js";
