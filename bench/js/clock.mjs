// Repeats a run until a window of time is full and prints the mean cost of one of its
// steps, which is what `go test -bench` does on the other side.

const windowNs = Number(process.env.WINDOW_MS ?? 30) * 1e6;
const windows = Number(process.env.WINDOWS ?? 10);

/** run() performs `steps` steps and returns the nanoseconds that they took. */
export async function report(name, steps, run) {
  let total = 0;
  while (total < windows * windowNs) {
    let took = 0;
    let runs = 0;
    while (took < windowNs) {
      took += await run();
      runs++;
    }
    total += took;
    console.log(JSON.stringify({ name, value: took / runs / steps }));
  }
}

/** The nanoseconds that an action takes. */
export async function timed(action) {
  const start = process.hrtime.bigint();
  await action();
  return Number(process.hrtime.bigint() - start);
}
