// The message as far as it has arrived, put together from the events of its stream.

import { parseStreamingJson } from "./json.js";

const blocks = { text: "text", thinking: "thinking" };

// Partial follows a stream of Go, whose events carry what is new and no whole message.
export class Partial {
  constructor(model) {
    this.message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
      stopReason: "stop",
      timestamp: Date.now(),
    };
    this.json = [];
  }

  // add returns the event with the message so far.
  add(event) {
    const { content } = this.message;
    const i = event.contentIndex;
    const [kind, step] = event.type.split("_");
    if (kind === "toolcall") this.addCall(event, step, i);
    else if (kind in blocks && step === "start") content[i] = { type: kind, [kind]: "" };
    else if (kind in blocks && step === "delta") content[i] = { ...content[i], [kind]: content[i][kind] + event.delta };
    else if (kind in blocks && step === "end") content[i] = this.ended(kind, content[i], event);
    return event.type === "done" || event.type === "error" ? event : { ...event, partial: { ...this.message, content: [...content] } };
  }

  ended(kind, block, event) {
    const out = { ...block, [kind]: event.content ?? block[kind] };
    for (const key of ["textSignature", "thinkingSignature", "redacted"]) if (event[key] !== undefined) out[key] = event[key];
    return out;
  }

  addCall(event, step, i) {
    const { content } = this.message;
    if (step === "start") {
      this.json[i] = "";
      content[i] = { type: "toolCall", id: event.id ?? "", name: event.name ?? event.toolName ?? "", arguments: {}, ...event.toolCall };
    } else if (step === "delta") {
      this.json[i] += event.delta;
      content[i] = { ...content[i], arguments: parseStreamingJson(this.json[i]) };
    } else {
      content[i] = event.toolCall ?? content[i];
    }
  }
}
