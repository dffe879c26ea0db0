// What entries of a session make together: branches, trees, the context of a model.

const byIdOf = (entries) => new Map(entries.filter((e) => e.id).map((e) => [e.id, e]));

// branchOf is the way from the first entry to one.
export function branchOf(byId, leafId) {
	const path = [];
	for (let e = byId.get(leafId); e; e = byId.get(e.parentId)) path.push(e);
	return path.reverse();
}

// contextOf is the part of a branch that a model sees: from the last compaction on, with it
// first and what it keeps behind it.
export function contextOf(branch) {
	const at = branch.findLastIndex((e) => e.type === "compaction");
	if (at < 0) return branch;
	const kept = branch.findIndex((e) => e.id === branch[at].firstKeptEntryId);
	return [branch[at], ...(kept >= 0 ? branch.slice(kept, at) : []), ...branch.slice(at + 1)];
}

export function sessionEntryToContextMessages(entry) {
	const timestamp = Date.parse(entry.timestamp);
	switch (entry.type) {
		case "message": return [entry.message];
		case "custom_message": return [{ role: "custom", customType: entry.customType, content: entry.content, display: entry.display, details: entry.details, timestamp }];
		case "branch_summary": return entry.summary ? [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp }] : [];
		case "compaction": return [{ role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp }];
		default: return [];
	}
}

const branchIn = (entries, leafId, byId) => (leafId === null ? [] : branchOf(byId ?? byIdOf(entries), leafId ?? entries.at(-1)?.id));
export const buildContextEntries = (entries, leafId, byId) => contextOf(branchIn(entries, leafId, byId));

// buildSessionContext is what a model gets that goes on at an entry: the last one, if none is
// named.
export function buildSessionContext(entries, leafId, byId) {
	const branch = branchIn(entries, leafId, byId);
	let thinkingLevel = "off", model = null;
	for (const e of branch) {
		if (e.type === "thinking_level_change") ({ thinkingLevel } = e);
		else if (e.type === "model_change") model = { provider: e.provider, modelId: e.modelId };
		else if (e.type === "message" && e.message.role === "assistant") model = { provider: e.message.provider, modelId: e.message.model };
	}
	return { messages: contextOf(branch).flatMap(sessionEntryToContextMessages), thinkingLevel, model };
}

// treeOf hangs each entry below its parent.
export function treeOf(entries, labels) {
	const nodes = new Map(entries.map((entry) => [entry.id, { entry, children: [], label: labels.get(entry.id)?.label, labelTimestamp: labels.get(entry.id)?.timestamp }]));
	const roots = [];
	for (const node of nodes.values()) (nodes.get(node.entry.parentId)?.children ?? roots).push(node);
	return roots;
}

// labelsOf are the labels that hold at the end.
export function labelsOf(entries) {
	const labels = new Map();
	for (const e of entries) {
		if (e.type !== "label") continue;
		if (e.label) labels.set(e.targetId, { label: e.label, timestamp: e.timestamp });
		else labels.delete(e.targetId);
	}
	return labels;
}
