// Pi's Agent from inside: node loop.mjs text | tools. PI_MODULES names node_modules.

import { report, timed } from "./clock.mjs";

const modules = process.env.PI_MODULES;
const { Agent } = await import(`${modules}/@earendil-works/pi-agent-core/dist/index.js`);
const { createAssistantMessageEventStream } = await import(`${modules}/@earendil-works/pi-ai/dist/utils/event-stream.js`);

const DELTA = "Hello token ";
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage = { ...free, totalTokens: 0, cost: { ...free, total: 0 } };
const model = {
  id: "m", name: "m", api: "fake", provider: "fake", baseUrl: "", reasoning: false, input: ["text"],
  cost: free, contextWindow: 1e6, maxTokens: 1e6,
};

function assistant(stopReason = "stop") {
  return { role: "assistant", content: [], api: "fake", provider: "fake", model: "m", usage, stopReason, timestamp: Date.now() };
}

/** An answer of n deltas that the loop pulls one by one: no queue, Pi's fastest way. */
function textStream(n) {
  const message = assistant();
  return {
    async *[Symbol.asyncIterator]() {
      yield { type: "start", partial: message };
      const block = { type: "text", text: "" };
      message.content.push(block);
      yield { type: "text_start", contentIndex: 0, partial: message };
      for (let i = 0; i < n; i++) {
        block.text += DELTA;
        yield { type: "text_delta", contentIndex: 0, delta: DELTA, partial: message };
      }
      yield { type: "text_end", contentIndex: 0, content: block.text, partial: message };
      yield { type: "done", reason: "stop", message };
    },
    result: async () => message,
  };
}

/** An answer that is complete at once. */
function wholeStream(message) {
  const stream = createAssistantMessageEventStream();
  stream.push({ type: "start", partial: message });
  stream.push({ type: "done", reason: message.stopReason, message });
  stream.end(message);
  return stream;
}

async function runText(n, listeners = 1) {
  let count = 0;
  const agent = new Agent({ initialState: { model, tools: [], messages: [] }, streamFn: () => textStream(n) });
  for (let i = 0; i < listeners; i++) {
    agent.subscribe(async (event) => {
      if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") count++;
    });
  }
  const took = await timed(() => agent.prompt("hi"));
  if (count !== n * listeners) throw new Error(`${count} deltas, want ${n * listeners}`);
  return took;
}

const noop = {
  name: "noop", label: "noop", description: "Does nothing.",
  parameters: { type: "object", properties: { i: { type: "number" } }, required: ["i"] },
  execute: async () => ({ content: [{ type: "text", text: "ok" }], details: {} }),
};

async function runTools(n) {
  let turn = 0;
  let ends = 0;
  const answer = () => {
    const message = assistant(turn++ === 0 ? "toolUse" : "stop");
    for (let i = 0; turn === 1 && i < n; i++) message.content.push({ type: "toolCall", id: `c${i}`, name: "noop", arguments: { i } });
    if (turn > 1) message.content.push({ type: "text", text: "done" });
    return wholeStream(message);
  };
  const agent = new Agent({ initialState: { model, tools: [noop], messages: [] }, streamFn: answer });
  agent.subscribe(async (event) => {
    if (event.type !== "tool_execution_end") return;
    ends++;
    if (event.isError) throw new Error(JSON.stringify(event.result));
  });
  const took = await timed(() => agent.prompt("hi"));
  if (ends !== n) throw new Error(`${ends} calls, want ${n}`);
  return took;
}

// The compiler has seen everything before anything counts.
for (let i = 0; i < 30; i++) {
  await runText(1000);
  await runTools(20);
}

switch (process.argv[2]) {
  case "text":
    for (const n of [1000, 10000, 100000]) await report(`deltas=${n}`, n, () => runText(n));
    await report("listeners=11", 10000, () => runText(10000, 11));
    break;
  case "tools":
    for (const n of [1, 10, 100, 1000, 10000]) await report(`batch=${n}`, n, () => runTools(n));
    break;
  default:
    throw new Error("usage: node loop.mjs text | tools");
}
