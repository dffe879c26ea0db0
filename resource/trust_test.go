package resource_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/resource"
)

func (p *place) judge(dir string, opts resource.TrustOptions) resource.Verdict {
	p.t.Helper()
	v, err := p.open(dir).Judge(&opts)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

// decide writes trust.json with decisions about folders of the place.
func (p *place) decide(decisions map[string]string) {
	p.t.Helper()
	var list []string
	for dir, decision := range decisions {
		list = append(list, `"`+filepath.ToSlash(p.path(dir))+`": `+decision)
	}
	p.write("home/trust.json", "{"+strings.Join(list, ", ")+"}")
}

var yes, no = new(true), new(false)

func TestLaw_T1_TheFirstOfTheReasonsDecides(t *testing.T) {
	gated := map[string]string{"work/.rondo/settings.json": "{}"}
	plain := map[string]string{"work/AGENTS.md": "text", "work/.rondo/sessions/x": ""}
	asked := func(answer bool) func([]string) (bool, error) {
		return func([]string) (bool, error) { return answer, nil }
	}
	for _, test := range []struct {
		name    string
		files   map[string]string
		saved   map[string]string
		opts    resource.TrustOptions
		trusted bool
		reason  resource.Reason
	}{
		{"flag", gated, map[string]string{"work": "false"}, resource.TrustOptions{Flag: yes, Default: resource.TrustNever}, true, resource.ByFlag},
		{"flag says no", gated, map[string]string{"work": "true"}, resource.TrustOptions{Flag: no, Default: resource.TrustAlways}, false, resource.ByFlag},
		{"nothing gated", plain, nil, resource.TrustOptions{Default: resource.TrustNever}, true, resource.ByNothing},
		{"saved", gated, map[string]string{"work": "true"}, resource.TrustOptions{Default: resource.TrustNever}, true, resource.BySaved},
		{"saved no", gated, map[string]string{"work": "false"}, resource.TrustOptions{Default: resource.TrustAlways, Ask: asked(true)}, false, resource.BySaved},
		{"saved above", gated, map[string]string{".": "true"}, resource.TrustOptions{}, true, resource.BySaved},
		{"nearest", gated, map[string]string{".": "true", "work": "false"}, resource.TrustOptions{}, false, resource.BySaved},
		{"nearest yes", gated, map[string]string{".": "false", "work": "true"}, resource.TrustOptions{}, true, resource.BySaved},
		{"null is none", gated, map[string]string{".": "true", "work": "null"}, resource.TrustOptions{}, true, resource.BySaved},
		{"below does not count", gated, map[string]string{"work/sub": "true"}, resource.TrustOptions{}, false, resource.ByNobody},
		{"beside does not count", gated, map[string]string{"wor": "true", "work2": "true"}, resource.TrustOptions{}, false, resource.ByNobody},
		{"always", gated, nil, resource.TrustOptions{Default: resource.TrustAlways}, true, resource.ByDefault},
		{"never", gated, nil, resource.TrustOptions{Default: resource.TrustNever, Ask: asked(true)}, false, resource.ByDefault},
		{"asked", gated, nil, resource.TrustOptions{Default: resource.TrustAsk, Ask: asked(true)}, true, resource.ByAnswer},
		{"asked no", gated, nil, resource.TrustOptions{Ask: asked(false)}, false, resource.ByAnswer},
		{"nobody to ask", gated, nil, resource.TrustOptions{}, false, resource.ByNobody},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := files(t, test.files)
			if test.saved != nil {
				p.decide(test.saved)
			}
			if v := p.judge("work", test.opts); v.Trusted != test.trusted || v.Reason != test.reason {
				t.Errorf("%v by %s, want %v by %s", v.Trusted, v.Reason, test.trusted, test.reason)
			}
		})
	}
}

// TestASavedNoHoldsWithoutGatedFiles is about folders with nothing but AGENTS.md,
// which were trusted although the user had said no.
func TestASavedNoHoldsWithoutGatedFiles(t *testing.T) {
	p := files(t, map[string]string{"work/AGENTS.md": "text"})
	p.decide(map[string]string{"work": "false"})
	if v := p.judge("work", resource.TrustOptions{Default: resource.TrustAlways}); v.Trusted || v.Reason != resource.BySaved {
		t.Errorf("verdict is %+v", v)
	}
}

