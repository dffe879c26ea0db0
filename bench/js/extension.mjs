// Pi's ExtensionRunner from inside: node extension.mjs. PI_MODULES names node_modules. The
// extension is a file of TypeScript which Pi's own loader reads; the events are those of
// BenchmarkDispatch in the packages extension and extension/script.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { report, timed } from "./clock.mjs";

const EVENTS = 1000;
const { discoverAndLoadExtensions, ExtensionRunner, SessionManager } = await import(
  `${process.env.PI_MODULES}/@earendil-works/pi-coding-agent/dist/index.js`
);

const dir = mkdtempSync(join(tmpdir(), "rondo-bench-extension-"));
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));

/** A runner with the extensions whose sources are given; errors end the program. */
async function runner(...sources) {
  const files = sources.map((source, i) => {
    const file = join(dir, `${i}.ts`);
    writeFileSync(file, source);
    return file;
  });
  const { extensions, errors, runtime } = await discoverAndLoadExtensions(files, dir, dir);
  if (errors.length > 0 || extensions.length !== sources.length) throw new Error(JSON.stringify(errors));
  const made = new ExtensionRunner(extensions, runtime, dir, SessionManager.inMemory(), undefined);
  made.onError((error) => { throw new Error(error.error); });
  return made;
}

const source = `
export default (pi: any) => {
  let seen = 0;
  pi.on("tool_execution_start", async (e: any) => { seen += e.args.command.length; });
  pi.on("tool_call", async (e: any) => { if (e.input.command.startsWith("sudo")) return { block: true, reason: "not here" }; });
};`;
const args = { command: `sudo ${"x".repeat(900)}` };
const start = () => ({ type: "tool_execution_start", toolCallId: "c1", toolName: "bash", args });
const call = () => ({ type: "tool_call", toolCallId: "c1", toolName: "bash", input: args });

const none = await runner();
const one = await runner(source);
const runs = {
  none: async () => { for (let i = 0; i < EVENTS; i++) await none.emit(start()); },
  event: async () => { for (let i = 0; i < EVENTS; i++) await one.emit(start()); },
  result: async () => {
    for (let i = 0; i < EVENTS; i++) if (!(await one.emitToolCall(call()))?.block) throw new Error("no result");
  },
};
// The compiler has seen everything before anything counts.
for (let i = 0; i < 30; i++) for (const run of Object.values(runs)) await run();
for (const [name, run] of Object.entries(runs)) await report(name, EVENTS, () => timed(run));
