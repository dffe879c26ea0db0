// The package @earendil-works/pi-ai: its names, over the wires of the program.

import { unsupported, unsupportedClass } from "./unsupported.js";

export { StringEnum, Type, uuidv7 } from "./identity.js";
export { parseJsonWithRepair, parseStreamingJson, repairJson } from "./json.js";
export {
  appendAssistantMessageDiagnostic, contentText, createAssistantMessageDiagnostic, extractDiagnosticError, formatThrownValue,
  isContextOverflow, isRecoverableLength, isRetryableAssistantError, retryAssistantCall, validateToolArguments, validateToolCall,
} from "./messages.js";
export { calculateCost, clampThinkingLevel, getSupportedThinkingLevels, hasApi, lazyApi, lazyStream, modelsAreEqual } from "./models.js";
export { AssistantMessageEventStream, EventStream, createAssistantMessageEventStream } from "./stream.js";

export class ModelsError extends Error {}

const cleanups = new Set();

export function registerSessionResourceCleanup(cleanup) {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

export function cleanupSessionResources(sessionId) {
  for (const cleanup of cleanups) cleanup(sessionId);
}

export const AssistantMessageFrameEncoder = unsupportedClass("AssistantMessageFrameEncoder");
export const InMemoryCredentialStore = unsupportedClass("InMemoryCredentialStore");
export const InMemoryModelsStore = unsupportedClass("InMemoryModelsStore");
export const createFauxCore = unsupported("createFauxCore");
export const createImagesModels = unsupported("createImagesModels");
export const createImagesProvider = unsupported("createImagesProvider");
export const createModels = unsupported("createModels");
export const createProvider = unsupported("createProvider");
export const defaultProviderAuthContext = unsupported("defaultProviderAuthContext");
export const envApiKeyAuth = unsupported("envApiKeyAuth");
export const fauxAssistantMessage = unsupported("fauxAssistantMessage");
export const fauxProvider = unsupported("fauxProvider");
export const fauxText = unsupported("fauxText");
export const fauxThinking = unsupported("fauxThinking");
export const fauxToolCall = unsupported("fauxToolCall");
export const getOverflowPatterns = unsupported("getOverflowPatterns");
export const lazyOAuth = unsupported("lazyOAuth");
export const reduceAssistantMessageFrames = unsupported("reduceAssistantMessageFrames");