// TestNothingOfAProjectLoadsBeforeTheDecision gives a project all that a
// repository could bring along.
func TestNothingOfAProjectLoadsBeforeTheDecision(t *testing.T) {
	tree := map[string]string{"work/AGENTS.md": "is read", "work/.agents/skills/s/SKILL.md": skill("s", "x")}
	for _, folder := range []string{"work/.rondo/", "work/.pi/"} {
		for name, text := range map[string]string{
			"settings.json": `{"shellPath": "./evil"}`, "extensions/x.ts": "x", "skills/e/SKILL.md": skill("e", "x"), "prompts/p.md": "p", "themes/t.json": "{}",
			"SYSTEM.md": "evil", "APPEND_SYSTEM.md": "evil", "agent/settings.json": "{}",
		} {
			tree[folder+name] = text
		}
	}
	p := files(t, tree)
	v := p.judge("work", resource.TrustOptions{})
	if v.Trusted {
		t.Fatal("trusted")
	}
	p.want("gated", v.Gated,
		".rondo/settings.json", ".rondo/extensions", ".rondo/skills", ".rondo/prompts", ".rondo/themes", ".rondo/SYSTEM.md", ".rondo/APPEND_SYSTEM.md",
		".pi/settings.json", ".pi/extensions", ".pi/skills", ".pi/prompts", ".pi/themes", ".pi/SYSTEM.md", ".pi/APPEND_SYSTEM.md", ".agents/skills")
	set := p.load("work", resource.Options{Trusted: v.Trusted})
	p.want("context files", contexts(set), "work/AGENTS.md: is read")
	if set.System != "" || set.AppendSystem != "" || len(set.Commands()) > 0 {
		t.Errorf("set is %+v", set)
	}
}

// TestTrustFollowsLinks is about folders that are reached by a link from a place
// that is trusted, and the other way round.
func TestTrustFollowsLinks(t *testing.T) {
	p := files(t, map[string]string{
		"trusted/mine/.pi/settings.json": "{}", "trusted/link": "->../evil", "evil/.pi/settings.json": "{}", "way-in": "->trusted/mine",
	})
	p.decide(map[string]string{"trusted": "true"})
	for dir, want := range map[string]bool{"trusted/mine": true, "trusted/link": false, "trusted/mine/../link": false, "evil": false, "way-in": true} {
		if v := p.judge(dir, resource.TrustOptions{}); v.Trusted != want {
			t.Errorf("%s: %+v", dir, v)
		}
	}
}

func TestGated(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		dir   string
		want  []string
	}{
		{"nothing", map[string]string{"work/AGENTS.md": "x", "work/SYSTEM.md": "x", "work/skills/s/SKILL.md": "x"}, "work", nil},
		{"bare folders", map[string]string{"work/.pi/x": "x", "work/.rondo/sessions/x": "x", "work/.agents/x": "x"}, "work", nil},
		{"a file in the place of the folder", map[string]string{"work/.pi": "x", "work/.agents": "x"}, "work", nil},
		{"not those above", map[string]string{"work/.pi/settings.json": "{}", "work/sub/x": ""}, "work/sub", nil},
		{"skills above", map[string]string{"work/.agents/skills/x": "", "work/a/b/x": ""}, "work/a/b", []string{"../../.agents/skills"}},
		{"up to the top of a repository", map[string]string{"work/.agents/skills/x": "", "work/repo/.git": "gitdir: x", "work/repo/.agents/skills/x": "", "work/repo/a/x": ""}, "work/repo/a", []string{"../.agents/skills"}},
		{"a link that leads nowhere", map[string]string{"work/.pi/settings.json": "->nowhere"}, "work", []string{".pi/settings.json"}},
		{"not the user's own", map[string]string{"user/.agents/skills/x": "", "user/a/x": ""}, "user/a", nil},
		{"nor what is above the user", map[string]string{".agents/skills/x": "", "user/a/x": ""}, "user/a", []string{"../../.agents/skills"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := files(t, test.files)
			p.want("gated", p.open(test.dir).Gated(), test.want...)
		})
	}
}

