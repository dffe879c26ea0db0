package resource_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/resource"
)

func TestContextFiles(t *testing.T) {
	p := files(t, map[string]string{
		"home/AGENTS.MD":               "global",
		"CLAUDE.md":                    "above",
		"work/AGENTS.md":               "top <&>",
		"work/CLAUDE.md":               "not this",
		"work/sub/AGENTS.override.md":  "override",
		"work/sub/AGENTS.md":           "not this",
		"work/sub/deep/AGENTS.md/file": "a folder",
		"work/sub/deep/CLAUDE.md":      "\ufeffdeep",
		"work/sub/deep/er/AGENTS.md":   " \n",
	})
	p.want("context files", contexts(p.load("work/sub/deep/er", resource.Options{})),
		"home/AGENTS.MD: global", "CLAUDE.md: above", "work/AGENTS.md: top <&>", "work/sub/AGENTS.override.md: override", "work/sub/deep/CLAUDE.md: deep")
	p.want("without them", contexts(p.load("work/sub", resource.Options{NoContextFiles: true})))
	p.want("in the state folder", contexts(p.load("home", resource.Options{})), "home/AGENTS.MD: global", "CLAUDE.md: above")
}

func TestContextFilesAreReadOnce(t *testing.T) {
	p := files(t, map[string]string{
		"work/AGENTS.md": "once", "work/sub/CLAUDE.md": "->../AGENTS.md", "work/sub/x/AGENTS.md": "once",
	})
	p.want("context files", contexts(p.load("work/sub/x", resource.Options{})), "work/AGENTS.md: once", "work/sub/x/AGENTS.md: once")
}

func TestContextFilesOfAWorktree(t *testing.T) {
	p := files(t, map[string]string{
		"AGENTS.md":                         "outside",
		"work/.git/HEAD":                    "ref: refs/heads/main\n",
		"work/.git/worktrees/wt/commondir":  "../..\n",
		"work/AGENTS.md":                    "main",
		"work/sub/AGENTS.md":                "main sub",
		"work/sub/wt/AGENTS.md":             "worktree",
		"work/sub/wt/sub/AGENTS.md":         "worktree sub",
		"work/other/.git":                   "gitdir: nowhere\n",
		"work/other/AGENTS.md":              "other",
		"work/module/.git":                  "gitdir: ../.git/modules/m\n",
		"work/.git/modules/m/HEAD":          "x",
		"work/module/AGENTS.md":             "module",
		"work/sub/wt/named/CLAUDE.md":       "named",
		"work/sub/wt/override/x/AGENTS.md":  "x",
		"work/.git/worktrees/wt/HEAD":       "ref: refs/heads/wt\n",
		"work/.git/worktrees/wt/gitdir":     "ignored\n",
		"work/.git/worktrees/none/README.x": "",
	})
	p.write("work/sub/wt/.git", "gitdir: "+p.path("work/.git/worktrees/wt")+"\n")
	p.want("at the top", contexts(p.load("work/sub/wt", resource.Options{})),
		"AGENTS.md: outside", "work/sub/AGENTS.md: main sub", "work/sub/wt/AGENTS.md: worktree")
	p.want("below", contexts(p.load("work/sub/wt/sub", resource.Options{})),
		"AGENTS.md: outside", "work/sub/wt/AGENTS.md: worktree", "work/sub/wt/sub/AGENTS.md: worktree sub")
	p.want("broken", contexts(p.load("work/other", resource.Options{})), "AGENTS.md: outside", "work/AGENTS.md: main", "work/other/AGENTS.md: other")
	p.want("submodule", contexts(p.load("work/module", resource.Options{})), "AGENTS.md: outside", "work/AGENTS.md: main", "work/module/AGENTS.md: module")
}

func TestSystemFiles(t *testing.T) {
	tree := map[string]string{
		"home/SYSTEM.md": "home", "home/APPEND_SYSTEM.md": "home more",
		"work/.pi/SYSTEM.md": "pi", "work/.pi/APPEND_SYSTEM.md": "pi more", "work/.rondo/SYSTEM.md": "rondo",
	}
	p := files(t, tree)
	for _, test := range []struct {
		dir            string
		trusted        bool
		system, append string
	}{
		{"work", true, "rondo", "pi more"},
		{"work", false, "home", "home more"},
		{"user", true, "home", "home more"},
	} {
		set := p.load(test.dir, resource.Options{Trusted: test.trusted})
		if set.System != test.system || set.AppendSystem != test.append {
			t.Errorf("%s, trusted %v: %q and %q", test.dir, test.trusted, set.System, set.AppendSystem)
		}
	}
}

