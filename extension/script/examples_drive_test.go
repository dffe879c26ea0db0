package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
	"github.com/rondo-agent/rondo/internal/term/palette"
	toolhost "github.com/rondo-agent/rondo/tools/host"
)

// trial is an example in our host: what testdata/examples/drive.js does with objects of its
// own, this does with a runner. It runs in a bubble of synctest: "nothing happens any more" is
// known there, and not guessed from the time.
type trial struct {
	*terminalPerson
	t       *testing.T
	waiting []chan struct{} // who wants to go on when nothing happens any more
}

// clock is the clock of testdata/examples/clock.js in the machine, which stage.js moves.
type clock struct {
	mu      sync.Mutex
	orders  chan order
	answers chan jsontext.Value
}

type order struct {
	What string `json:"what"`
	Arg  any    `json:"arg,omitzero"`
}

// op is the operation that stage.js waits for orders with, and answers the one before.
func (c *clock) op(ctx context.Context, answer jsontext.Value) (order, error) {
	if answer.Kind() == '{' {
		c.answers <- answer.Clone()
	}
	select {
	case o := <-c.orders:
		return o, nil
	case <-ctx.Done():
		return order{}, context.Cause(ctx)
	}
}

func (c *clock) ask(what string, arg, into any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.orders <- order{what, arg}
	answer := struct {
		Value any `json:"value"`
	}{into}
	if err := json.Unmarshal(<-c.answers, &answer, lax); err != nil {
		panic(fmt.Sprintf("%s: %v", what, err))
	}
}

func (c *clock) advance(ms int) { c.ask("advance", ms, nil) }

// next moves to the next timer; it says whether there was one.
func (c *clock) next() (moved bool) { c.ask("next", nil, &moved); return moved }

// runExample drives one example and returns its steps.
func runExample(t *testing.T, main, cwd, home, examples string, colors *palette.Palette) (lines []string, failure error) {
	session := &cannedSession{
		steps: &steps{places: strings.NewReplacer(examples, "<examples>", cwd, "<cwd>", home, "<home>")},
		cwd:   cwd, home: home, labels: map[string]string{}, active: builtin[:4], level: "medium",
	}
	p := &terminalPerson{cannedSession: session, colors: colors, turn: make(chan struct{}, 1), clock: &clock{orders: make(chan order), answers: make(chan jsontext.Value)}}
	tr := &trial{terminalPerson: p, t: t}
	p.quiet = func() { tr.wait(func(line []chan struct{}) int { return len(line) }) }
	session.answer = func() { tr.wait(func([]chan struct{}) int { return 0 }) } // before a component gets the next key
	settings := script.Settings{
		Cache: cacheDir, Home: filepath.Join(home, "agent"), Version: examplesVersion, Dir: cwd, Terminal: p,
		Log: func(line string) { session.note("console", line) },
		Ops: script.Table{"examples.order": script.Typed(p.clock.op)},
	}
	session.runner = extension.NewRunner(&extension.Options{
		CWD: cwd, Mode: extension.ModeTUI, UI: p,
		Hosts:   []extension.HostKind{{Suffixes: script.Suffixes, Open: script.Host(settings)}},
		OnError: func(err *extension.Error) { session.note("failed", err.Err) },
	})
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := session.runner.Close(ctx); err != nil {
			failure = errors.Join(failure, err)
		}
	}()
	for _, err := range session.runner.Load(t.Context(), extension.Source{Path: main}) {
		return nil, err.Err
	}
	session.note("loaded")
	p.clock.ask("canned", map[string]any{"cwd": cwd}, &session.canned)
	session.runner.Bind(session)
	tr.registrations()
	tr.run()
	return session.lines, nil
}

// wait returns when nothing happens any more.
func (tr *trial) wait(place func(line []chan struct{}) int) {
	ready := make(chan struct{})
	tr.mu.Lock()
	tr.waiting = slices.Insert(tr.waiting, place(tr.waiting), ready)
	tr.mu.Unlock()
	<-ready
}

// release lets the first one go on who waits.
func (tr *trial) release() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if len(tr.waiting) == 0 {
		return false
	}
	close(tr.waiting[0])
	tr.waiting = tr.waiting[1:]
	return true
}

// settle calls fn and waits for it, and moves the clock when nothing else happens. It reports
// whether fn has returned.
func (tr *trial) settle(fn func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); fn() }()
	for moved := 0; ; {
		synctest.Wait()
		select {
		case <-done:
			return true
		default:
		}
		if tr.release() {
			continue
		}
		if moved++; moved > 50 {
			return false
		}
		tr.clock.next()
	}
}

