// The events, messages and answers that every example meets.

export const model = {
  id: "gpt-5.2",
  name: "GPT 5.2",
  api: "openai-responses",
  provider: "openai",
  baseUrl: "http://127.0.0.1:9/v1",
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 },
  contextWindow: 200000,
  maxTokens: 32000,
};

export const models = [
  model,
  { ...model, id: "gemini-2.5-flash", name: "Flash", provider: "google", api: "google-generative-ai" },
  { ...model, id: "claude-sonnet-4-5", name: "Sonnet", provider: "anthropic", api: "anthropic-messages" },
  { ...model, id: "gpt-5.2-codex", name: "Codex", provider: "openai-codex" },
];

export const usage = {
  input: 1200,
  output: 345,
  cacheRead: 800,
  cacheWrite: 10,
  totalTokens: 2355,
  cost: { input: 0.0015, output: 0.00345, cacheRead: 0.0001, cacheWrite: 0, total: 0.00505 },
};

export const plan = `Here is what I found.

Plan:
1. Read the configuration file and check it
2. Add the new option to the parser
3. Write tests for \`parse\`

## Questions

- Which **database** should be used?
- Is *caching* needed?

\`\`\`ts
const answer: number = 42; // the answer
\`\`\`

[DONE:1] Done with step one.
`;

const assistant = (text, extra = {}) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  api: "openai-responses",
  provider: "openai",
  model: "gpt-5.2",
  usage,
  stopReason: "stop",
  timestamp: 1750000000000,
  ...extra,
});

export const messages = [
  { role: "user", content: [{ type: "text", text: "Please add an option. ultrathink" }], timestamp: 1749999990000 },
  {
    ...assistant("I will look."),
    content: [
      { type: "thinking", thinking: "Where is it?" },
      { type: "text", text: "I will look." },
      { type: "toolCall", id: "call_1", name: "read", arguments: { path: "src/main.ts" } },
    ],
    stopReason: "toolUse",
  },
  {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "read",
    content: [{ type: "text", text: "export const main = 1;\n" }],
    isError: false,
    timestamp: 1749999995000,
  },
  assistant(plan),
];

export const reply = assistant("Q: Which database?\nA:\n\n1. **Goal**: finish.\n2. Keep `main.ts` as it is.");

export const entries = () => {
  const list = [];
  let parentId = null;
  messages.forEach((message, i) => {
    const id = `entry000${i}`;
    list.push({ type: "message", id, parentId, timestamp: "2025-06-15T15:06:40.000Z", message });
    parentId = id;
  });
  return list;
};

const tool = (toolName, input) => ({ type: "tool_call", toolCallId: "call_9", toolName, input });
const result = (toolName, input, text) => ({
  type: "tool_result",
  toolCallId: "call_9",
  toolName,
  input,
  content: [{ type: "text", text }],
  details: undefined,
  isError: false,
});

