// What there is to see of a tool call, as the view of its tool says. It does what package toolview
// does for the other frontends, on the same cases (toolview/testdata/cases.json).

/** views say how the calls of each tool are shown, by its name (package toolview). */
let views = {};

/** setViews takes the views of a session's tools. */
export function setViews(of) { views = of ?? {}; }

const written = (v) => (v == null ? "" : typeof v === "string" ? v : JSON.stringify(v));

/** lines names the lines that a part asks for. */
function range(first, count) {
	first = typeof first === "number" && first > 0 ? first : 0;
	count = typeof count === "number" && count > 0 ? count : 0;
	if (count) return `${first || 1}-${(first || 1) + count - 1}`;
	return first ? `${first}-` : "";
}

function line(parts, args) {
	return (parts ?? []).filter((p) => !p.lines).map((p) => {
		const text = p.count ? range(args[p.arg], args[p.count]) : written(args[p.arg]);
		return text ? (p.before ?? "") + text + (p.after ?? "") : p.or ?? "";
	}).join("").trim();
}

/** input is the text of what a call is about to do, as its view says. */
function input(block, args) {
	if (!block) return "";
	if (block.kind !== "edits") return written(args[block.arg]);
	const edits = Array.isArray(args[block.arg]) ? [...args[block.arg], args] : [args];
	return edits.map((e) => mark("- ", written(e?.oldText)) + mark("+ ", written(e?.newText))).join("");
}

/** show says what there is to see of a call. */
export function show(name, given, result, failed) {
	const view = views[name] ?? views[name.toLowerCase()];
	if (!view) {
		const subject = Object.entries(given).map(([k, v]) => `${k}: ${written(v)}`).join(", ").slice(0, 300);
		return { generic: true, subject, notes: "", input: Object.keys(given).length ? { text: JSON.stringify(given, null, 2) } : null };
	}
	const args = { ...given };
	for (const [theirs, ours] of Object.entries(view.aliases ?? {})) args[ours] ??= args[theirs];
	const text = input(view.input, args);
	const out = { subject: line(view.subject, args), notes: line(view.notes, args), quiet: view.quiet, input: null, output: failed ? "" : view.output?.kind ?? "" };
	if (text && !(view.input.long && !text.trim().includes("\n"))) out.input = { kind: view.input.kind, text };
	if (out.output === "diff") {
		const diff = result?.details?.[view.output.detail];
		if (typeof diff === "string" && diff) out.input = { kind: "diff", text: diff };
		out.output = "note";
	}
	return out;
}

/** mark begins each line of a text with a sign. */
const mark = (sign, text) => (text ? text.replace(/\n$/, "").split("\n").map((l) => sign + l + "\n").join("") : "");
