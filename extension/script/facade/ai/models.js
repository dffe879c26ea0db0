// Models, what they cost, and answers of theirs. The program's own wires ask them.

import { host, hostStream } from "rondo:host";
import { Partial } from "./partial.js";
import { AssistantMessageEventStream } from "./stream.js";

const perMillion = 1e6;

// calculateCost fills in what a use of a model costs.
export function calculateCost(model, usage) {
  const tier = [...(model.cost.tiers ?? [])]
    .filter((t) => usage.input + usage.cacheRead + usage.cacheWrite > t.inputTokensAbove)
    .sort((a, b) => b.inputTokensAbove - a.inputTokensAbove)[0];
  const price = { ...model.cost, ...tier };
  const cost = usage.cost ?? {};
  for (const kind of ["input", "output", "cacheRead", "cacheWrite"]) cost[kind] = (price[kind] / perMillion) * usage[kind];
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  usage.cost = cost;
  return cost;
}

export const modelsAreEqual = (a, b) => Boolean(a && b && a.id === b.id && a.provider === b.provider);
export const hasApi = (model, api) => model.api === api;

const levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

export function getSupportedThinkingLevels(model) {
  if (!model.reasoning) return ["off"];
  const map = model.thinkingLevelMap ?? {};
  return levels.filter((level) => map[level] !== null && (level in map || (level !== "xhigh" && level !== "max")));
}

// clampThinkingLevel returns the level itself, or the nearest one: higher first, then lower.
export function clampThinkingLevel(model, level) {
  const known = getSupportedThinkingLevels(model);
  const at = levels.indexOf(level);
  for (const candidate of [...levels.slice(at), ...levels.slice(0, Math.max(0, at)).reverse()]) {
    if (known.includes(candidate)) return candidate;
  }
  return "off";
}

export const getModels = (provider) => host("ai.models", {}).filter((m) => provider === undefined || m.provider === provider);
export const getModel = (provider, id) => getModels(provider).find((m) => m.id === id);
export const getProviders = () => [...new Set(getModels().map((m) => m.provider))];

const plain = [
  "apiKey", "headers", "temperature", "maxTokens", "reasoning", "thinkingBudgets", "sessionId", "cacheRetention",
  "metadata", "maxRetries", "maxRetryDelayMs", "timeoutMs", "samplingParams", "toolChoice",
];

function settings(options) {
  for (const name of ["onPayload", "onHeaders", "client"]) {
    if (options[name] !== undefined) throw new Error(`${name} is not supported by this host: listen to before_provider_request and before_provider_headers.`);
  }
  return Object.fromEntries(plain.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

const failure = (partial, error, aborted) => ({
  type: "error",
  reason: aborted ? "aborted" : "error",
  error: { ...partial.message, content: [...partial.message.content], stopReason: aborted ? "aborted" : "error", errorMessage: String(error?.message ?? error) },
});

// stream asks a model. Whatever goes wrong is the last event of the stream.
export function stream(model, context, options = {}) {
  const out = new AssistantMessageEventStream();
  const partial = new Partial(model);
  const { signal } = options;
  const ask = async () => {
    const messages = context.messages ?? [];
    const tools = (context.tools ?? []).map(({ name, description, parameters }) => ({ name, description, parameters }));
    const request = { model, systemPrompt: context.systemPrompt ?? "", messages, tools, options: settings(options) };
    const call = hostStream("ai.stream", request, (event) => out.push(partial.add(event)));
    if (signal?.aborted) call.cancel();
    signal?.addEventListener("abort", call.cancel, { once: true });
    await call.done.finally(() => signal?.removeEventListener("abort", call.cancel));
  };
  ask().then(
    () => !out.done && out.push(failure(partial, "The stream ended before the answer did.", signal?.aborted)),
    (error) => out.push(failure(partial, error, signal?.aborted)),
  );
  return out;
}

export const streamSimple = stream;
export const complete = (model, context, options) => stream(model, context, options).result();
export const completeSimple = complete;

// wire is a way to ask models that name no way of their own, or another one.
export const wire = (api) => () => {
  const ask = (model, context, options) => stream({ ...model, api }, context, options);
  return { stream: ask, streamSimple: ask };
};

// lazyStream is a stream whose source is found later.
export function lazyStream(model, setup) {
  const out = new AssistantMessageEventStream();
  const partial = new Partial(model);
  (async () => {
    for await (const event of await setup()) out.push(event);
    if (!out.done) out.push(failure(partial, "The stream ended before the answer did."));
  })().catch((error) => out.push(failure(partial, error)));
  return out;
}

export function lazyApi(load) {
  let loaded;
  const get = () => (loaded ??= load());
  return {
    stream: (model, context, options) => lazyStream(model, async () => (await get()).stream(model, context, options)),
    streamSimple: (model, context, options) => lazyStream(model, async () => (await get()).streamSimple(model, context, options)),
  };
}
