// The YAML at the beginning of a Markdown file.
import { host } from "rondo:host";

const fence = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;

export function parseFrontmatter(content) {
	const match = fence.exec(content);
	if (!match) return { frontmatter: {}, body: content.replace(/\r\n/g, "\n") };
	const parsed = host("yaml.parse", { text: match[1] });
	return { frontmatter: parsed !== null && typeof parsed === "object" ? parsed : {}, body: content.slice(match[0].length).replace(/\r\n/g, "\n").trim() };
}
export const stripFrontmatter = (content) => parseFrontmatter(content).body;
