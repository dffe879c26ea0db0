package session_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/tools"
)

// resources makes a set of what is in a state folder with these files.
func resources(t *testing.T, files map[string]string) (set *resource.Set, home string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	project, err := resource.Open(t.TempDir(), home)
	if err != nil {
		t.Fatal(err)
	}
	if set, err = project.Load(nil); err != nil {
		t.Fatal(err)
	}
	return set, home
}

// TestAllInputTakesOneWay is about steering and follow-ups that went past what
// prompts had to go through.
func TestAllInputTakesOneWay(t *testing.T) {
	set, _ := resources(t, map[string]string{
		"prompts/ask.md": "Ask $1.", "skills/count/SKILL.md": "---\nname: count\ndescription: d\n---\nUse wc.",
	})
	gate := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{held("one", gate), text("two"), text("three"), text("four")}}
	s := open(t, inMemory(), m, session.Options{Resources: set})
	l := record(s)
	activity, err := s.Start(session.Prompt{Text: "/ask first"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Text: "/ask steered"}, session.Steer); err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Text: "/skill:count later"}, session.FollowUp); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(session.Prompt{Text: "/ask again", WhileBusy: session.FollowUp}); err != nil {
		t.Fatal(err)
	}
	close(gate)
	if _, err := activity.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"user:Ask first.", "user:Ask steered.", "user:Ask again.", "queue_update[Ask steered.] []"} {
		if !strings.Contains(l.String(), want) {
			t.Errorf("events have no %s:\n%s", want, l)
		}
	}
	if !strings.Contains(l.String(), "user:<skill name=\"count\" location=\"") || !strings.Contains(l.String(), "Use wc.\n</skill>\n\nlater") {
		t.Errorf("events have no skill:\n%s", l)
	}
}

func TestVerbatimPromptsAreNotExpanded(t *testing.T) {
	set, _ := resources(t, map[string]string{"prompts/ask.md": "Ask $1."})
	s := open(t, inMemory(), &model{replies: []func(context.Context, *ai.Writer) error{text("ok")}}, session.Options{Resources: set})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "/ask me", Verbatim: true}); err != nil {
		t.Fatal(err)
	}
	if got := s.Messages()[0].(*ai.UserMessage).Content.Text(); got != "/ask me" {
		t.Errorf("message is %q", got)
	}
}

func TestPromptsOfUnreadableTemplatesAreRefused(t *testing.T) {
	set, home := resources(t, map[string]string{"prompts/ask.md": "Ask $1."})
	if err := os.Remove(filepath.Join(home, "prompts", "ask.md")); err != nil {
		t.Fatal(err)
	}
	m := &model{}
	s := open(t, inMemory(), m, session.Options{Resources: set})
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "/ask me"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	if err := s.Queue(session.Prompt{Text: "/ask me"}, session.Steer); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	if m.asked() > 0 || s.State().Pending > 0 || len(s.Messages()) > 0 {
		t.Error("something was sent or queued")
	}
}

func TestSetResources(t *testing.T) {
	before, _ := resources(t, map[string]string{"prompts/ask.md": "Ask $1."})
	after, _ := resources(t, map[string]string{"prompts/tell.md": "Tell $1."})
	m := &model{replies: []func(context.Context, *ai.Writer) error{text("ok"), text("ok")}}
	s := open(t, inMemory(), m, session.Options{Resources: before, SystemPrompt: "before"})
	names := func() string {
		var list []string
		for _, c := range s.Commands() {
			list = append(list, c.Name)
		}
		return strings.Join(list, " ")
	}
	if got := names(); got != "ask" {
		t.Errorf("commands are %s", got)
	}
	s.SetResources(after, "after")
	if got := names(); got != "tell" {
		t.Errorf("commands are %s", got)
	}
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "/tell me"}); err != nil {
		t.Fatal(err)
	}
	if got := m.requests[0].Context.SystemPrompt; got != "after" {
		t.Errorf("system prompt is %q", got)
	}
	s.SetResources(nil, "")
	if got := names(); got != "" {
		t.Errorf("commands are %s", got)
	}
}

func TestSystemPrompt(t *testing.T) {
	definition := func(name, snippet string, rules ...string) tools.Definition {
		return tools.Definition{Tool: &agent.Tool{Name: name}, Snippet: snippet, Guidelines: rules}
	}
	read, bash, write := definition("read", "Shows a file", "Look first."), definition("bash", "", "Be careful."), definition("write", "Writes")
	context := []resource.ContextFile{{Path: `/a/"b"/AGENTS.md`, Text: "\nRULE <1>\n\n"}, {Path: "/a/CLAUDE.md", Text: "RULE 2"}}
	skills := []*resource.Skill{{Name: "s<1>", Description: `Does "this" & that`, Path: "/s/SKILL.md"}, {Name: "quiet", Description: "Hidden one", Hidden: true, Path: "/q/SKILL.md"}}
	for _, test := range []struct {
		name          string
		prompt        session.SystemPrompt
		want, without []string // in this order
	}{
		{
			"all",
			session.SystemPrompt{Tools: []tools.Definition{read, bash, write}, Append: []string{"APPENDED", ""}, ContextFiles: context, Skills: skills, CWD: "/work/dir"},
			[]string{
				"- read: Shows a file", "- write: Writes", "Look first.", "Be careful.", "\n\nAPPENDED\n\n<project_context>\n",
				"<project_instructions path=\"/a/&quot;b&quot;/AGENTS.md\">\nRULE <1>\n</project_instructions>\n", "<project_instructions path=\"/a/CLAUDE.md\">\nRULE 2\n</project_instructions>\n", "</project_context>\n\n",
				"with read", "<available_skills>\n  <skill>\n    <name>s&lt;1&gt;</name>\n    <description>Does &quot;this&quot; &amp; that</description>\n    <location>/s/SKILL.md</location>\n  </skill>\n</available_skills>\n\nCurrent working directory: /work/dir",
			},
			[]string{"quiet", "Hidden one", "- bash"},
		},
		{
			"custom",
			session.SystemPrompt{Custom: "MINE", Tools: []tools.Definition{bash}, ContextFiles: context, Skills: skills, CWD: "/w"},
			[]string{"MINE", "RULE 2", "with bash", "<available_skills>", "Current working directory: /w"},
			[]string{"Tools:", "Guidelines", "Be careful."},
		},
		{"no reader", session.SystemPrompt{Tools: []tools.Definition{write}, Skills: skills}, []string{"- write"}, []string{"skills", "<project_context>"}},
		{"hidden alone", session.SystemPrompt{Tools: []tools.Definition{read}, Skills: skills[1:]}, nil, []string{"skills"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.prompt.String()
			rest := got
			for _, want := range test.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("no %q at its place in\n%s", want, got)
				}
				rest = after
			}
			for _, text := range test.without {
				if strings.Contains(got, text) {
					t.Errorf("%q is in\n%s", text, got)
				}
			}
		})
	}
}
