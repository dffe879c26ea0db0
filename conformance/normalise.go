package conformance

import (
	"maps"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// Trace is what counts of a recording, by facet: events, responses, other (lines that are
// no JSON), requests, sessions, files, exit, closed_early, problem.
type Trace map[string]any

// defaultFacets are compared unless the scenario names others.
var defaultFacets = []string{"events", "responses", "requests", "sessions", "files", "exit"}

// Normalise takes out of a recording what differs from run to run and what an
// implementation is free to choose.
func Normalise(rec *Recording) Trace {
	n := newNormaliser(rec)
	// Sessions come first, so that the names of ids do not depend on the interleaving of
	// the output.
	trace := Trace{"sessions": n.sessions()}
	events, responses, other := n.lines()
	trace["events"], trace["responses"], trace["other"] = events, responses, other
	trace["requests"] = n.requests()
	trace["files"], trace["exit"], trace["closed_early"] = rec.Files, rec.Exit, rec.ClosedEarly
	wanted := n.s.Compare
	if wanted == nil {
		wanted = defaultFacets
	}
	if len(other) > 0 {
		wanted = append(slices.Clip(wanted), "other")
	}
	maps.DeleteFunc(trace, func(facet string, _ any) bool { return !slices.Contains(wanted, facet) })
	if rec.Problem != "" {
		trace["problem"] = n.text(rec.Problem)
	}
	return trace
}

// normaliser holds what the rules have to know about a scenario and its recording.
type normaliser struct {
	s   *Scenario
	rec *Recording

	paths *strings.Replacer
	// ids and calls are the names given so far.
	ids, calls map[string]string

	// script holds all that the scenario itself says; what stands in it is kept.
	script string
	// scripted are the texts of the model's answers.
	scripted []string
	// said are all texts of the output.
	said map[string]bool
}

func newNormaliser(rec *Recording) *normaliser {
	n := &normaliser{
		s:      rec.scenario,
		rec:    rec,
		paths:  pathMarks(rec),
		ids:    map[string]string{},
		calls:  map[string]string{},
		script: scriptOf(rec.scenario),
		said:   map[string]bool{},
	}
	for _, reply := range rec.scenario.Replies {
		if reply.Text != nil && *reply.Text != "" {
			n.scripted = append(n.scripted, *reply.Text)
		}
	}
	for _, line := range rec.Lines {
		gather(line, n.said)
	}
	return n
}

// scriptOf is the scenario as one text in which to look for what it says, both as JSON
// and as it is.
func scriptOf(s *Scenario) string {
	members := ordered.Object{}
	for _, name := range []string{"replies", "extensions", "files", "home_files", "steps", "args", "stdin"} {
		members = members.With(name, s.raw.Get(name))
	}
	parts := append([]string{ordered.Spaced(members)}, s.Args...)
	for _, m := range s.raw.Object("extensions") {
		if text, ok := m.Value.(string); ok {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

func gather(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		if v != "" {
			into[v] = true
		}
	case []any:
		for _, x := range v {
			gather(x, into)
		}
	case ordered.Object:
		for _, m := range v {
			gather(m.Value, into)
		}
	}
}

func (n *normaliser) sessions() []any {
	sessions := []any{}
	for _, lines := range n.rec.Sessions {
		session := []any{}
		for _, line := range lines {
			if n.s.AnyVersion && line.Text("type") == "session" {
				line = line.Without("version")
			}
			session = append(session, n.walk(n.prose(line), ""))
		}
		sessions = append(sessions, session)
	}
	return sessions
}

func (n *normaliser) lines() (events, responses, other []any) {
	events, responses, other = []any{}, []any{}, []any{}
	for _, line := range n.rec.Lines {
		switch kind := line.Text("type"); {
		case kind == "response":
			responses = append(responses, n.walk(n.prose(ownCommands(line)), ""))
		case line.Has("unparsed"):
			other = append(other, n.walk(line, ""))
		case !slices.Contains(n.s.IgnoreEvents, kind):
			events = append(events, n.walk(n.prose(stableEvent(line)), ""))
		}
	}
	return events, responses, other
}

// stableEvent drops what a consumer must not rely on: the half-built message at its start
// and the running usage.
func stableEvent(e ordered.Object) ordered.Object {
	switch e.Text("type") {
	case "message_update":
		e = e.Without("usage", "message")
		if update := e.Object("assistantMessageEvent"); update != nil {
			e = e.With("assistantMessageEvent", update.Without("partial"))
		}
	case "extension_ui_request":
		e = e.Without("id")
	case "message_start":
		if message := e.Object("message"); message.Text("role") == "assistant" {
			e = e.With("message", message.Only("role", "api", "provider", "model"))
		}
	}
	return e
}

// ownCommands drops the commands that are built into a program from the answer to
// get_commands.
func ownCommands(response ordered.Object) ordered.Object {
	if response.Text("command") != "get_commands" || !ordered.Truthy(response.Get("success")) {
		return response
	}
	data := response.Object("data")
	all, _ := data.Get("commands").([]any)
	commands := []any{}
	for _, c := range all {
		command, _ := c.(ordered.Object)
		if !strings.HasPrefix(command.Object("sourceInfo").Text("path"), "<") {
			commands = append(commands, c)
		}
	}
	return response.With("data", data.With("commands", commands))
}
