// Pi's parser of unfinished tool arguments: node arguments.mjs. PI_MODULES names
// node_modules.
//
// Each delta parses everything that came so far, so that a whole argument takes tens of
// seconds. Every 50th delta is timed instead: they are spread evenly, so their mean is the
// mean of all.

const { parseStreamingJson } = await import(`${process.env.PI_MODULES}/@earendil-works/pi-ai/dist/utils/json-parse.js`);

const SIZE = 100 << 10;
const DELTA = 12;
const EVERY = 50;

const line = 'const value = compute("x");\n';

/** The mean cost, in nanoseconds, of a delta of an argument of some size. */
function meanDelta(size, every) {
  const content = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  const json = JSON.stringify({ path: "src/a.ts", content });
  let text = "";
  let total = 0;
  let timed = 0;
  for (let i = 0, n = 0; i < json.length; i += DELTA, n++) {
    text += json.slice(i, i + DELTA);
    if (n % every !== 0) continue;
    const start = process.hrtime.bigint();
    const seen = parseStreamingJson(text);
    total += Number(process.hrtime.bigint() - start);
    timed++;
    if (typeof seen !== "object") throw new Error("no arguments");
  }
  if (parseStreamingJson(json).content !== content) throw new Error("the parser lost text");
  return total / timed;
}

meanDelta(5 << 10, 1); // the compiler has seen it before anything counts
console.log(JSON.stringify({ name: "delta", value: meanDelta(SIZE, EVERY) }));
