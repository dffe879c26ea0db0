const { setTimeout: later, setImmediate: soon, clearTimeout: forget } = globalThis;

export const setTimeout = (ms, value, { signal } = {}) => new Promise((resolve, reject) => {
	const fail = () => { forget(timer); reject(Object.assign(new DOMException("The operation was aborted", "AbortError"), { code: "ABORT_ERR", cause: signal.reason })); };
	const timer = later(() => { signal?.removeEventListener("abort", fail); resolve(value); }, ms);
	if (signal?.aborted) fail();
	else signal?.addEventListener("abort", fail, { once: true });
});
export const setImmediate = (value) => new Promise((resolve) => soon(resolve, value));
export async function* setInterval(ms, value, options) { for (;;) { await setTimeout(ms, undefined, options); yield value; } }
export const scheduler = { wait: (ms, options) => setTimeout(ms, undefined, options), yield: () => setImmediate() };
export default { setTimeout, setImmediate, setInterval, scheduler };
