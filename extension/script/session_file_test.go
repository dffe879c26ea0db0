package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// told runs statements in a handler of agent_start and returns what they tell.
func told(t *testing.T, settings script.Settings, imports, body string) string {
	t.Helper()
	s := newStage(t, settings, `import { `+imports+` } from "@earendil-works/pi-coding-agent";
import * as fs from "node:fs";
export default function (pi) {
  pi.on("agent_start", async (e, ctx) => { const tell = (...all) => ctx.ui.notify(all.map((v) => typeof v === "string" ? v : JSON.stringify(v) ?? "none").join(" "));
`+body+` });
}`)
	s.Emit(t.Context(), &extension.AgentStart{})
	if s.failures() != "" {
		t.Error(s.failures())
	}
	return s.all()
}

// Extensions make, read and branch session files of their own.
func TestSessionsOfScripts(t *testing.T) {
	home := t.TempDir()
	got := told(t, script.Settings{Home: home}, "SessionManager, buildSessionContext", `
const m = SessionManager.create("/work");
const u = m.appendMessage({ role: "user", content: "hi", timestamp: 1 });
tell(fs.existsSync(m.getSessionFile()), m.getSessionFile().startsWith(m.getSessionDir()));
const a = m.appendMessage({ role: "assistant", content: [{ type: "text", text: "yo" }], provider: "p", model: "m", timestamp: 2 });
m.appendLabelChange(u, "first");
m.appendSessionInfo("named");
tell(fs.readFileSync(m.getSessionFile(), "utf8").trim().split("\n").length, m.getSessionName(), m.getLabel(u));
m.branch(u);
const b = m.appendMessage({ role: "user", content: "other", timestamp: 3 });
m.appendCompaction("so far", b, 10);
tell(m.buildSessionContext().messages.map((x) => x.summary ?? x.content), buildSessionContext(m.getEntries(), a).model, m.getTree()[0].children.length);
const o = SessionManager.open(m.getSessionFile());
tell(o.getCwd(), o.getEntries().length === m.getEntries().length, (await SessionManager.list("/work")).map((s) => [s.name, s.messageCount, s.allMessagesText]));
const from = o.getSessionFile(), file = o.createBranchedSession(a);
tell(file === o.getSessionFile(), file !== from, o.getHeader().parentSession === from, o.getEntries().map((x) => x.type));
const f = SessionManager.forkFrom(file, "/elsewhere");
tell(f.getCwd(), f.getEntries().length, (await SessionManager.listAll()).length, SessionManager.continueRecent("/elsewhere").getSessionId() === f.getSessionId());
const none = SessionManager.inMemory("/m");
tell(none.getSessionFile(), none.isPersisted(), none.buildSessionContext());`)
	want := strings.Join([]string{
		"false true", "5 named first", `["so far","other"] {"provider":"p","modelId":"m"} 2`, `/work true [["named",3,"hi yo other"]]`,
		`true true true ["message","message","label"]`, "/elsewhere 3 3 true", `none false {"messages":[],"thinkingLevel":"off","model":null}`,
	}, "|")
	if got != want {
		t.Errorf("heard %s\nwant  %s", got, want)
	}
	if dirs, err := filepath.Glob(filepath.Join(home, "sessions", "--*--", "*.jsonl")); err != nil || len(dirs) != 3 {
		t.Error(dirs, err)
	}
}

func TestSettingsSkillsAndTextsOfScripts(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"settings.json": `{"theme":"dark","compaction":{"enabled":false},"extensions":["x"]}`, "skills/one/SKILL.md": "---\nname: one\ndescription: The <one>\n---\nBody\n",
		"skills/broken/SKILL.md": "no description",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := told(t, script.Settings{Home: home}, "SettingsManager, loadSkills, formatSkillsForPrompt, parseSkillBlock, generateDiffString, generateUnifiedPatch, resizeImage, getPackageDir, getDocsPath, shouldCompact, DEFAULT_COMPACTION_SETTINGS", `
const s = SettingsManager.create("/nowhere");
tell(s.getTheme(), s.getCompactionSettings(), s.getExtensionPaths(), s.getSteeringMode(), s.getDefaultModel());
s.setDefaultModelAndProvider("p", "m"); s.setCompactionEnabled(true);
tell(JSON.parse(fs.readFileSync("`+filepath.ToSlash(home)+`/settings.json", "utf8")), SettingsManager.inMemory({ a: 1 }).getGlobalSettings());
const { skills, diagnostics } = loadSkills({ agentDir: "`+filepath.ToSlash(home)+`", cwd: "/nowhere" });
tell(skills.map((x) => x.name), diagnostics.length, formatSkillsForPrompt(skills).includes("<description>The &lt;one&gt;</description>"));
tell(parseSkillBlock('<skill name="x" location="/f">\nbody\n</skill>\n\nargs'), parseSkillBlock("no"));
tell(generateDiffString("a\nb\n", "a\nc\n"), generateUnifiedPatch("x", "a\nb\n", "a\nc\n"));
tell(await resizeImage("bm8=", "image/png"), getDocsPath().startsWith(getPackageDir()), shouldCompact(90000, 100000, DEFAULT_COMPACTION_SETTINGS));`)
	want := strings.Join([]string{
		`dark {"enabled":false,"reserveTokens":16384,"keepRecentTokens":20000} ["x"] one-at-a-time none`,
		`{"theme":"dark","compaction":{"enabled":true},"extensions":["x"],"defaultProvider":"p","defaultModel":"m"} {"a":1}`,
		`["one"] 1 true`, `{"name":"x","location":"/f","content":"body","userMessage":"args"} null`,
		`{"diff":" 1 a\n-2 b\n+2 c","firstChangedLine":2} --- x` + "\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
		`null true true`,
	}, "|")
	if got != want {
		t.Errorf("heard %s\nwant  %s", got, want)
	}
}
