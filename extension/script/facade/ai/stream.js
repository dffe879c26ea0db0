// Streams of events, and those of an assistant's message.

export class EventStream {
  constructor(isComplete, extractResult) {
    this.isComplete = isComplete;
    this.extractResult = extractResult;
    this.queue = [];
    this.waiting = [];
    this.done = false;
    this.final = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  push(event) {
    if (this.done) return;
    if (this.isComplete(event)) {
      this.done = true;
      this.settle(this.extractResult(event));
    }
    const reader = this.waiting.shift();
    if (reader) reader({ value: event, done: false });
    else this.queue.push(event);
    if (this.done) this.release();
  }

  end(result) {
    this.done = true;
    if (result !== undefined) this.settle(result);
    this.release();
  }

  release() {
    for (const reader of this.waiting.splice(0)) reader({ value: undefined, done: true });
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      if (this.queue.length > 0) {
        yield this.queue.shift();
      } else if (this.done) {
        return;
      } else {
        const next = await new Promise((resolve) => this.waiting.push(resolve));
        if (next.done) return;
        yield next.value;
      }
    }
  }

  result() {
    return this.final;
  }
}

export class AssistantMessageEventStream extends EventStream {
  constructor() {
    super(
      (event) => event.type === "done" || event.type === "error",
      (event) => (event.type === "done" ? event.message : event.error),
    );
  }
}

export const createAssistantMessageEventStream = () => new AssistantMessageEventStream();