func TestSkillsAreFound(t *testing.T) {
	p := files(t, map[string]string{
		"home/skills/count/SKILL.md":              skill("count", "counts"),
		"home/skills/count/inner/SKILL.md":        skill("inner", "is part of count"),
		"home/skills/count/notes.md":              skill("notes", "is part of count"),
		"home/skills/group/nested/SKILL.md":       skill("nested", "lies deeper"),
		"home/skills/group/loose.md":              skill("loose", "is no skill here"),
		"home/skills/single.md":                   skill("single", "has one file"),
		"home/skills/README.md":                   "# About",
		"home/skills/nameless.md":                 "---\ndescription: has the name of the file\n---\n",
		"home/skills/unnamed/SKILL.md":            "---\ndescription: has the name of the folder\n---\n",
		"home/skills/.hidden/SKILL.md":            skill("hidden", "is hidden"),
		"home/skills/node_modules/x/SKILL.md":     skill("module", "is a module"),
		"home/skills/.gitignore":                  "ignored/\n",
		"home/skills/ignored/SKILL.md":            skill("ignored", "is ignored"),
		"home/skills/group/.fdignore":             "/left-out\n",
		"home/skills/group/left-out/SKILL.md":     skill("left-out", "is ignored"),
		"user/.agents/skills/mine/SKILL.md":       skill("mine", "is the user's"),
		"user/.agents/skills/root.md":             skill("root", "does not count here"),
		"user/.agents/skills/group/grouped.md":    skill("grouped", "counts here"),
		"user/.agents/skills/group/no-skill.md":   "just text",
		"work/.agents/skills/ours/SKILL.md":       skill("ours", "is the project's"),
		"work/.rondo/skills/rondos/SKILL.md":      skill("rondos", "is the project's"),
		"work/.pi/skills/pis/SKILL.md":            skill("pis", "is the project's"),
		"work/repo/.git/HEAD":                     "",
		"work/repo/.agents/skills/top/SKILL.md":   skill("top", "is the repository's"),
		"work/repo/a/.agents/skills/a/SKILL.md":   skill("a", "is deeper"),
		"work/repo/a/.rondo/prompts/not-here.txt": "",
	})
	user := []string{
		"count: home/skills/count/SKILL.md", "nested: home/skills/group/nested/SKILL.md", "nameless: home/skills/nameless.md",
		"single: home/skills/single.md", "unnamed: home/skills/unnamed/SKILL.md",
		"grouped: user/.agents/skills/group/grouped.md", "mine: user/.agents/skills/mine/SKILL.md",
	}
	set := p.load("work", resource.Options{})
	p.want("skills of the user", skills(set), user...)
	p.want("problems", p.problems(set))
	p.want("skills of a project", skills(p.load("work", resource.Options{Trusted: true})), append([]string{
		"rondos: work/.rondo/skills/rondos/SKILL.md", "pis: work/.pi/skills/pis/SKILL.md", "ours: work/.agents/skills/ours/SKILL.md",
	}, user...)...)
	p.want("skills up to the repository's top", skills(p.load("work/repo/a", resource.Options{Trusted: true})), append([]string{
		"a: work/repo/a/.agents/skills/a/SKILL.md", "top: work/repo/.agents/skills/top/SKILL.md",
	}, user...)...)
	p.want("no skills", skills(p.load("work", resource.Options{Trusted: true, NoSkills: true})))
}

