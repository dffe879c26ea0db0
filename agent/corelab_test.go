package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/schema"
)

// The core lab plays a scenario against the kernel's API and records what happens. A
// scenario scripts the model, the tools, the hooks, the listeners and the caller.

type object = map[string]any

const (
	labTimeout = time.Minute
	labQuiet   = 15 * time.Millisecond
	labSlow    = 20 * time.Millisecond
)

// lab is one execution of a scenario.
type lab struct {
	t        *testing.T
	s        object
	next     bool // scenario of the newer edition
	scripted map[string]bool
	hidden   map[string]bool

	mu      sync.Mutex
	trace   []object
	marks   map[string]bool
	counts  map[string]int
	gates   map[string]chan struct{}
	entries []*driverEntry
	calls   map[string]bool // id of a caller's call: has its outcome
	late    map[string]func(*agent.ToolResult)
	held    []heldSet
	fault   string
	wake    chan struct{}

	tools       map[string]*agent.Tool
	listeners   []object
	unsubscribe map[string]func()
	handed      map[string]any // lists that were handed to the agent last

	agent   *agent.Agent
	cfg     *agent.LoopConfig
	base    agent.Context
	loopCtx context.Context
	abort   context.CancelCauseFunc
}

type driverEntry struct {
	at    []string
	do    []object
	fired bool
}

type heldSet struct {
	set []string
	was string
}

func newLab(t *testing.T, scenario object, next bool) *lab {
	l := &lab{
		t: t, s: scenario, next: next, scripted: map[string]bool{"ok": true, "aborted": true}, hidden: map[string]bool{},
		marks: map[string]bool{}, counts: map[string]int{}, gates: map[string]chan struct{}{}, calls: map[string]bool{},
		late: map[string]func(*agent.ToolResult){}, wake: make(chan struct{}, 1), tools: map[string]*agent.Tool{},
		unsubscribe: map[string]func(){}, handed: map[string]any{},
	}
	l.collect(scenario)
	for _, h := range list(scenario["hide"]) {
		l.hidden[h.(string)] = true
	}
	for _, e := range list(scenario["driver"]) {
		entry := &driverEntry{}
		for _, m := range flat(e.(object)["at"]) {
			entry.at = append(entry.at, m.(string))
		}
		for _, a := range list(e.(object)["do"]) {
			entry.do = append(entry.do, a.(object))
		}
		l.entries = append(l.entries, entry)
	}
	for _, spec := range list(scenario["tools"]) {
		l.tools[spec.(object)["name"].(string)] = l.tool(spec.(object))
	}
	if specs, ok := scenario["listeners"]; ok {
		for _, spec := range list(specs) {
			l.listeners = append(l.listeners, spec.(object))
		}
	} else {
		l.listeners = []object{{"name": "A"}}
	}
	return l
}

// collect gathers every string of the scenario.
func (l *lab) collect(v any) {
	switch v := v.(type) {
	case string:
		l.scripted[v] = true
	case []any:
		for _, x := range v {
			l.collect(x)
		}
	case object:
		for _, x := range v {
			l.collect(x)
		}
	}
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}

func flat(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

func (l *lab) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lab) rec(r object) object {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trace = append(l.trace, r)
	l.nudge()
	return r
}

func (l *lab) count(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[key]++
	return l.counts[key]
}

// hit makes a mark and performs the driver entries that waited for it, on the goroutine
// that made it.
func (l *lab) hit(mark string) {
	l.mu.Lock()
	l.marks[mark] = true
	var due []*driverEntry
	for _, e := range l.entries {
		if e.fired || slices.ContainsFunc(e.at, func(m string) bool { return !l.marks[m] }) {
			continue
		}
		e.fired = true
		due = append(due, e)
	}
	l.mu.Unlock()
	for _, e := range due {
		for _, a := range e.do {
			l.perform(a)
		}
	}
	l.nudge()
}

func (l *lab) gate(name string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gates[name] == nil {
		l.gates[name] = make(chan struct{})
	}
	return l.gates[name]
}

