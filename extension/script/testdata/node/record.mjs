// Records what Node makes of the cases: node record.mjs [NAME...]
import { readdirSync, writeFileSync } from "node:fs";
setInterval(() => {}, 1000); // a timer of AbortSignal keeps nothing alive
const names = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(import.meta.dirname).filter((f) => f.endsWith(".mjs") && f !== "record.mjs").map((f) => f.slice(0, -4));
for (const name of names) {
	const { default: run } = await import(`./${name}.mjs`);
	writeFileSync(`${import.meta.dirname}/${name}.json`, (await run()).map((v) => JSON.stringify(v) ?? "null").join("\n") + "\n");
}
process.exit(0);
