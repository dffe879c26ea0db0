// Drives rondo with the RpcClient of Pi's npm package, through every method that it has.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

const { RpcClient } = await import(process.env.CLIENT);

const called = new Set();
const real = new RpcClient({
	cliPath: process.env.CLI, cwd: process.env.WORK, env: process.env,
	provider: "lab", model: "hello", args: ["--models", "lab/hello,lab/eyes:low"],
});
const client = new Proxy(real, {
	get(target, name) {
		called.add(name);
		const value = target[name];
		return typeof value === "function" ? value.bind(target) : value;
	},
});

const events = [];
const leave = client.onEvent((event) => events.push(event));
const seen = (type) => events.filter((event) => event.type === type).length;
// A command that fails rejects, where the client looks at its response, and nothing else.
const refused = (promise, what) => assert.rejects(promise, what);

await client.start();
try {
	await state();
	await models();
	await switches();
	await talk();
	await look();
	await commands();
	await queues();
	await compaction();
	await sessions();
} catch (error) {
	console.error(client.getStderr());
	throw error;
}
leave();
assert.equal(client.getStderr(), "");
await client.stop();

const inner = ["constructor", "handleLine", "createProcessExitError", "rejectPendingRequests", "send", "getData"];
const missed = Object.getOwnPropertyNames(RpcClient.prototype).filter((name) => !called.has(name) && !inner.includes(name));
assert.deepEqual(missed, [], "methods that were not used");
console.log(`${called.size} methods`);

async function state() {
	const s = await client.getState();
	assert.equal(s.model.id, "hello");
	assert.equal(s.isStreaming, false);
	assert.equal(s.messageCount, 0);
	assert.equal(s.autoCompactionEnabled, true);
	assert.equal(await client.getLastAssistantText(), undefined);
	assert.deepEqual(await client.getMessages(), []);
	assert.deepEqual((await client.getCommands()).map((c) => c.name), ["greet"]);
}

async function models() {
	assert.ok((await client.getAvailableModels()).some((m) => m.provider === "lab" && m.id === "eyes"));
	const next = await client.cycleModel();
	assert.deepEqual([next.model.id, next.thinkingLevel, next.isScoped], ["eyes", "low", true]);
	assert.deepEqual(await client.getAvailableThinkingLevels(), ["off", "minimal", "low", "medium", "high"]);
	await client.setThinkingLevel("medium");
	assert.deepEqual(await client.cycleThinkingLevel(), { level: "high" });
	const set = await client.setModel("lab", "hello");
	assert.equal(set.id, "hello");
	assert.equal(await client.cycleThinkingLevel(), null);
	await refused(client.setModel("lab", "none"), /not available/);
	assert.equal(seen("thinking_level_changed"), 4);
}

async function switches() {
	await client.setSteeringMode("all");
	await client.setFollowUpMode("all");
	await client.setAutoCompaction(false);
	await client.setAutoRetry(false);
	await client.abortRetry();
	const s = await client.getState();
	assert.deepEqual([s.steeringMode, s.followUpMode, s.autoCompactionEnabled], ["all", "all", false]);
}

