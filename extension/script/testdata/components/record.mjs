// Records what Pi's components show, for TestComponentsSameAsPi. In a folder with
// @earendil-works/pi-coding-agent 0.85 installed and what is in the folder above copied into
// it, run with Node 22, FORCE_COLOR=3 and COLORTERM=truecolor:
// node components/record.mjs > pi.jsonl

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const file = path.join(here, "..", "harness.json");
const home = fs.mkdtempSync(path.join(os.tmpdir(), "record-"));
fs.mkdirSync(path.join(home, "themes"));
fs.copyFileSync(file, path.join(home, "themes", "harness.json"));
process.env.PI_CODING_AGENT_DIR = home;

const t = await import("@earendil-works/pi-tui");
const a = await import("@earendil-works/pi-coding-agent");
const { run } = await import("./run.js");
for (const line of await run(t, a, JSON.parse(fs.readFileSync(file, "utf8")))) console.log(JSON.stringify(line));
fs.rmSync(home, { recursive: true });
process.exit(0);
