package agent

import (
	"bytes"
	"slices"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

// TranscriptStyle says how much of what the model is told the transcript records in
// messages of its own (law L11).
type TranscriptStyle int

const (
	// TranscriptPlain records none of it: system prompt and tools go with each request
	// beside the messages (Pi 0.85).
	TranscriptPlain TranscriptStyle = iota
	// TranscriptToolChanges records in a system message when the tools that can be
	// executed change after the first request.
	TranscriptToolChanges
	// TranscriptSelfContained records everything: a leading system message holds the
	// prompt and declares the tools, later ones what changed, and answers say how much
	// thinking was asked for (Pi 1.x).
	TranscriptSelfContained
)

// baseline returns the leading system message of a self-contained transcript; nil if
// there is nothing to say.
func baseline(systemPrompt string, tools []*Tool) *ai.SystemMessage {
	if systemPrompt == "" && len(tools) == 0 {
		return nil
	}
	return &ai.SystemMessage{Content: systemPrompt, ToolsAdded: declarations(tools), Timestamp: now()}
}

func declarations(tools []*Tool) []ai.ToolDecl {
	decls := make([]ai.ToolDecl, 0, len(tools))
	for _, t := range tools {
		if !t.Hidden {
			decls = append(decls, t.Declaration())
		}
	}
	return decls
}

// declaredTools replays the system messages of a transcript over what was declared
// before it.
func declaredTools(before []ai.ToolDecl, messages []Message) []ai.ToolDecl {
	decls := slices.Clone(before)
	for _, m := range messages {
		sys, ok := m.(*ai.SystemMessage)
		if !ok {
			continue
		}
		decls = slices.DeleteFunc(decls, func(d ai.ToolDecl) bool { return slices.Contains(sys.ToolsRemoved, d.Name) })
		for _, added := range sys.ToolsAdded {
			decls = slices.DeleteFunc(decls, func(d ai.ToolDecl) bool { return d.Name == added.Name })
			decls = append(decls, added)
		}
	}
	return decls
}

// toolChanges compares what is declared with what can be executed.
func toolChanges(declared []ai.ToolDecl, tools []*Tool) (added []ai.ToolDecl, removed []string) {
	for _, decl := range declarations(tools) {
		i := slices.IndexFunc(declared, func(d ai.ToolDecl) bool { return d.Name == decl.Name })
		if i < 0 || declared[i].Description != decl.Description || !bytes.Equal(declared[i].Parameters, decl.Parameters) {
			added = append(added, decl)
		}
	}
	for _, d := range declared {
		if !slices.ContainsFunc(tools, func(t *Tool) bool { return t.Name == d.Name }) {
			removed = append(removed, d.Name)
		}
	}
	return added, removed
}

// declare puts tool changes into the messages that wait for the next request: into the
// last system message among them, or into a new one before the first message of another
// kind.
func declare(pending []Message, added []ai.ToolDecl, removed []string) []Message {
	if len(added) == 0 && len(removed) == 0 {
		return pending
	}
	last := -1
	for i, m := range pending {
		if _, ok := m.(*ai.SystemMessage); ok {
			last = i
		}
	}
	if last >= 0 {
		sys := *pending[last].(*ai.SystemMessage)
		sys.ToolsAdded = append(slices.Clip(sys.ToolsAdded), added...)
		sys.ToolsRemoved = append(slices.Clip(sys.ToolsRemoved), removed...)
		pending = slices.Clone(pending)
		pending[last] = &sys
		return pending
	}
	change := &ai.SystemMessage{ToolsAdded: added, ToolsRemoved: removed, Timestamp: now()}
	return slices.Insert(slices.Clone(pending), 0, Message(change))
}

func now() int64 { return time.Now().UnixMilli() }
