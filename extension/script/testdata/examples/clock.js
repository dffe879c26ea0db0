// A clock that stands still until the driver moves it, so that two hosts see the same time.

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
};
const start = 1750000000000;
let now = start;
let nextId = 1;
let timers = new Map();
let seed = 42;

const sleep = (ms) => new Promise((done) => real.setTimeout.call(globalThis, done, ms));

// working says whether Node does something that the clock does not move.
const working = () => process.getActiveResourcesInfo().some((r) => /^(FSReq|Process|TCP|GetAddrInfo|TLS|HTTP|Zlib)/.test(r));

// quiet waits until nothing happens any more without a key or the clock.
export async function quiet() {
  for (let calm = 0, i = 0; calm < 3 && i < 5000; i++) {
    await sleep(0);
    calm = working() ? 0 : calm + 1;
  }
}

function add(fn, ms, args, every) {
  const delay = Math.max(1, Number(ms) || 0);
  const id = nextId++;
  timers.set(id, { at: now + delay, every: every ? delay : 0, fn, args });
  const handle = {
    id,
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
    close: () => timers.delete(id),
    [Symbol.toPrimitive]: () => id,
  };
  return handle;
}

function remove(handle) {
  if (handle == null) return;
  timers.delete(typeof handle === "object" ? handle.id : Number(handle));
}

// install replaces the timers, the clock and the dice of the whole program.
export function install() {
  globalThis.setTimeout = (fn, ms, ...args) => add(fn, ms, args, false);
  globalThis.setInterval = (fn, ms, ...args) => add(fn, ms, args, true);
  globalThis.clearTimeout = remove;
  globalThis.clearInterval = remove;
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(now);
      else super(...args);
    }
    static now() {
      return now;
    }
  };
  Math.random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
}

export const pending = () => timers.size;

// reset forgets the timers of an earlier step.
export function reset() {
  timers = new Map();
}

// advance runs what is due in the next ms milliseconds, in order.
export async function advance(ms) {
  const end = now + ms;
  for (let guard = 0; guard < 500; guard++) {
    let due;
    for (const [id, t] of timers) {
      if (t.at <= end && (!due || t.at < due.t.at)) due = { id, t };
    }
    if (!due) break;
    now = Math.max(now, due.t.at);
    if (due.t.every) due.t.at += due.t.every;
    else timers.delete(due.id);
    try {
      due.t.fn(...due.t.args);
    } catch (error) {
      timers.delete(due.id);
      throw error;
    }
    for (let i = 0; i < 8; i++) await null;
  }
  now = end;
}

// next moves to the next timer; it says whether there was one.
export async function next() {
  let at = Infinity;
  for (const t of timers.values()) at = Math.min(at, t.at);
  if (at === Infinity) return false;
  await advance(at - now);
  return true;
}
