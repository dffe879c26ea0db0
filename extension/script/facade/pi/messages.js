// Messages of the session as a model gets them, and as a text.
const user = (content, timestamp) => ({ role: "user", content: typeof content === "string" ? [{ type: "text", text: content }] : content, timestamp });

function ranCommand(m) {
	let text = `The user ran the command \`${m.command}\`\n\n\`\`\`\n${m.output === "" ? "(no output)" : m.output}\n\`\`\``;
	if (m.cancelled) text += "\n\nThe command was cancelled.";
	else if (m.exitCode !== undefined && m.exitCode !== null && m.exitCode !== 0) text += `\n\nThe command ended with exit code ${m.exitCode}.`;
	if (m.truncated && m.fullOutputPath) text += `\n\nThe whole output is in ${m.fullOutputPath}.`;
	return text;
}

export function convertToLlm(messages) {
	const out = [];
	for (const m of messages) {
		switch (m.role) {
			case "user":
			case "assistant":
			case "toolResult":
				out.push(m);
				break;
			case "custom":
				out.push(user(m.content, m.timestamp));
				break;
			case "bashExecution":
				if (!m.excludeFromContext) out.push(user(ranCommand(m), m.timestamp));
				break;
			case "branchSummary":
				out.push(user(`The conversation has come back from another branch, which is summed up here:\n\n<summary>\n${m.summary}\n</summary>`, m.timestamp));
				break;
			case "compactionSummary":
				out.push(user(`What was said before this point is summed up here:\n\n<summary>\n${m.summary}\n</summary>`, m.timestamp));
				break;
		}
	}
	return out;
}

const text = (content) => (typeof content === "string" ? content : content.filter((b) => b.type === "text").map((b) => b.text).join(""));
const longest = 2000;

export function serializeConversation(messages) {
	const parts = [];
	for (const m of messages) {
		if (m.role === "user") {
			const said = text(m.content);
			if (said) parts.push(`[User]: ${said}`);
		} else if (m.role === "toolResult") {
			const said = text(m.content);
			if (said) parts.push(`[Tool result]: ${said.length > longest ? `${said.slice(0, longest)}\n\n[... ${said.length - longest} more characters truncated]` : said}`);
		} else if (m.role === "assistant") {
			const thinking = m.content.filter((b) => b.type === "thinking").map((b) => b.thinking).join("\n");
			const said = m.content.filter((b) => b.type === "text").map((b) => b.text).join("\n");
			const calls = m.content.filter((b) => b.type === "toolCall").map((b) => `${b.name}(${Object.entries(b.arguments ?? {}).map(([k, v]) => `${k}=${JSON.stringify(v)}`).join(", ")})`).join("; ");
			if (thinking) parts.push(`[Assistant thinking]: ${thinking}`);
			if (said) parts.push(`[Assistant]: ${said}`);
			if (calls) parts.push(`[Assistant tool calls]: ${calls}`);
		}
	}
	return parts.join("\n\n");
}
