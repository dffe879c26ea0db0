// What the real host loads before an example: the clock of the harness, and a loop in which
// the harness of Go moves it and asks for what both harnesses share.

import { hostAsync } from "rondo:host";
import { TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { calls } from "./arguments.js";
import * as canned from "./canned.js";
import * as clock from "./clock.js";

clock.install();
globalThis.fetch = async () => {
  throw new TypeError("fetch failed");
};

const keys = (list) => (Array.isArray(list) ? list : [list]);

const work = {
  advance: clock.advance,
  next: clock.next,
  pending: () => clock.pending() > 0,
  calls,
  canned: ({ cwd }) => ({
    models: canned.models,
    messages: canned.messages,
    reply: canned.reply,
    entries: canned.entries(),
    events: canned.events(cwd),
    keys: canned.keys,
    closing: canned.closing,
    bindings: Object.fromEntries(Object.entries({ ...TUI_KEYBINDINGS, ...canned.appKeys }).map(([id, b]) => [id, keys(b.defaultKeys)])),
  }),
};

// Sets and signals are no JSON.
const plain = (_, v) => (v instanceof Set ? [...v] : v instanceof AbortSignal ? undefined : v);

async function serve() {
  let answer = null;
  for (;;) {
    const { what, arg } = await hostAsync("examples.order", answer);
    answer = JSON.parse(JSON.stringify({ value: (await work[what](arg)) ?? null }, plain));
  }
}

serve().catch(() => {}); // the machine ends