// pass waits at a gate; false if ctx, which may be nil, was done first.
func (l *lab) pass(name string, ctx context.Context) bool {
	gate := l.gate(name)
	select {
	case <-gate:
		return true
	default:
	}
	if ctx == nil {
		<-gate
		return true
	}
	select {
	case <-gate:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l *lab) release(name string) {
	gate := l.gate(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

// --- from beginning to end

func (l *lab) build() {
	var active []*agent.Tool
	if names, ok := l.s["activeTools"]; ok {
		active = l.named(names)
	} else {
		for _, spec := range list(l.s["tools"]) {
			active = append(active, l.tools[spec.(object)["name"].(string)])
		}
	}
	messages := toMessages(l.s["messages"])
	text := func(key string) string { v, _ := l.s[key].(string); return v }
	model := text("model")
	if model == "" {
		model = "m1"
	}
	thinking := ai.ThinkingLevel(text("thinking"))
	style := agent.TranscriptPlain
	if l.next {
		style = agent.TranscriptSelfContained
	}
	hooks := l.hooks()
	if api := text("api"); api == "loop" || api == "iterate" {
		l.loopCtx, l.abort = context.WithCancelCause(l.t.Context())
		l.base = agent.Context{SystemPrompt: text("system"), Messages: messages, Tools: active}
		l.cfg = &agent.LoopConfig{
			Model: labModel(model), Thinking: thinking, Stream: l.request, Hooks: hooks, Transcript: style,
			ToolExecution: agent.ExecutionMode(text("toolExecution")),
			Steering:      l.pollHook("getSteeringMessages"), FollowUps: l.pollHook("getFollowUpMessages"),
		}
		return
	}
	l.handed["messages"], l.handed["tools"] = messages, active
	l.agent = agent.New(l.request, &agent.Options{
		SystemPrompt: text("system"), Model: labModel(model), Thinking: thinking, Tools: active, Messages: messages,
		Hooks: hooks, ToolExecution: agent.ExecutionMode(text("toolExecution")), Transcript: style,
		SteeringMode: agent.QueueMode(text("steeringMode")), FollowUpMode: agent.QueueMode(text("followUpMode")),
	})
	for _, spec := range l.listeners {
		if spec["subscribed"] != false {
			l.subscribe(spec["name"].(string))
		}
	}
}

func (l *lab) run() ([]object, error) {
	l.build()
	l.hit("start")
	deadline := time.After(labTimeout)
	for !l.finished() {
		select {
		case <-l.wake:
		case <-deadline:
			return l.trace, errors.New(l.hung())
		}
	}
	time.Sleep(labQuiet)
	if l.fault != "" {
		return l.trace, errors.New(l.fault)
	}
	l.rec(l.final())
	return sortOutcomes(l.trace), nil
}

func (l *lab) finished() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if !e.fired {
			return false
		}
	}
	for _, done := range l.calls {
		if !done {
			return false
		}
	}
	return true
}

func (l *lab) hung() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missing []string
	for _, e := range l.entries {
		if !e.fired {
			missing = append(missing, fmt.Sprint(e.at))
		}
	}
	return fmt.Sprintf("not finished; calls %v; marks that never came: %s", l.calls, strings.Join(missing, " "))
}

func (l *lab) final() object {
	if l.agent == nil {
		out := object{"t": "final"}
		continued := strings.Contains(fmt.Sprint(l.s["driver"]), "continue:")
		if l.s["api"] == "loop" && !continued {
			out["caller"] = l.labels(l.base.Messages)
		}
		return out
	}
	st := l.agent.State()
	held := "unchanged"
	for _, h := range l.held {
		if strings.Join(h.set, ",") != h.was {
			held = "CHANGED"
		}
	}
	names := []any{}
	for _, t := range st.Tools {
		names = append(names, t.Name)
	}
	out := object{"t": "final", "messages": l.digests(st.Messages), "busy": st.Streaming, "tools": names, "queued": l.agent.Queued(), "heldSets": held}
	if len(st.PendingToolCalls) > 0 {
		out["pending"] = st.PendingToolCalls
	}
	if m := l.agent.StreamingMessage(); m != nil {
		out["streaming"] = l.digest(m, true)
	}
	if st.Error != "" {
		out["error"] = l.errorText(st.Error)
	}
	return out
}

// sortOutcomes sorts outcomes that follow one another directly by id: they may come in
// any order.
func sortOutcomes(trace []object) []object {
	for i := 0; i < len(trace); {
		j := i
		for j < len(trace) && trace[j]["t"] == "outcome" {
			j++
		}
		sort.SliceStable(trace[i:j], func(x, y int) bool {
			return trace[i+x]["id"].(string) < trace[i+y]["id"].(string)
		})
		i = max(j, i+1)
	}
	return trace
}

func labModel(ref string) *ai.Model {
	id, provider, found := strings.Cut(ref, "@")
	if !found {
		provider = "lab"
	}
	return &ai.Model{ID: id, Name: id, API: "lab", Provider: provider, Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 100000, MaxTokens: 1000}
}

func raw(v any) jsontext.Value {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func labSchema(v any) *schema.Schema {
	if v == nil {
		return nil
	}
	s, err := schema.Parse(raw(v))
	if err != nil {
		panic(err)
	}
	return s
}
