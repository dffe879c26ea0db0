// Reads a session file as Pi does, tells what it comes to, and goes on with it on another branch.
import assert from "node:assert/strict";

const { SessionManager } = await import(process.env.SESSIONS);

const text = (content) => (typeof content === "string" ? content : content.filter((b) => b.type === "text").map((b) => b.text).join(""));
const line = (m) => `${m.role} ${m.summary ?? m.command ?? text(m.content)}`;
const context = (manager) => {
	const { messages, model, thinkingLevel } = manager.buildSessionContext();
	return { messages: messages.map(line), model: `${model.provider}/${model.modelId}`, thinkingLevel };
};

const manager = SessionManager.open(process.argv[2]);
const first = manager.getEntries()[0];
const before = {
	...context(manager), name: manager.getSessionName(), entries: manager.getEntries().length,
	label: manager.getLabel(first.id), id: manager.getSessionId(), cwd: manager.getCwd(),
};
assert.equal(manager.getTree().length, 1);

manager.branch(first.id);
manager.appendMessage({ role: "user", content: "from Pi \u2028", timestamp: 1 });
manager.appendMessage({
	role: "assistant", content: [{ type: "text", text: "An answer." }], api: "a", provider: "lab", model: "of Pi", stopReason: "stop", timestamp: 2,
	usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 } },
});
manager.appendThinkingLevelChange("high");
manager.appendCustomEntry("note", { n: 1 });
manager.appendCustomMessageEntry("card", [{ type: "text", text: "a card" }], true, { x: null });
manager.appendLabelChange(first.id, undefined);
manager.appendSessionInfo("named by Pi");
manager.appendCompaction("what was", manager.getLeafId(), 99);
manager.appendMessage({ role: "user", content: [{ type: "text", text: "and on" }], timestamp: 3 });
console.log(JSON.stringify({ before, after: context(manager), leaf: manager.getLeafId() }));
