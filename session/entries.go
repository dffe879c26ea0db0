package session

import (
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/resource"
	"github.com/rondo-agent/rondo/transcript"
)

// entryReader reads a store for extensions. What cannot be read is left out, as at the start.
type entryReader struct{ entries transcript.Store }

func (r entryReader) Header() jsontext.Value {
	raw, _ := json.Marshal(r.entries.Header(), lenient.UTF8) // a header has no values that cannot be written
	return raw
}

func (r entryReader) SessionID() string   { return r.entries.Header().ID }
func (r entryReader) SessionFile() string { return r.entries.Path() }
func (r entryReader) LeafID() string      { return string(r.entries.Leaf()) }

func (r entryReader) SessionDir() string {
	if r.entries.Path() == "" {
		return ""
	}
	return filepath.Dir(r.entries.Path())
}

func (r entryReader) SessionName() string {
	name, _ := transcript.Name(r.entries)
	return name
}

func (r entryReader) Entry(id string) jsontext.Value {
	e, err := r.entries.Entry(transcript.EntryID(id))
	if err != nil {
		return nil
	}
	return rawEntry(e)
}

func (r entryReader) Entries() []jsontext.Value {
	list := []jsontext.Value{}
	for e, err := range r.entries.Entries() {
		if err != nil {
			break
		}
		list = append(list, rawEntry(e))
	}
	return list
}

func (r entryReader) Branch(from string) []jsontext.Value {
	leaf := transcript.EntryID(from)
	if leaf == "" {
		leaf = r.entries.Leaf()
	}
	path, err := transcript.Branch(r.entries, leaf)
	if err != nil {
		return []jsontext.Value{}
	}
	return rawEntries(path)
}

func (r entryReader) Label(id string) string {
	labels, err := transcript.Labels(r.entries)
	if err != nil {
		return ""
	}
	for _, label := range labels {
		if string(label.TargetID) == id {
			return label.Label
		}
	}
	return ""
}

func (r entryReader) Tree() []jsontext.Value {
	roots, err := transcript.Tree(r.entries)
	if err != nil {
		return []jsontext.Value{}
	}
	return r.nodes(roots)
}

// nodes writes trees from their leaves up, without recursion: a chain may be as long as the
// session.
func (r entryReader) nodes(roots []*transcript.Node) []jsontext.Value {
	var order []*transcript.Node
	for stack := roots; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1:len(stack)-1], n.Children...)
		order = append(order, n)
	}
	written := make(map[*transcript.Node]jsontext.Value, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		out := append(jsontext.Value(`{"entry":`), r.Entry(string(n.ID))...)
		out = append(out, `,"children":[`...)
		for j, child := range n.Children {
			if j > 0 {
				out = append(out, ',')
			}
			out = append(out, written[child]...)
			delete(written, child)
		}
		out = append(out, ']')
		if n.Label != "" {
			out = append(out, `,"label":`...)
			out, _ = jsontext.AppendQuote(out, n.Label)
			out = append(out, `,"labelTimestamp":`...)
			out, _ = jsontext.AppendQuote(out, n.LabelTime.String())
		}
		written[n] = append(out, '}')
	}
	list := make([]jsontext.Value, len(roots))
	for i, root := range roots {
		list[i] = written[root]
	}
	return list
}

func rawEntry(e transcript.Entry) jsontext.Value {
	raw, err := transcript.EncodeEntry(e)
	if err != nil {
		return jsontext.Value("null")
	}
	return raw
}

func rawEntries(list []transcript.Entry) []jsontext.Value {
	out := make([]jsontext.Value, len(list))
	for i, e := range list {
		out[i] = rawEntry(e)
	}
	return out
}

// entryWriter fills a new session for an extension.
type entryWriter struct {
	entryReader
	store transcript.Store
}

var _ extension.Writer = entryWriter{}

// Append adds an entry; its id and its parent are those that it gets here.
func (w entryWriter) Append(entry jsontext.Value) (string, error) {
	e, err := transcript.DecodeEntry(entry)
	if err != nil {
		return "", fmt.Errorf("append an entry: %w", err)
	}
	if unknown, ok := e.(*transcript.UnknownEntry); ok {
		return "", fmt.Errorf("append an entry: there is none of the type %q with these fields", unknown.Type())
	}
	if err := checkSummary(e); err != nil {
		return "", fmt.Errorf("append an entry: %w", err)
	}
	*e.Base() = transcript.EntryBase{}
	if err := w.store.Append(e); err != nil {
		return "", err
	}
	return string(e.Base().ID), nil
}

// sourceInfo is a source as clients and extensions see it.
func sourceInfo(s resource.Source) extension.SourceInfo {
	return extension.SourceInfo{Path: s.Path, Source: s.Kind, Scope: string(s.Scope), Origin: "top-level", BaseDir: s.BaseDir}
}

// CommandInfos lists what a prompt may begin with: the commands of extensions, then
// templates and skills.
func (s *Session) CommandInfos() []extension.CommandInfo {
	list := []extension.CommandInfo{}
	for _, c := range s.Extensions().Commands() {
		list = append(list, extension.CommandInfo{Name: c.Invocation, Description: c.Description, Source: "extension", SourceInfo: c.Source})
	}
	for _, c := range s.conductor.instructions.commands() {
		list = append(list, extension.CommandInfo{Name: c.Name, Description: c.Description, Source: c.Kind, SourceInfo: sourceInfo(c.Source)})
	}
	return list
}
