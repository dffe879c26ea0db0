// The same extension as python-gate and go-gate, in TypeScript: it asks before dangerous
// commands are run, brings the tool word_count, and the command /todo TEXT, which keeps a line
// in the session and says how many there are.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

const dangerous = /\brm\s+-[a-z]*[rf]|\bsudo\b|\bmkfs\b|>\s*\/dev\/sd/;

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", async (event, ctx) => {
		if (event.toolName !== "bash" || !dangerous.test(event.input.command)) return;
		const choice = await ctx.ui.select(`Run this?\n\n  ${event.input.command}`, ["Yes", "No"]);
		if (choice !== "Yes") return { block: true, reason: "The user does not want this command to be run." };
	});

	pi.registerTool({
		name: "word_count",
		label: "Word count",
		description: "Count the words of a text.",
		parameters: Type.Object({ text: Type.String() }),
		async execute(_id, { text }) {
			const words = text.split(/\s+/).filter(Boolean).length;
			return { content: [{ type: "text", text: `${words} words` }], details: { words } };
		},
	});

	pi.registerCommand("todo", {
		description: "Keep a line in the session",
		handler: async (args, ctx) => {
			pi.appendEntry("todo", { text: args });
			const todo = ctx.sessionManager.getEntries().filter((e) => e.type === "custom" && e.customType === "todo");
			ctx.ui.notify(`${todo.length} on the list`, "info");
		},
	});
}
