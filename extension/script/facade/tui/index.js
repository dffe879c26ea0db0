// The package @earendil-works/pi-tui: its names, with components and functions of our own.

import { unsupported, unsupportedFunction } from "./unsupported.js";

export { Editor } from "./editor.js";
export { CURSOR_MARKER, Container, compositeTuiLine, isFocusable, isViewportTUI } from "./container.js";
export { CancellableLoader, Loader } from "./loader.js";
export { parseOsc11BackgroundColor, parseTerminalColorSchemeReport } from "./colors.js";
export {
  Image, allocateImageId, calculateImageRows, detectCapabilities, getCapabilities, getCellDimensions, getGifDimensions,
  getImageDimensions, getJpegDimensions, getPngDimensions, getWebpDimensions, hyperlink, imageFallback, renderImage,
  resetCapabilitiesCache, setCapabilities, setCapabilityOverrides, setCellDimensions,
} from "./image.js";
export { Input } from "./input.js";
export { KeybindingsManager, TUI_KEYBINDINGS, getKeybindings, setKeybindings } from "./keybindings.js";
export {
  Key, decodeKittyPrintable, isKeyRelease, isKeyRepeat, isKittyProtocolActive, matchesKey, parseKey, setKittyProtocolActive,
} from "./keys.js";
export { CombinedAutocompleteProvider } from "./paths.js";
export { Markdown } from "./markdown.js";
export { SelectList } from "./select-list.js";
export { SettingsList } from "./settings-list.js";
export { HStack, ScrollView, VStack } from "./stack.js";
export {
  fuzzyFilter, fuzzyMatch, getOsc8LinkAtColumn, sliceByColumn, stripTerminalSequences, truncateToWidth, visibleWidth, wrapTextWithAnsi,
} from "./text.js";
export { Box, MouseRegion, Spacer, Text, TruncatedText } from "./views.js";

const ownScreen = "extensions draw through ctx.ui (custom, setWidget, setFooter, setHeader); the screen belongs to the program.";

export const ProcessTerminal = unsupported("ProcessTerminal", ownScreen);
export const TuiMainScreen = unsupported("TuiMainScreen", ownScreen);
export const TuiAltScreen = unsupported("TuiAltScreen", ownScreen);
export const StdinBuffer = unsupported("StdinBuffer", "components get whole keys in handleInput.");
export const Marked = unsupported("Marked", "use the Markdown component.");
export const renderLatex = () => undefined; // the answer for a formula that cannot be rendered
const noImages = "the component Image shows images where the terminal can.";
export const encodeKitty = unsupportedFunction("encodeKitty", noImages);
export const encodeITerm2 = unsupportedFunction("encodeITerm2", noImages);
export const deleteKittyImage = unsupportedFunction("deleteKittyImage", noImages);
export const deleteAllKittyImages = unsupportedFunction("deleteAllKittyImages", noImages);
