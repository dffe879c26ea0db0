package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// TestNodeHostExamples runs every example extension of Pi 0.85 in a session of our own, with
// the real runner: in Node, and in the engine. Whatever one registers is used: prompts and tool
// calls of a scripted model, commands, shortcuts, renderers and what it shows, which a person
// looks at and presses keys in. The table that -v shows says what each has registered, how many
// steps were seen, and how many of those of the engine are the same in Node.
//
// RONDO_EXAMPLES names the examples, or is "all"; what differs is shown for those that are named.
func TestNodeHostExamples(t *testing.T) {
	runtimeExamples(t, func(pi *piInstall) *script.Remote {
		return &script.Remote{Command: []string{pi.node, "--enable-source-maps"}}
	})
}

// TestBunHostExamples is the same in Bun.
func TestBunHostExamples(t *testing.T) {
	settings := bun(t)
	runtimeExamples(t, func(*piInstall) *script.Remote { return settings.Remote })
}

// moving are examples whose pictures change with time, or by chance.
var moving = []string{"border-status-editor", "overlay-qa-tests", "snake", "space-invaders"}

func runtimeExamples(t *testing.T, remote func(*piInstall) *script.Remote) {
	t.Helper()
	asked := strings.Fields(os.Getenv("RONDO_EXAMPLES"))
	if len(asked) == 0 {
		t.Skip("takes minutes, and Pi and Node from npm: make examples")
	}
	pi := installPi(t)
	var table strings.Builder
	loaded, all, same, steps := 0, 0, 0, 0
	for _, name := range pi.examples(t) {
		if !slices.Contains(asked, "all") && !slices.Contains(asked, name) {
			continue
		}
		there := play(t, pi, name, script.Settings{Remote: remote(pi)})
		here := play(t, pi, name, script.Settings{Cache: cacheDir})
		k, diff := compare(here.notes, there.notes)
		all++
		if there.failure == nil {
			loaded++
		}
		if here.failure == nil && !slices.Contains(moving, name) { // gondolin needs Node
			same, steps = same+k, steps+max(len(here.notes), len(there.notes))
		}
		fmt.Fprintf(&table, "%-28s %d tools, %2d commands, %4d steps, %4d of %-4d as in the engine  %v\n", name, there.tools, there.commands, len(there.notes), k, len(here.notes), there.failure)
		for _, failure := range there.failures {
			fmt.Fprintf(&table, "    %s\n", failure)
		}
		if !slices.Contains(asked, "all") {
			t.Logf("%s; Pi stands for the engine\n%s", name, diff)
		}
	}
	t.Logf("%d of %d examples run; %d of %d steps are those of the engine\n%s", loaded, all, same, steps, table.String())
	if loaded < all || same*100 < steps*95 {
		t.Errorf("%d of %d examples run, and %d of %d steps are the same; want all, and 95 %%", loaded, all, same, steps)
	}
}

// played is what an example has done.
type played struct {
	tools, commands int
	notes           []string
	failures        []string // reported, or of loading
	failure         error    // of loading
}