// TestTheStateFolderIsNoProject is about working in the user's home folder, whose .rondo is
// the state folder.
func TestTheStateFolderIsNoProject(t *testing.T) {
	p := files(t, map[string]string{"user/.rondo/settings.json": "{}", "user/.rondo/SYSTEM.md": "mine", "user/.agents/skills/s/SKILL.md": skill("s", "x")})
	project, err := resource.Open(p.path("user"), p.path("user/.rondo"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := project.Judge(nil)
	if err != nil || !v.Trusted || v.Reason != resource.ByNothing || len(project.Settings()) > 0 {
		t.Errorf("%+v, %v, %v", v, err, project.Settings())
	}
	set, err := project.Load(&resource.Options{Trusted: true})
	if err != nil || set.System != "mine" || len(set.Skills) != 1 || set.Skills[0].Source.Scope != resource.User {
		t.Errorf("%+v, %v", set, err)
	}
}

func TestProjectSettings(t *testing.T) {
	p := files(t, map[string]string{"work/.pi/settings.json": "{}", "work/.rondo/settings.json": "{}", "work/sub/.pi/settings.json": "{}"})
	p.want("both, the weakest first", p.open("work").Settings(), "work/.pi/settings.json", "work/.rondo/settings.json")
	p.want("one", p.open("work/sub").Settings(), "work/sub/.pi/settings.json")
	p.want("none", p.open("user").Settings())
}

func TestRemember(t *testing.T) {
	p := files(t, map[string]string{"work/.pi/settings.json": "{}", "way-in": "->work"})
	p.decide(map[string]string{"other": "false", "none": "null"})
	if err := p.open("way-in").Remember(true); err != nil {
		t.Fatal(err)
	}
	if v := p.judge("work", resource.TrustOptions{}); !v.Trusted || v.Reason != resource.BySaved {
		t.Errorf("verdict is %+v", v)
	}
	data, err := os.ReadFile(p.path("home/trust.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("{\n  \"none\": null,\n  \"other\": false,\n  \"work\": true\n}\n", p.short(string(data))); diff != "" {
		t.Errorf("trust.json (-want +got):\n%s", diff)
	}
	fresh, err := resource.Open(p.path("work"), p.path("new/state"))
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Remember(false); err != nil {
		t.Fatal(err)
	}
	if v, err := fresh.Judge(nil); err != nil || v.Trusted || v.Reason != resource.BySaved {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestRememberTogether(t *testing.T) {
	p := files(t, nil)
	var saving sync.WaitGroup
	for i := range 8 {
		dir := fmt.Sprintf("work/%d", i)
		p.write(dir+"/x", "")
		project := p.open(dir)
		saving.Go(func() {
			if err := project.Remember(false); err != nil {
				t.Error(err)
			}
		})
	}
	saving.Wait()
	for i := range 8 {
		if v := p.judge(fmt.Sprintf("work/%d", i), resource.TrustOptions{}); v.Reason != resource.BySaved {
			t.Errorf("decision %d is lost: %+v", i, v)
		}
	}
}

func TestBrokenDecisionsAreNoDecision(t *testing.T) {
	for _, text := range []string{"{", `{"/": "yes"}`, "[]", `{"/": {}}`} {
		p := files(t, map[string]string{"work/.pi/settings.json": "{}", "home/trust.json": text})
		project := p.open("work")
		if v, err := project.Judge(nil); v.Trusted || err == nil || !strings.Contains(err.Error(), "trust.json") {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
		if err := project.Remember(true); err == nil {
			t.Errorf("%s: was overwritten", text)
		}
		if v, err := project.Judge(&resource.TrustOptions{Flag: yes}); err != nil || !v.Trusted {
			t.Errorf("%s: with a flag: %+v, %v", text, v, err)
		}
	}
}

func TestAskFails(t *testing.T) {
	p := files(t, map[string]string{"work/.pi/settings.json": "{}"})
	gone := errors.New("gone")
	v, err := p.open("work").Judge(&resource.TrustOptions{Ask: func(gated []string) (bool, error) {
		p.want("asked about", gated, ".pi/settings.json")
		return true, gone
	}})
	if v.Trusted || !errors.Is(err, gone) {
		t.Errorf("%+v, %v", v, err)
	}
}
