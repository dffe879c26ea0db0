// Pi's wires from inside: node wires.mjs. PI_MODULES names node_modules. Each wire reads an
// answer of many pieces of text, one at a time; the bytes are those of BenchmarkWireDelta in
// package ai. Bedrock's client takes no transport of ours, so that it reads from a server on
// loopback, as fast as it can.

import http from "node:http";
import { report, timed } from "./clock.mjs";

const modules = process.env.PI_MODULES;
const DELTAS = 10_000;
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const event = (value) => `event: ${value.type}\n${data(value)}`;
const chunk = (delta, finish, more) =>
  data({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const candidate = (text, finish) =>
  data({
    candidates: [{ content: { parts: [{ text }], role: "model" }, ...(finish && { finishReason: finish }), index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }, modelVersion: "m", responseId: "r1",
  });

let sums;
function crc32(bytes) {
  sums ??= Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  let c = ~0;
  for (const b of bytes) c = sums[(c ^ b) & 255] ^ (c >>> 8);
  return ~c >>> 0;
}

/** A message of application/vnd.amazon.eventstream. */
function frame(type, value) {
  const headers = Buffer.concat([[":message-type", "event"], [":event-type", type]].map(([name, text]) => {
    const h = Buffer.alloc(4 + name.length + text.length);
    h[0] = name.length;
    h.write(name, 1);
    h[1 + name.length] = 7;
    h.writeUInt16BE(text.length, 2 + name.length);
    h.write(text, 4 + name.length);
    return h;
  }));
  const payload = Buffer.from(JSON.stringify(value));
  const out = Buffer.alloc(16 + headers.length + payload.length);
  out.writeUInt32BE(out.length, 0);
  out.writeUInt32BE(headers.length, 4);
  out.writeUInt32BE(crc32(out.subarray(0, 8)), 8);
  headers.copy(out, 12);
  payload.copy(out, 12 + headers.length);
  out.writeUInt32BE(crc32(out.subarray(0, out.length - 4)), out.length - 4);
  return out;
}

const wires = [
  { api: "openai-completions", start: "", delta: chunk({ content: " beautiful" }, null), stop: chunk({}, "stop", { usage }) + "data: [DONE]\n\n" },
  {
    api: "openai-responses",
    start:
      event({ type: "response.output_item.added", output_index: 0, item: { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] } }) +
      event({ type: "response.content_part.added", item_id: "msg_1", output_index: 0, content_index: 0, part: { type: "output_text", text: "", annotations: [] } }),
    delta: event({ type: "response.output_text.delta", sequence_number: 17, item_id: "msg_1", output_index: 0, content_index: 0, delta: " beautiful", logprobs: [], obfuscation: "x8Kd2" }),
    stop: event({ type: "response.completed", response: { id: "r1", status: "completed", output: [], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } }),
  },
  {
    api: "anthropic-messages",
    start:
      event({ type: "message_start", message: { id: "m1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } } }) +
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    delta: event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " beautiful" } }),
    stop:
      event({ type: "content_block_stop", index: 0 }) +
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }) +
      event({ type: "message_stop" }),
  },
  { api: "google-generative-ai", start: "", delta: candidate(" beautiful"), stop: candidate("", "STOP") },
  { api: "mistral-conversations", start: "", delta: chunk({ content: " beautiful" }, null), stop: chunk({ content: "" }, "stop", { usage }) + "data: [DONE]\n\n" },
  {
    api: "bedrock-converse-stream", loopback: true, start: "",
    delta: frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: " beautiful" }, p: "abcdefghijklmnop" }),
    stop: Buffer.concat([
      frame("contentBlockStop", { contentBlockIndex: 0 }), frame("messageStop", { stopReason: "end_turn" }),
      frame("metadata", { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }),
    ]),
  },
];

const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

async function measure(wire) {
  const { stream } = await import(`${modules}/@earendil-works/pi-ai/dist/api/${wire.api}.js`);
  const pieces = [Buffer.from(wire.start), ...Array(DELTAS).fill(Buffer.from(wire.delta)), Buffer.from(wire.stop)].filter((p) => p.length > 0);
  const headers = { "content-type": wire.loopback ? "application/vnd.amazon.eventstream" : "text/event-stream" };
  const answer = async () => {
    let i = 0; // a delta at a time, as servers send them
    const pull = (to) => (i < pieces.length ? to.enqueue(new Uint8Array(pieces[i++])) : to.close());
    return new Response(new ReadableStream({ pull }), { headers });
  };
  let server;
  let baseUrl = "http://lab.invalid";
  if (wire.loopback) {
    server = http.createServer((req, res) => {
      req.resume();
      res.writeHead(200, headers).end(Buffer.concat(pieces));
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    baseUrl = `http://127.0.0.1:${server.address().port}`;
    process.env.AWS_BEDROCK_FORCE_HTTP1 = "1";
  }
  const model = {
    id: "m", name: "m", api: wire.api, provider: "lab", baseUrl, reasoning: false, input: ["text"], cost: free, contextWindow: 1e6, maxTokens: 1e6,
  };
  globalThis.fetch = answer;
  const run = () =>
    timed(async () => {
      let n = 0;
      for await (const ev of stream(model, { messages: [{ role: "user", content: "go", timestamp: 1 }] }, { apiKey: "lab-key", bearerToken: "lab-key", fetch: answer, maxRetries: 0 })) {
        if (ev.type === "text_delta") n++;
        if (ev.type === "error") throw new Error(ev.error.errorMessage);
      }
      if (n < DELTAS) throw new Error(`${wire.api}: ${n} deltas`);
    });
  await run(); // the compiler has seen it before anything counts
  await run();
  await report(wire.api, DELTAS, run);
  server?.close();
}

for (const wire of wires) await measure(wire);
process.exit(0);