async function talk() {
	const run = await client.promptAndWait("hello");
	assert.equal(run[0].type, "agent_start");
	assert.ok(run.some((event) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"));
	assert.equal(await client.getLastAssistantText(), "Hello from the server.");

	const collected = client.collectEvents();
	await client.prompt("again", [{ type: "image", data: "aGk=", mimeType: "image/png" }]);
	assert.ok((await collected).some((event) => event.type === "agent_end"));
	await until(() => seen("agent_settled") === 2);
	assert.equal((await client.getState()).messageCount, 4);
}

async function look() {
	const { entries, leafId } = await client.getEntries();
	assert.equal(entries.at(-1).id, leafId);
	const since = await client.getEntries(entries.at(-3).id);
	assert.deepEqual(since.entries, entries.slice(-2));
	await refused(client.getEntries("nonesuch"), /nonesuch/);

	const tree = await client.getTree();
	assert.equal(tree.leafId, leafId);
	let node = tree.tree[0];
	let depth = 1;
	for (; node.children.length > 0; depth++) node = node.children[0];
	assert.equal(depth, entries.length);
	assert.equal(node.entry.id, leafId);

	assert.deepEqual((await client.getForkMessages()).map((m) => m.text), ["hello", "again"]);
	const stats = await client.getSessionStats();
	assert.deepEqual([stats.userMessages, stats.assistantMessages, stats.totalMessages], [2, 2, 4]);
	assert.deepEqual(stats.tokens, { input: 18, output: 10, cacheRead: 0, cacheWrite: 0, total: 28 });
	assert.equal(stats.contextUsage.tokens, 14);
	await client.setSessionName("a\nname");
	assert.equal((await client.getState()).sessionName, "a name");
	const { path } = await client.exportHtml(join(process.env.WORK, "talk.html"));
	assert.ok(existsSync(path));
}

async function commands() {
	const result = await client.bash("echo hi; exit 3");
	assert.deepEqual([result.output, result.exitCode, result.cancelled], ["hi\n", 3, false]);
	const running = client.bash("echo started; sleep 60");
	await until(() => events.some((event) => event.type === "bash_execution_update" && event.delta.includes("started")));
	await client.abortBash();
	assert.equal((await running).cancelled, true);
}

async function queues() {
	await client.setModel("lab", "endless");
	await client.prompt("go");
	await until(() => events.at(-1).assistantMessageEvent?.type === "text_delta");
	await client.steer("left");
	await client.followUp("later");
	assert.equal((await client.getState()).pendingMessageCount, 2);
	assert.deepEqual(await client.clearQueue(), { steering: ["left"], followUp: ["later"] });
	const idle = client.waitForIdle();
	await client.abort();
	await idle;
	assert.equal((await client.getState()).isStreaming, false);
	await client.setModel("lab", "hello");
}

async function compaction() {
	await client.setAutoCompaction(true);
	await client.promptAndWait("a long story: " + "word ".repeat(30_000));
	await client.promptAndWait("and then?");
	const result = await client.compact("keep the names");
	assert.ok(result.summary.includes("Hello from the server."));
	assert.equal(typeof result.firstKeptEntryId, "string");
	assert.equal((await client.getSessionStats()).contextUsage.tokens, null);
	assert.ok(seen("compaction_start") === 1 && seen("compaction_end") === 1);
}

async function sessions() {
	const first = await client.getState();
	assert.deepEqual(await client.clone(), { cancelled: false });
	const copy = await client.getState();
	assert.equal(copy.messageCount, first.messageCount);
	assert.notEqual(copy.sessionFile, first.sessionFile);

	const target = (await client.getForkMessages())[1];
	assert.deepEqual(await client.fork(target.entryId), { text: "again", cancelled: false });
	assert.deepEqual((await client.getMessages()).map((m) => m.role), ["user", "assistant"]);
	await refused(client.fork("nonesuch"), /nonesuch/);

	assert.deepEqual(await client.newSession(first.sessionFile), { cancelled: false });
	assert.equal((await client.getState()).messageCount, 0);
	await client.promptAndWait("in the new one");
	assert.deepEqual(await client.switchSession(first.sessionFile), { cancelled: false });
	const back = await client.getState();
	assert.deepEqual([back.sessionId, back.sessionName, back.messageCount], [first.sessionId, "a name", first.messageCount]);
	await refused(client.switchSession(join(process.env.WORK, "none.jsonl")), /none\.jsonl/);
	assert.equal((await client.getState()).sessionId, first.sessionId);
}

async function until(condition) {
	const end = Date.now() + 20_000;
	while (!condition()) {
		assert.ok(Date.now() < end, `${condition} does not come true after ${JSON.stringify(events.slice(-3))}`);
		await new Promise((wake) => setTimeout(wake, 5));
	}
}
