// Skills in folders, as texts for models.
import * as fs from "node:fs";
import * as path from "node:path";
import { createSyntheticSourceInfo } from "./source.js";
import { parseFrontmatter } from "./frontmatter.js";

function readSkill(file, source) {
	const { frontmatter } = parseFrontmatter(fs.readFileSync(file, "utf8"));
	const baseDir = path.dirname(file), folder = path.basename(baseDir);
	const name = frontmatter.name ?? (path.basename(file) === "SKILL.md" ? folder : path.basename(file, ".md"));
	return { name, description: frontmatter.description ?? "", filePath: file, baseDir, sourceInfo: createSyntheticSourceInfo(file, { source, baseDir }), disableModelInvocation: frontmatter["disable-model-invocation"] === true };
}

// loadSkillsFromDir finds SKILL.md in folders of any depth, and other files at the top.
export function loadSkillsFromDir({ dir, source = "path" }) {
	const skills = [], diagnostics = [];
	const add = (file) => {
		try {
			const skill = readSkill(file, source);
			if (skill.description) skills.push(skill);
			else diagnostics.push({ type: "warning", message: "description is required", path: file });
		} catch (error) {
			diagnostics.push({ type: "warning", message: error.message, path: file });
		}
	};
	const visit = (folder, top) => {
		let entries;
		try { entries = fs.readdirSync(folder, { withFileTypes: true }); } catch { return; }
		if (entries.some((e) => e.name === "SKILL.md")) return add(path.join(folder, "SKILL.md"));
		for (const entry of entries) {
			const full = path.join(folder, entry.name);
			if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
			const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && fs.statSync(full, { throwIfNoEntry: false })?.isDirectory());
			if (isFolder) visit(full, false);
			else if (top && entry.name.endsWith(".md")) add(full);
		}
		return undefined;
	};
	visit(dir, true);
	return { skills, diagnostics };
}

// loadSkills looks at the places of the user, of the project, and those that are named.
export function loadSkills({ cwd = process.cwd(), agentDir, skillPaths = [], includeDefaults = true } = {}) {
	const places = includeDefaults ? [[path.join(agentDir ?? "", "skills"), "user"], [path.join(cwd, ".pi", "skills"), "project"], [path.join(cwd, ".rondo", "skills"), "project"]].filter(([dir]) => path.isAbsolute(dir)) : [];
	const found = new Map(), diagnostics = [];
	for (const [dir, source] of [...places, ...skillPaths.map((p) => [path.resolve(cwd, p), "path"])]) {
		const info = fs.statSync(dir, { throwIfNoEntry: false });
		if (!info) continue;
		const loaded = info.isFile() ? { skills: [readSkill(dir, source)], diagnostics: [] } : loadSkillsFromDir({ dir, source });
		diagnostics.push(...loaded.diagnostics);
		for (const skill of loaded.skills) {
			if (found.has(skill.name)) diagnostics.push({ type: "collision", message: `the name ${skill.name} is taken`, path: skill.filePath });
			else found.set(skill.name, skill);
		}
	}
	return { skills: [...found.values()], diagnostics };
}

const escape = (text) => String(text).replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" })[c]);
export function formatSkillsForPrompt(skills) {
	const shown = skills.filter((s) => !s.disableModelInvocation);
	if (shown.length === 0) return "";
	const list = shown.map((s) => `  <skill>\n    <name>${escape(s.name)}</name>\n    <description>${escape(s.description)}</description>\n    <location>${escape(s.filePath)}</location>\n  </skill>`);
	return `\n\nThese skills tell how to do certain tasks. When one fits the task, read its file first. Paths in it are relative to its folder.\n\n<available_skills>\n${list.join("\n")}\n</available_skills>`;
}

// parseSkillBlock takes apart what a message begins with that names a skill.
export function parseSkillBlock(text) {
	const m = /^<skill name="([^"]*)" location="([^"]*)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/.exec(text);
	return m ? { name: m[1], location: m[2], content: m[3], userMessage: m[4]?.trim() || undefined } : null;
}