// perform is settle for what returns nothing. Failures are reported by the runner.
func (tr *trial) perform(label string, fn func(ctx context.Context) error) {
	var err error
	outcome := "never ended"
	if tr.settle(func() { err = fn(tr.t.Context()) }) {
		outcome = "returned"
		if err != nil {
			outcome = "failed"
		}
	}
	tr.note(label, outcome)
}

// registrations writes down what the factory has brought.
func (tr *trial) registrations() {
	r := tr.runner
	var kinds []string
	for name := range tr.canned.Events {
		if kind, ok := extension.KindOf(name); ok && r.Has(kind) {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	if kinds == nil {
		kinds = []string{}
	}
	tr.note("handles", kinds)
	for _, t := range r.Tools() {
		tr.known = append(tr.known, t.Tool)
		tr.note("tool", toolWords(t.Tool))
	}
	for _, c := range r.Commands() {
		tr.note("command", map[string]any{"name": c.Name, "description": c.Description, "completes": c.Completions != nil})
	}
	for _, s := range r.Shortcuts() {
		tr.note("shortcut", s.Key, s.Description)
	}
	for _, f := range r.Flags() {
		tr.note("flag", map[string]any{"name": f.Name, "description": f.Description, "default": f.Default})
	}
	r.Providers(func(name string, p *extension.Provider) { tr.note("provider", providerWords(name, p)) })
}

// eventOrder is the order in which events come, as in canned.js.
var eventOrder = []string{
	"session_info_changed", "session_before_switch", "session_before_fork", "session_before_tree", "session_before_compact",
	"session_compact", "session_tree", "context", "before_provider_request", "before_provider_headers", "after_provider_response",
	"before_agent_start", "agent_start", "turn_start", "message_start", "message_end", "tool_call", "tool_result", "turn_end",
	"agent_end", "agent_settled", "model_select", "thinking_level_select", "user_bash", "input",
}

func (tr *trial) run() {
	r := tr.runner
	for _, kind := range []string{"project_trust", "resources_discover", "session_start"} {
		tr.fire(kind)
	}
	tr.tryParts()
	for variant := range 3 {
		tr.variant.Store(int32(variant))
		for _, kind := range eventOrder {
			tr.fire(kind)
		}
		for _, c := range r.Commands() {
			tr.command(&c, variant)
		}
		for _, s := range r.Shortcuts() {
			tr.perform("shortcut "+s.Key, func(ctx context.Context) error { return r.RunShortcut(ctx, &s) })
		}
		tr.tools()
		tr.clock.advance(1000)
	}
	tr.variant.Store(0)
	tr.fire("session_start")
	tr.renderers()
	tr.tryParts()
	for _, c := range tr.parts {
		tr.show(c.label, c.Component, 80, 37)
		if c.Component == nil {
			continue
		}
		c.Invalidate()
		if d, ok := c.Component.(extension.Disposer); ok {
			d.Dispose()
		}
	}
	tr.fire("session_shutdown")
	var pending bool
	tr.clock.ask("pending", nil, &pending)
	tr.note("timers left", pending)
	files, err := filesIn(tr.cwd, "")
	if err != nil {
		tr.t.Error(err)
	}
	tr.note("files", files)
}

// filesIn returns what is in a folder: names and the beginnings of the contents.
func filesIn(dir, under string) (list [][]string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			more, err := filesIn(path, under+e.Name()+"/")
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list = append(list, []string{under + e.Name(), string(raw[:min(len(raw), 400)])})
	}
	return list, err
}

// fire sends the occurrences of an event.
func (tr *trial) fire(kind string) {
	if k, ok := extension.KindOf(kind); !ok || !tr.runner.Has(k) {
		tr.clock.advance(300)
		return
	}
	for i := range tr.canned.Events[kind] {
		raw := &tr.canned.Events[kind][i]
		var effect any
		if !tr.settle(func() { effect = tr.emit(tr.t.Context(), kind, raw) }) {
			tr.note("never ended")
		}
		if bash, ok := effect.(*extension.UserBashResult); ok && bash != nil {
			tr.note("event", kind, with(map[string]any{"operations": bash.Exec != nil}, some(map[string]any{"result": resultOf(bash)})))
			tr.userBash(bash, *raw)
			continue
		}
		tr.note("event", kind, effect)
	}
	tr.clock.advance(300)
}

func resultOf(b *extension.UserBashResult) jsontext.Value {
	if b.Result == nil {
		return nil
	}
	raw, _ := json.Marshal(b.Result, lax)
	return raw
}

func (tr *trial) userBash(b *extension.UserBashResult, event jsontext.Value) {
	if b.Exec == nil {
		return
	}
	e := read[extension.UserBash](event)
	if strings.HasPrefix(e.Command, "vim") {
		e.Command = "true"
	}
	var out strings.Builder
	var exit toolhost.Exit
	var err error
	tr.settle(func() {
		exit, err = b.Exec(tr.t.Context(), &toolhost.Command{Text: e.Command, Dir: tr.cwd, Timeout: 5 * time.Second}, func(p []byte) { out.Write(p) })
	})
	if err != nil {
		tr.note("user_bash", err, out.String())
		return
	}
	tr.note("user_bash", exit.Code, out.String())
}

// command runs a command as often as drive.js does.
func (tr *trial) command(c *extension.OwnedCommand, variant int) {
	if c.Completions != nil {
		for _, prefix := range []string{"", "a", "s"} {
			items := []extension.AutocompleteItem{}
			tr.settle(func() {
				if found, err := c.Completions(tr.t.Context(), prefix); err == nil && found != nil {
					items = found
				}
			})
			tr.note("completions "+c.Name, items)
		}
	}
	arguments := []string{"", "first words", "show", "list", "off", "3"}
	if variant > 0 {
		arguments = arguments[:2]
	}
	for _, args := range arguments {
		tr.mu.Lock()
		tr.shown = 0
		tr.mu.Unlock()
		tr.perform("command "+c.Name+" "+args, func(ctx context.Context) error { return tr.runner.RunCommand(ctx, c, args) })
		tr.clock.advance(250)
	}
}

func (tr *trial) tools() {
	for _, t := range tr.runner.Tools() {
		var calls []jsontext.Value
		tr.clock.ask("calls", t.Parameters.JSON(), &calls)
		for i, args := range calls {
			tr.tool(t.Tool, fmt.Sprintf("call_%d", i+1), args)
		}
	}
}

func (tr *trial) tool(t *extension.Tool, id string, args jsontext.Value) {
	ready := args
	if t.PrepareArguments != nil {
		var err error
		if ready, err = t.PrepareArguments(args); err != nil {
			tr.note("failed", err)
			return
		}
	}
	var mu sync.Mutex
	var updates []*agent.ToolResult
	var result *agent.ToolResult
	err := errors.New("never ended")
	call := agent.NewCall(id, t.Tool, ready, func(r *agent.ToolResult) { mu.Lock(); defer mu.Unlock(); updates = append(updates, r) })
	tr.settle(func() { result, err = t.Execute(tr.t.Context(), call) })
	if err != nil {
		tr.note("call "+t.Name, args, map[string]any{"error": map[string]any{"error": message(err)}})
	} else {
		tr.note("call "+t.Name, args, resultWords(result))
	}
	mu.Lock()
	defer mu.Unlock()
	tr.note("updates", len(updates) > 0)
	tr.rendered(t, id, ready, result, updates)
}

func (tr *trial) rendered(t *extension.Tool, id string, args jsontext.Value, result *agent.ToolResult, updates []*agent.ToolResult) {
	about := func() *extension.RenderContext {
		return &extension.RenderContext{ToolCallID: id, Args: args, CWD: tr.cwd, Invalidate: func() {}, ExecutionStarted: true, ArgsComplete: true}
	}
	if t.RenderCall != nil {
		tr.show("call "+t.Name, t.RenderCall(args, tr.Theme(), about()), 80, 37)
	}
	if t.RenderResult == nil || result == nil {
		return
	}
	for _, expanded := range []bool{false, true} {
		rc := about()
		rc.Expanded = expanded
		tr.show(fmt.Sprintf("result %s %v", t.Name, expanded), t.RenderResult(result, tr.Theme(), rc), 80, 37)
	}
	partial := &agent.ToolResult{Content: ai.TextContent("so far"), Details: result.Details}
	if len(updates) > 0 {
		partial = updates[0]
	}
	rc := about()
	rc.IsPartial = true
	tr.show("partial "+t.Name, t.RenderResult(partial, tr.Theme(), rc), 80, 37)
}

// read decodes a canned value.
func read[T any](raw jsontext.Value) *T {
	v := new(T)
	err := json.Unmarshal(raw, v, lax, json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readMessage[agent.Message]),
		json.UnmarshalFromFunc(readMessage[*ai.AssistantMessage]),
		json.UnmarshalFromFunc(readMessage[*ai.ToolResultMessage]),
	)))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", raw, err))
	}
	return v
}

func readMessage[M agent.Message](d *jsontext.Decoder, into *M) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	m, err := agent.DecodeMessage(raw.Clone())
	if err == nil {
		*into = m.(M)
	}
	return err
}