func TestSkillFields(t *testing.T) {
	p := files(t, map[string]string{"home/skills/full/SKILL.md": strings.ReplaceAll(`---
name: full
description: >
  Two lines
  of text.
license: MIT
compatibility: Needs git
allowed-tools: Bash(git:*) Read
metadata:
  author: me
  version: 1.5
disable-model-invocation: true
unknown: [1, 2]
---
Body
`, "\n", "\r\n")})
	want := []*resource.Skill{{
		Name: "full", Description: "Two lines of text.", Path: p.path("home/skills/full/SKILL.md"), Hidden: true,
		License: "MIT", Compatibility: "Needs git", AllowedTools: []string{"Bash(git:*)", "Read"}, Metadata: map[string]string{"author": "me", "version": "1.5"},
		Source: resource.Source{Path: p.path("home/skills/full/SKILL.md"), Kind: resource.Auto, Scope: resource.User, BaseDir: p.path("home")},
	}}
	if diff := cmp.Diff(want, p.load("work", resource.Options{}).Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
}

func TestSkillsThatAreWrong(t *testing.T) {
	p := files(t, map[string]string{
		"home/skills/a-plain/SKILL.md":  "no frontmatter",
		"home/skills/b-nodesc/SKILL.md": "---\nname: nodesc\n---\n",
		"home/skills/c-yaml/SKILL.md":   "---\nname: yaml\ndescription: Use this: now\n---\n",
		"home/skills/d-open/SKILL.md":   "---\nname: open\ndescription: x\n",
		"home/skills/e-list/SKILL.md":   "---\n- a\n---\n",
		"home/skills/f-caps/SKILL.md":   skill("Has_Caps", "counts all the same"),
		"home/skills/g-long/SKILL.md":   skill(strings.Repeat("n", 65), strings.Repeat("d", 1025)),
		"home/skills/h-empty/SKILL.md":  "---\n---\n",
		"home/skills/broken.md":         "---\nname: [\n---\n",
	})
	set := p.load("work", resource.Options{})
	p.want("skills", skills(set), "Has_Caps: home/skills/f-caps/SKILL.md", strings.Repeat("n", 65)+": home/skills/g-long/SKILL.md")
	p.want("problems", p.problems(set),
		"home/skills/a-plain/SKILL.md is left out: a skill needs a description in its frontmatter",
		"home/skills/b-nodesc/SKILL.md is left out: a skill needs a description in its frontmatter",
		"home/skills/c-yaml/SKILL.md has frontmatter that is not valid YAML: line 3: mapping values are not allowed in this context; a value with a colon or other special characters needs quotes",
		"home/skills/d-open/SKILL.md begins with --- but has no second line --- behind the fields; add it",
		"home/skills/e-list/SKILL.md has frontmatter without fields; write them as name: value, a line each",
		`home/skills/f-caps/SKILL.md has the name "Has_Caps"; the Agent Skills standard allows small letters, digits, and single hyphens between them`,
		"home/skills/g-long/SKILL.md has a name of 65 characters; the Agent Skills standard allows 64",
		"home/skills/g-long/SKILL.md has a description of 1025 characters; the Agent Skills standard allows 1024",
		"home/skills/h-empty/SKILL.md is left out: a skill needs a description in its frontmatter",
	)
}

// TestTheFirstNameCounts checks the order of the places: flags, then the project before the
// user, and settings before folders that are searched.
func TestTheFirstNameCounts(t *testing.T) {
	p := files(t, map[string]string{
		"flag/s/SKILL.md": skill("s", "x"), "work/.pi/listed/s/SKILL.md": skill("s", "x"), "work/.rondo/skills/s/SKILL.md": skill("s", "x"),
		"work/.pi/skills/s/SKILL.md": skill("s", "x"), "work/.agents/skills/s/SKILL.md": skill("s", "x"), "home/listed/s/SKILL.md": skill("s", "x"),
		"home/skills/s/SKILL.md": skill("s", "x"), "user/.agents/skills/s/SKILL.md": skill("s", "x"), "home/skills/other/SKILL.md": skill("other", "x"),
	})
	opts := resource.Options{Trusted: true, Skills: []string{p.path("flag")}, Lists: []resource.List{
		{Dir: p.path("work/.pi"), Project: true, Skills: []string{"listed"}}, {Dir: p.path("home"), Skills: []string{"./listed"}},
	}}
	set := p.load("work", opts)
	p.want("skills", skills(set), "other: home/skills/other/SKILL.md", "s: flag/s/SKILL.md")
	var order []string
	for _, problem := range set.Problems {
		order = append(order, problem.Path)
		if !strings.HasSuffix(p.short(problem.Text), "is left out: the skill s is taken from flag/s/SKILL.md") {
			t.Errorf("problem %s", problem)
		}
	}
	p.want("order", order, "work/.pi/listed/s/SKILL.md", "work/.rondo/skills/s/SKILL.md", "work/.pi/skills/s/SKILL.md", "work/.agents/skills/s/SKILL.md",
		"home/listed/s/SKILL.md", "home/skills/s/SKILL.md", "user/.agents/skills/s/SKILL.md")
}

func TestLinksAreFollowed(t *testing.T) {
	p := files(t, map[string]string{
		"elsewhere/s/SKILL.md":   skill("s", "x"),
		"home/skills/one":        "->../../elsewhere/s",
		"home/skills/round":      "->../skills",
		"home/skills/two":        "->../../elsewhere",
		"home/skills/broken":     "->nowhere",
		"home/prompts/linked.md": "->../text.md",
		"home/text.md":           "text",
	})
	set := p.load("work", resource.Options{})
	p.want("skills", skills(set), "s: home/skills/one/SKILL.md")
	p.want("templates", templates(set), "linked: home/prompts/linked.md")
	p.want("problems", p.problems(set))
}

func TestTemplatesAreFound(t *testing.T) {
	p := files(t, map[string]string{
		"home/prompts/a.b.md":         "dots",
		"home/prompts/deep/deeper.md": "is not searched",
		"home/prompts/empty.md":       "---\ndescription: x\n---\n\n",
		"home/prompts/.hidden.md":     "hidden",
		"home/prompts/notes.txt":      "text",
		"home/prompts/ignored.md":     "ignored",
		"home/prompts/.ignore":        "ignored.md",
		"home/prompts/broken.md":      "---\ndescription: [\n---\nx",
		"home/listed/one.md":          "one",
		"home/listed/deep/two.md":     "two",
		"work/.pi/prompts/project.md": "project",
		"flag/f.md":                   "flag",
		"flag/deep/not.md":            "is not searched",
		"flag.md":                     "flag",
	})
	lists := []resource.List{{Dir: p.path("home"), Prompts: []string{"listed"}}}
	set := p.load("work", resource.Options{Lists: lists})
	p.want("templates", templates(set), "two: home/listed/deep/two.md", "one: home/listed/one.md", "a.b: home/prompts/a.b.md")
	p.want("problems", p.problems(set),
		"home/prompts/broken.md has frontmatter that is not valid YAML: line 2: did not find expected node content; a value with a colon or other special characters needs quotes",
		"home/prompts/empty.md is left out: a template needs a text")
	p.want("of a project", templates(p.load("work", resource.Options{Trusted: true}))[:1], "project: work/.pi/prompts/project.md")
	p.want("of flags alone", templates(p.load("work", resource.Options{NoTemplates: true, Templates: []string{"../flag", p.path("flag.md")}})),
		"f: flag/f.md", "flag: flag.md")
}

func TestTemplateDescriptions(t *testing.T) {
	p := files(t, map[string]string{
		"home/prompts/a.md": "---\ndescription: \" said \"\nargument-hint: <FILE>\n---\nx",
		"home/prompts/b.md": "\n\n  # The first line  \nmore",
		"home/prompts/c.md": strings.Repeat("é", 60),
		"home/prompts/d.md": strings.Repeat("é", 61),
		"home/prompts/e.md": "---\nargument-hint: x\n---\n\nBody",
	})
	var got []string
	for _, c := range p.load("work", resource.Options{}).Commands() {
		got = append(got, strings.TrimSpace(c.Name+": "+c.Description+" "+c.ArgumentHint))
	}
	p.want("commands", got, "a: said <FILE>", "b: # The first line", "c: "+strings.Repeat("é", 60), "d: "+strings.Repeat("é", 60)+"...", "e: Body x")
}

func TestListsFilter(t *testing.T) {
	tree := map[string]string{
		"home/skills/s/SKILL.md": skill("s", "x"), "home/skills/t/SKILL.md": skill("t", "x"), "home/skills/u.md": skill("u", "x"),
		"user/.agents/skills/v/SKILL.md": skill("v", "x"), "home/more/w/SKILL.md": skill("w", "x"),
		"work/.rondo/skills/project/SKILL.md": skill("project", "x"),
	}
	for _, test := range []struct {
		entries []string
		want    string
	}{
		{nil, "project s t u v"},
		{[]string{"more"}, "project w s t u v"},
		{[]string{"~/.agents/skills/v", "more/w/SKILL.md"}, "project v w s t u"},
		{[]string{"!t"}, "project s u v"},
		{[]string{"!skills/t", "!u.md"}, "project s v"},
		{[]string{"!**/s/**", "!v"}, "project t u"},
		{[]string{"more", "!w"}, "project s t u v"},
		{[]string{"!skills/*"}, "project"},
		{[]string{"!*", "+skills/t"}, "project t"},
		{[]string{"!*", "+skills/u.md", "+more/w/SKILL.md", "more"}, "project w u"},
		{[]string{"-skills/s", "-skills/t/SKILL.md", "+skills/s"}, "project u v"},
		{[]string{"-s", "-u.md"}, "project s t u v"},
		{[]string{"!project"}, "project s t u v"}, // the user's filters are for the user's own
		{[]string{"!./skills/s", ""}, "project t u v"},
	} {
		p := files(t, tree)
		set := p.load("work", resource.Options{Trusted: true, Lists: []resource.List{{Dir: p.path("home"), Skills: test.entries}}})
		var names []string
		for _, s := range set.Skills {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%q: %s, want %s", test.entries, got, test.want)
		}
	}
}

func TestListsOfAProjectNeedTrust(t *testing.T) {
	p := files(t, map[string]string{"work/.pi/more/s/SKILL.md": skill("s", "x"), "work/.pi/more/t.md": "t"})
	lists := []resource.List{{Dir: p.path("work/.pi"), Project: true, Skills: []string{"more"}, Prompts: []string{"more/t.md", "missing"}}}
	set := p.load("work", resource.Options{Lists: lists})
	if len(set.Skills)+len(set.Templates)+len(set.Problems) > 0 {
		t.Errorf("not trusted: %+v", set)
	}
	set = p.load("work", resource.Options{Lists: lists, Trusted: true})
	p.want("skills", skills(set), "s: work/.pi/more/s/SKILL.md")
	p.want("templates", templates(set), "t: work/.pi/more/t.md")
	p.want("problems", p.problems(set), "work/.pi/missing does not exist")
}

func TestFlagsThatNameNothing(t *testing.T) {
	p := files(t, nil)
	for _, opts := range []resource.Options{{Skills: []string{"none"}}, {Templates: []string{"none.md"}}} {
		_, err := p.open("work").Load(&opts)
		if err == nil || !strings.Contains(err.Error(), " none") || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("error is %v", err)
		}
	}
	if _, err := p.open("work").Load(&resource.Options{Skills: []string{""}}); err == nil || !strings.Contains(err.Error(), "--skill is empty") {
		t.Errorf("error is %v", err)
	}
}

