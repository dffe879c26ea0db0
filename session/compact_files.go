package session

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/compaction"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// files collects the files that a conversation has dealt with.
type files struct{ read, modified map[string]bool }

// filesOf returns those of the compacted part and of the summary before it. Calls that have
// failed do not count.
func filesOf(p *plan) files {
	f := files{make(map[string]bool), make(map[string]bool)}
	if p.previous != nil {
		var d compaction.Details
		if json.Unmarshal(p.previous.Details, &d, lenient.Options) == nil { // an extension's details may have another form
			f.add(f.read, d.ReadFiles...)
			f.add(f.modified, d.ModifiedFiles...)
		}
	}
	messages := slices.Concat(p.history, p.prefix)
	failed := make(map[string]bool)
	for _, m := range messages {
		if r, ok := m.(*ai.ToolResultMessage); ok && r.IsError {
			failed[r.ToolCallID] = true
		}
	}
	for _, m := range messages {
		answer, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for _, call := range answer.Content.ToolCalls() {
			if !failed[call.ID] {
				f.call(call)
			}
		}
	}
	return f
}

// call takes note of a call of one of the built-in tools that have a path.
func (f files) call(c *ai.ToolCall) {
	into := f.read
	switch c.Name {
	case "read":
	case "write", "edit":
		into = f.modified
	default:
		return
	}
	var args struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(c.Arguments, &args, lenient.Options) == nil {
		f.add(into, args.Path)
	}
}

func (f files) add(into map[string]bool, paths ...string) {
	for _, p := range paths {
		if p != "" && !strings.ContainsAny(p, "\n\r") {
			into[p] = true
		}
	}
}

// details returns the lists, in order.
func (f files) details() compaction.Details {
	d := compaction.Details{ReadFiles: []string{}, ModifiedFiles: []string{}}
	for p := range f.modified {
		d.ModifiedFiles = append(d.ModifiedFiles, p)
	}
	for p := range f.read {
		if !f.modified[p] {
			d.ReadFiles = append(d.ReadFiles, p)
		}
	}
	slices.Sort(d.ReadFiles)
	slices.Sort(d.ModifiedFiles)
	return d
}

// The elements that hold the lists in a summary (Pi 0.85).
const (
	readFilesTag     = "read-files"
	modifiedFilesTag = "modified-files"
)

// appendFiles adds the lists to a summary.
func appendFiles(summary string, d compaction.Details) string {
	return summary + fileList(readFilesTag, d.ReadFiles) + fileList(modifiedFilesTag, d.ModifiedFiles)
}

func fileList(tag string, paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return "\n\n<" + tag + ">\n" + strings.Join(paths, "\n") + "\n</" + tag + ">"
}

// withoutFiles returns a summary without the lists at its end, which the next summary gets
// anew.
func withoutFiles(summary string) string {
	for _, tag := range []string{modifiedFilesTag, readFilesTag} {
		rest, ends := strings.CutSuffix(strings.TrimRight(summary, "\n"), "\n</"+tag+">")
		at := strings.LastIndex(rest, "<"+tag+">\n")
		if ends && at >= 0 {
			summary = strings.TrimRight(rest[:at], "\n")
		}
	}
	return summary
}
