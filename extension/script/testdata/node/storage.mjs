// AsyncLocalStorage across everything that waits.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";

const storage = new AsyncLocalStorage();
const other = new AsyncLocalStorage();
const get = () => storage.getStore() ?? "none";

async function later(n) {
	await null;
	const first = get();
	await wait(n);
	const second = get();
	await Promise.all([wait(1), wait(2)]);
	return [first, second, get()].join();
}
async function* steps() {
	for (let i = 0; i < 2; i++) {
		await wait(1);
		yield get() + i;
	}
}

export default async function () {
	const values = [get()];
	values.push(storage.run("a", get), get());
	values.push(await Promise.all([storage.run("a", () => later(3)), storage.run("b", () => later(1)), later(2)]));
	await storage.run("c", async () => {
		for await (const step of steps()) values.push(step);
		values.push(await new Promise((resolve) => setTimeout(() => resolve(get()), 1)));
		values.push(await new Promise((resolve) => setImmediate(() => process.nextTick(() => queueMicrotask(() => resolve(get()))))));
		values.push(await Promise.reject(new Error("x")).catch(() => get()), await wait(1).finally(() => values.push("finally " + get())) ?? "undefined");
		try { await Promise.reject(new Error("thrown")); } catch { values.push("caught " + get()); }
		await other.run(1, async () => { await wait(1); values.push([get(), other.getStore()]); });
		values.push(other.getStore() ?? "none");
		await storage.exit(async () => { await wait(1); values.push("outside " + get()); });
		storage.enterWith("d");
		await wait(1);
		values.push(get());
	});
	values.push(get());
	const resource = storage.run("e", () => new AsyncResource("kind"));
	const bound = storage.run("f", () => AsyncLocalStorage.bind(get)), snapshot = storage.run("g", () => AsyncLocalStorage.snapshot());
	values.push(resource.runInAsyncScope(get), bound(), snapshot(get), get());
	return values;
}