func TestSources(t *testing.T) {
	p := files(t, map[string]string{
		"home/prompts/a.md": "a", "home/listed.md": "l", "work/.pi/prompts/b.md": "b", "work/.agents/skills/c/SKILL.md": skill("c", "x"),
		"flag/s/SKILL.md": skill("s", "x"), "flag/t.md": "t",
	})
	set := p.load("work", resource.Options{Trusted: true, Skills: []string{"../flag"}, Templates: []string{"../flag/t.md"}, Lists: []resource.List{{Dir: p.path("home"), Prompts: []string{"listed.md"}}}})
	var got []string
	for _, c := range set.Commands() {
		got = append(got, strings.Join([]string{c.Name, c.Kind, c.Source.Kind, string(c.Source.Scope), p.short(c.Source.Path), p.short(c.Source.BaseDir)}, " "))
	}
	p.want("commands", got,
		"b prompt auto project work/.pi/prompts/b.md work/.pi",
		"listed prompt local user home/listed.md ",
		"a prompt auto user home/prompts/a.md home",
		"t prompt local temporary flag/t.md flag",
		"skill:c skill auto project work/.agents/skills/c/SKILL.md work/.agents",
		"skill:s skill local temporary flag/s/SKILL.md flag/s",
	)
}

func TestSpecialFilesAreLeftAlone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/zero")
	}
	p := files(t, map[string]string{
		"home/SYSTEM.md": "->/dev/zero", "home/AGENTS.md": "->/dev/zero", "home/skills/s/SKILL.md": "->/dev/zero", "home/prompts/p.md": "->/dev/zero",
		"work/AGENTS.md": strings.Repeat("long ", 1<<18),
	})
	set := p.load("work", resource.Options{})
	p.want("problems", p.problems(set), "work/AGENTS.md is longer than 1 MiB, which is too much for a model; shorten it", "home/SYSTEM.md is not a regular file")
	if len(set.ContextFiles)+len(set.Skills)+len(set.Templates) > 0 || set.System != "" {
		t.Errorf("set is %+v", set)
	}
}