// events lists the occurrences of each kind of event.
export const events = (cwd) => ({
  project_trust: [{ type: "project_trust", cwd }],
  resources_discover: [{ type: "resources_discover", cwd, reason: "startup" }],
  session_start: [
    { type: "session_start", reason: "startup" },
    { type: "session_start", reason: "resume", previousSessionFile: `${cwd}/old.jsonl` },
  ],
  session_info_changed: [{ type: "session_info_changed", name: "named" }],
  session_before_switch: [
    { type: "session_before_switch", reason: "new" },
    { type: "session_before_switch", reason: "resume", targetSessionFile: `${cwd}/other.jsonl` },
  ],
  session_before_fork: [{ type: "session_before_fork", entryId: "entry0001", position: "before" }],
  session_before_tree: [
    {
      type: "session_before_tree",
      preparation: { targetId: "entry0000", oldLeafId: "entry0003", commonAncestorId: "entry0000", entriesToSummarize: entries(), userWantsSummary: true },
      signal: new AbortController().signal,
    },
  ],
  session_before_compact: [
    {
      type: "session_before_compact",
      preparation: {
        firstKeptEntryId: "entry0002",
        messagesToSummarize: messages,
        turnPrefixMessages: [messages[0]],
        isSplitTurn: false,
        tokensBefore: 123456,
        previousSummary: "Earlier we talked.",
        fileOps: { read: new Set(["a.ts"]), written: new Set(), edited: new Set() },
        settings: { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 },
      },
      branchEntries: entries(),
      reason: "manual",
      willRetry: false,
      signal: new AbortController().signal,
    },
  ],
  session_compact: [{ type: "session_compact", compactionEntry: { type: "compaction", id: "c", parentId: null, timestamp: "2025-06-15T15:06:40.000Z", summary: "s", firstKeptEntryId: "entry0002", tokensBefore: 9 }, fromExtension: false, reason: "manual", willRetry: false }],
  session_tree: [{ type: "session_tree", newLeafId: "entry0001", oldLeafId: "entry0003" }],
  context: [{ type: "context", messages: structuredClone(messages) }],
  before_provider_request: [{ type: "before_provider_request", payload: { model: "gpt-5.2", input: [{ role: "user", content: "hi" }] } }],
  before_provider_headers: [{ type: "before_provider_headers", headers: { "x-a": "1" } }],
  after_provider_response: [{ type: "after_provider_response", status: 200, headers: { "x-request-id": "r1" } }],
  before_agent_start: [
    {
      type: "before_agent_start",
      prompt: "Please add an option.",
      systemPrompt: "You are a helper.",
      systemPromptOptions: { cwd, selectedTools: ["read", "bash", "edit", "write"], toolSnippets: { read: "Read files" }, promptGuidelines: [], contextFiles: [{ path: `${cwd}/AGENTS.md`, content: "Be kind." }], skills: [] },
    },
  ],
  agent_start: [{ type: "agent_start" }],
  turn_start: [{ type: "turn_start", turnIndex: 0, timestamp: 1750000000000 }],
  message_start: [{ type: "message_start", message: messages[3] }],
  message_end: [{ type: "message_end", message: messages[3] }],
  tool_call: [
    tool("bash", { command: "ls -la" }),
    tool("bash", { command: "sudo rm -rf /tmp/x" }),
    tool("write", { path: ".env", content: "SECRET=1" }),
    tool("write", { path: "src/a.ts", content: "1" }),
    tool("edit", { path: "node_modules/x.js", edits: [] }),
    tool("read", { path: "src/main.ts" }),
  ],
  tool_result: [result("read", { path: "src/main.ts" }, "export const main = 1;\n"), result("bash", { command: "ls" }, "a\nb\n")],
  turn_end: [{ type: "turn_end", turnIndex: 0, message: messages[3], toolResults: [messages[2]] }],
  agent_end: [{ type: "agent_end", messages }],
  agent_settled: [{ type: "agent_settled" }],
  model_select: [{ type: "model_select", model, previousModel: models[1], source: "set" }],
  thinking_level_select: [{ type: "thinking_level_select", level: "high", previousLevel: "off" }],
  user_bash: [
    { type: "user_bash", command: "echo hello", excludeFromContext: false, cwd },
    { type: "user_bash", command: "vim notes.txt", excludeFromContext: false, cwd },
    { type: "user_bash", command: "!i echo there", excludeFromContext: true, cwd },
  ],
  input: [
    "hello there",
    "?quick what is this",
    "ping",
    "time",
    "!{echo one} and !{echo two}",
    "what changed in the diff",
    "!echo whole line",
  ].map((text) => ({ type: "input", text, source: "interactive" })),
  session_shutdown: [{ type: "session_shutdown", reason: "quit" }],
});

// keys are pressed in a component, one by one.
export const keys = [
  "\x1b[B", "\x1b[B", "\x1b[A", "\x1b[C", "\x1b[D", " ", "a", "x", "\t", "\x7f", "h", "j", "k", "l",
  "2", "\x1b[Z", "\x1b[13;2u", "\r", "i", "hi\u00e9", "\x1b[200~pasted text\x1b[201~", "\x1bb", "\x01", "\x05",
  "\x17", "\x1b[5~", "\x1b[6~", "\x1b[1;5C", "\x1b[97;1:3u", "p", "\r", "r", "w", "q",
];

export const closing = ["\x1b", "\x03", "q", "\x1b"];

export const appKeys = Object.fromEntries(
  [
    ["app.interrupt", "escape"], ["app.clear", "ctrl+c"], ["app.exit", "ctrl+d"], ["app.suspend", "ctrl+z"],
    ["app.thinking.cycle", "shift+tab"], ["app.model.cycleForward", "ctrl+p"], ["app.model.select", "ctrl+l"],
    ["app.tools.expand", "ctrl+o"], ["app.thinking.toggle", "ctrl+t"], ["app.editor.external", "ctrl+g"],
    ["app.message.followUp", "alt+enter"], ["app.message.dequeue", "alt+up"], ["app.clipboard.pasteImage", "ctrl+v"],
  ].map(([id, key]) => [id, { defaultKeys: key }]),
);
