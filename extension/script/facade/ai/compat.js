// The package's older names: asking models by their API, and the catalogue.

import { wire } from "./models.js";
import { unsupported } from "./unsupported.js";

export * from "./index.js";
export { complete, completeSimple, getModel, getModels, getProviders, stream, streamSimple } from "./models.js";

export const anthropicMessagesApi = wire("anthropic-messages");
export const azureOpenAIResponsesApi = wire("azure-openai-responses");
export const bedrockConverseStreamApi = wire("bedrock-converse-stream");
export const googleGenerativeAIApi = wire("google-generative-ai");
export const googleVertexApi = wire("google-vertex");
export const mistralConversationsApi = wire("mistral-conversations");
export const openAICodexResponsesApi = wire("openai-codex-responses");
export const openAICompletionsApi = wire("openai-completions");
export const openAIResponsesApi = wire("openai-responses");

export const streamAnthropic = anthropicMessagesApi().stream;
export const streamAzureOpenAIResponses = azureOpenAIResponsesApi().stream;
export const streamGoogle = googleGenerativeAIApi().stream;
export const streamGoogleVertex = googleVertexApi().stream;
export const streamMistral = mistralConversationsApi().stream;
export const streamOpenAICodexResponses = openAICodexResponsesApi().stream;
export const streamOpenAICompletions = openAICompletionsApi().stream;
export const streamOpenAIResponses = openAIResponsesApi().stream;
export {
  streamAnthropic as streamSimpleAnthropic, streamAzureOpenAIResponses as streamSimpleAzureOpenAIResponses, streamGoogle as streamSimpleGoogle,
  streamGoogleVertex as streamSimpleGoogleVertex, streamMistral as streamSimpleMistral, streamOpenAICodexResponses as streamSimpleOpenAICodexResponses,
  streamOpenAICompletions as streamSimpleOpenAICompletions, streamOpenAIResponses as streamSimpleOpenAIResponses,
};

export const piMessagesApi = unsupported("piMessagesApi");
export const getEnvApiKey = unsupported("getEnvApiKey");
export const registerApiProvider = unsupported("registerApiProvider");
export const getApiProvider = unsupported("getApiProvider");
export const getApiProviders = unsupported("getApiProviders");
export const unregisterApiProviders = unsupported("unregisterApiProviders");
export const registerFauxProvider = unsupported("registerFauxProvider");
export const registerBuiltInApiProviders = () => {};
export const resetApiProviders = unsupported("resetApiProviders");
export const findEnvKeys = unsupported("findEnvKeys");
export const generateImages = unsupported("generateImages");
export const generateImagesOpenRouter = unsupported("generateImagesOpenRouter");
export const getImageModel = unsupported("getImageModel");
export const getImageModels = unsupported("getImageModels");
export const getImageProviders = unsupported("getImageProviders");
export const getImagesApiProvider = unsupported("getImagesApiProvider");
export const registerBuiltInImagesApiProviders = () => {};
export const registerImagesApiProvider = unsupported("registerImagesApiProvider");
export const setBedrockProviderModule = () => {};
export const ANTHROPIC_API_KEY_ENV = "ANTHROPIC_API_KEY";
export const ANTHROPIC_AUTH_TOKEN_ENV = "ANTHROPIC_AUTH_TOKEN";
export const ANTHROPIC_OAUTH_TOKEN_ENV = "ANTHROPIC_OAUTH_TOKEN";
