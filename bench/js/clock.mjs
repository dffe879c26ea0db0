// Repeats a run until the window of time is full and prints the mean cost of one of its
// steps, which is what `go test -bench` does on the other side.

const windowNs = Number(process.env.WINDOW_MS ?? 300) * 1e6;

/** run() performs `steps` steps and returns the nanoseconds that they took. */
export async function report(name, steps, run) {
  let total = 0;
  let runs = 0;
  while (runs === 0 || total < windowNs) {
    total += await run();
    runs++;
  }
  console.log(JSON.stringify({ name, value: total / runs / steps }));
}

/** The nanoseconds that an action takes. */
export async function timed(action) {
  const start = process.hrtime.bigint();
  await action();
  return Number(process.hrtime.bigint() - start);
}