func TestTooManyFoldersAreNotSearched(t *testing.T) {
	p := files(t, nil)
	for i := range 90 {
		for j := range 50 {
			if err := os.MkdirAll(p.path("home/skills/d"+string(rune('!'+i))+"/e"+string(rune('0'+j))), 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	set := p.load("work", resource.Options{})
	if len(set.Problems) != 1 || !strings.Contains(set.Problems[0].Text, "too many folders") {
		t.Errorf("problems are %v", set.Problems)
	}
}

func TestNilSetExpandsNothing(t *testing.T) {
	var set *resource.Set
	if text, err := set.Expand("/x y"); text != "/x y" || err != nil || set.Commands() != nil {
		t.Errorf("%q, %v, %v", text, err, set.Commands())
	}
}

func TestOpenNeedsAFolder(t *testing.T) {
	p := files(t, nil)
	if _, err := resource.Open(p.path("none"), p.path("home")); err == nil {
		t.Error("no error")
	}
	project, err := resource.Open(p.path("work"), p.path("none"))
	if err != nil || project.Dir() != p.path("work") {
		t.Errorf("%v, %v", project, err)
	}
	if set, err := project.Load(nil); err != nil || len(set.Skills) > 0 || slices.Contains(project.Gated(), "x") {
		t.Errorf("%v, %v", set, err)
	}
}
