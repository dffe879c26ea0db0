// How both harnesses, this one and that of Go, write down what an extension hands over: what
// a host that is no JavaScript sees of it, with absent and empty as one.

// some drops what is absent, empty, false or 0.
export const some = (o) => Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined && v !== null && v !== false && v !== "" && v !== 0));

export const tool = (t) => ({
  name: t.name,
  label: t.label ?? "",
  description: t.description ?? "",
  parameters: t.parameters,
  ...some({ promptSnippet: t.promptSnippet, promptGuidelines: t.promptGuidelines?.length ? t.promptGuidelines : undefined, executionMode: t.executionMode, renderSelf: t.renderShell === "self" }),
  functions: ["prepareArguments", "renderCall", "renderResult"].filter((k) => typeof t[k] === "function"),
});

export const command = (name, o) => ({ name, description: o.description ?? "", completes: typeof o.getArgumentCompletions === "function" });

export const provider = (name, c) => ({
  name,
  ...some({ displayName: c.name, baseUrl: c.baseUrl, apiKey: c.apiKey, api: c.api, headers: c.headers, authHeader: c.authHeader }),
  models: c.models ?? [],
  streams: typeof c.streamSimple === "function",
  ...some({ oauth: c.oauth?.name }),
});

const sides = ["top", "right", "bottom", "left"];

// placement says where an overlay stands.
export function placement(options) {
  const o = (typeof options === "function" ? options() : options) ?? {};
  const text = (v) => (v === undefined ? undefined : String(v));
  const margin = typeof o.margin === "number" ? Object.fromEntries(sides.map((s) => [s, o.margin])) : o.margin;
  const sizes = { width: text(o.width), minWidth: o.minWidth, maxHeight: text(o.maxHeight), anchor: o.anchor, offsetX: o.offsetX, offsetY: o.offsetY, row: text(o.row), col: text(o.col), nonCapturing: Boolean(o.nonCapturing) };
  return { ...some(sizes), ...(margin && Object.keys(some(margin)).length ? { margin: some(margin) } : {}), ...(typeof o.visible === "function" ? { visible: Boolean(o.visible(80, 40)) } : {}) };
}

export const message = (m) => ({ customType: m.customType, content: m.content, display: m.display ?? true, ...some({ details: m.details }) });
export const sending = (o) => some({ triggerTurn: o?.triggerTurn, deliverAs: o?.deliverAs, expandPromptTemplates: o?.expandPromptTemplates });
export const result = (r) => ({ content: r.content, ...some({ details: r.details, usage: r.usage, addedToolNames: r.addedToolNames, terminate: r.terminate, isError: r.isError }) });

const first = (results, ok) => results.find(ok);
const last = (results) => results[results.length - 1];

// effects say what has come of an event: the answers of its handlers, and what they have
// changed in place.
const effects = {
  project_trust: (_, r) => first(r, (a) => a.trusted === "yes" || a.trusted === "no"),
  resources_discover: (_, r) => some(Object.fromEntries(["skillPaths", "promptPaths", "themePaths"].map((k) => [k, r.flatMap((a) => a[k] ?? [])]).filter(([, v]) => v.length))),
  session_before_switch: (_, r) => Boolean(last(r)?.cancel),
  session_before_fork: (_, r) => Boolean(last(r)?.cancel),
  session_before_compact: (_, r) => last(r),
  session_before_tree: (_, r) => last(r),
  context: (e, r) => last(r)?.messages ?? e.messages,
  before_provider_request: (e, r) => last(r) ?? e.payload,
  before_provider_headers: (e) => e.headers,
  before_agent_start: (e, r) => ({ messages: r.filter((a) => a.message).map((a) => message(a.message)), systemPrompt: last(r.filter((a) => a.systemPrompt !== undefined))?.systemPrompt ?? e.systemPrompt }),
  message_end: (_, r) => last(r)?.message,
  turn_end: (_, r) => last(r)?.action ?? "",
  tool_call: (e, r) => ({ ...some(last(r) ?? {}), input: e.input }),
  tool_result: (_, r) => last(r),
  user_bash: (_, r) => (last(r) ? { operations: typeof last(r).operations?.exec === "function", ...some({ result: last(r).result }) } : undefined),
  input: (e, r) => (last(r)?.action === "handled" ? { action: "handled" } : { action: "continue", text: last(r)?.action === "transform" ? last(r).text : e.text }),
};

export const effect = (event, results) => effects[event.type]?.(event, results);