// play runs an example in a session.
func play(t *testing.T, pi *piInstall, name string, settings script.Settings) (p played) {
	t.Helper()
	t.Chdir(packageDir) // the example before has worked elsewhere
	cwd, home := exampleProject(t), exampleHome(t)
	resolving(t, home)
	for key, value := range exampleEnvironment(home) {
		t.Setenv(key, value)
	}
	t.Chdir(cwd)
	settings.Home, settings.Version, settings.Dir = filepath.Join(home, "agent"), examplesVersion, cwd
	a := &actor{hide: strings.NewReplacer(cwd, "<cwd>", home, "<home>")}
	r := extension.NewRunner(&extension.Options{
		CWD: cwd, Mode: extension.ModeTUI, UI: a, Deadline: time.Minute,
		Hosts: []extension.HostKind{{Suffixes: script.Suffixes, Open: script.Host(settings)}},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, err := range r.Load(ctx, extension.Source{Path: pi.file(name)}) {
		p.failure = err.Err
	}
	p.tools, p.commands = len(r.Tools()), len(r.Commands())
	s := openSession(t, cwd, r, a)
	if p.failure == nil {
		use(ctx, s, r, a)
	}
	a.others.Wait()
	if err := s.Close(context.WithoutCancel(ctx)); err != nil {
		a.note("closing failed: %v", err)
	}
	p.notes = a.notes()
	for _, note := range p.notes {
		if failure, ok := strings.CutPrefix(note, "failure "); ok {
			p.failures = append(p.failures, fmt.Sprintf("%.200s", failure))
		}
	}
	return p
}

// packageDir is where the tests begin.
var packageDir, _ = os.Getwd()

// resolving makes the conflicts that git tells of go away, as if the model had resolved them: an
// example asks for that until there are none.
func resolving(t *testing.T, home string) {
	t.Helper()
	git := filepath.Join(home, "bin", "git")
	raw, err := os.ReadFile(git)
	if err != nil {
		t.Fatal(err)
	}
	told := filepath.Join(home, "conflict-told")
	first, rest, _ := strings.Cut(string(raw), "\n")
	once := fmt.Sprintf("case \"$*\" in \"diff --name-only\"*) if [ -e '%[1]s' ]; then exit 0; fi; : > '%[1]s' ;; esac", told)
	if err := os.WriteFile(git, []byte(first+"\n"+once+"\n"+rest), 0o700); err != nil {
		t.Fatal(err)
	}
}

// openSession opens a session whose model calls each tool of the extensions once.
func openSession(t *testing.T, cwd string, r *extension.Runner, a *actor) *session.Session {
	t.Helper()
	replies := []scripted.Reply{scripted.Say("Hello. Plan:\n1. Read it all.\n2. Write a test.\n")}
	for i, tool := range r.Tools() {
		replies = append(replies, scripted.Of(scripted.Call(fmt.Sprintf("c%d", i), tool.Name, arguments(tool.Parameters.JSON()))))
	}
	replies = append(replies, scripted.Of(scripted.Call("bash", "bash", map[string]any{"command": "sudo echo hi"})))
	for range 50 {
		replies = append(replies, scripted.Say("Done."))
	}
	model := scripted.New(replies...)
	box := tools.Builtin(cwd, nil)
	s, err := session.New(memory.New(transcript.NewHeader(cwd)), &session.Options{
		CWD: cwd, Stream: model.Stream, Model: scripted.Record(), Extensions: r, Toolbox: box, Tools: tools.Tools(box),
		Program: session.Program{ProjectTrusted: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Attach(session.Frontend{UI: a, Mode: extension.ModeTUI, OnError: func(err *extension.Error) { a.note("failure %s: %v", err.Event, err.Err) }})
	return s
}

// use does with a session what a person does.
func use(ctx context.Context, s *session.Session, r *extension.Runner, a *actor) {
	s.Subscribe(func(e event.Event) {
		if e, ok := e.(*agent.ToolExecutionEnd); ok {
			a.note("tool %s: %v %.300s", e.ToolName, e.IsError, e.Result.Content.Text())
		}
	})
	s.Begin(ctx, extension.ReasonStartup, "")
	prompt := func(text string) {
		if _, err := s.Prompt(ctx, session.Prompt{Text: text}); err != nil {
			a.note("prompt %s: %v", text, err)
		}
		if err := s.Wait(ctx); err != nil {
			a.note("prompt %s does not settle: %v", text, err)
		}
	}
	prompt("hello there")
	prompt("use your tools")
	for _, c := range r.Commands() {
		prompt("/" + c.Invocation)
		prompt("/" + c.Invocation + " one 2")
	}
	for _, sc := range r.Shortcuts() {
		if err := r.RunShortcut(ctx, &sc); err != nil {
			a.note("shortcut %s: %v", sc.Key, err)
		}
	}
	if out, err := s.RunBash(ctx, session.BashCommand{Text: "echo hello"}); err != nil {
		a.note("bash: %v", err)
	} else {
		a.note("bash %q", out.Output)
	}
	for _, tool := range r.Tools() {
		render(a, tool)
	}
	for _, m := range s.Messages() {
		if c, ok := m.(*transcript.CustomMessage); ok {
			raw, err := json.Marshal(c)
			if shown := r.RenderMessage(c.CustomType, raw, true, a.Theme()); err == nil && shown != nil {
				a.note("message %s %q", c.CustomType, shown.Render(80))
			}
		}
	}
}

// render draws a call of a tool and its result.
func render(a *actor, tool extension.OwnedTool) {
	args, err := json.Marshal(arguments(tool.Parameters.JSON()))
	if err != nil {
		a.note("arguments of %s: %v", tool.Name, err)
	}
	rc := &extension.RenderContext{ToolCallID: "c1", Args: args, CWD: "/", State: map[string]any{}, Invalidate: func() {}, ArgsComplete: true}
	if tool.RenderCall != nil {
		if c := tool.RenderCall(args, a.Theme(), rc); c != nil {
			a.note("call of %s %q", tool.Name, c.Render(80))
		}
	}
	if tool.RenderResult != nil {
		result := &agent.ToolResult{Content: agent.TextResult("hello").Content}
		if c := tool.RenderResult(result, a.Theme(), rc); c != nil {
			a.note("result of %s %q", tool.Name, c.Render(80))
		}
	}
}
