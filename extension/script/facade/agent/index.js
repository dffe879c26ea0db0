// @earendil-works/pi-agent-core: what it has in common with the program.
export { DEFAULT_COMPACTION_SETTINGS, shouldCompact } from "../pi/program.js";
export { convertToLlm, serializeConversation } from "../pi/messages.js";
export * from "../pi/truncate.js";
export { uuidv7 } from "../ai/identity.js";
