package compaction

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// Files collects the files that a conversation has dealt with.
type Files struct{ Read, Modified map[string]bool }

// Files returns those of the compacted part and of the summary before it. Calls that have
// failed do not count.
func (p *Plan) Files() Files {
	f := Files{make(map[string]bool), make(map[string]bool)}
	if p.Previous != nil {
		var d Details
		if json.Unmarshal(p.Previous.Details, &d, lenient.Options) == nil { // an extension's details may have another form
			f.add(f.Read, d.ReadFiles...)
			f.add(f.Modified, d.ModifiedFiles...)
		}
	}
	messages := slices.Concat(p.History, p.Prefix)
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
func (f Files) call(c *ai.ToolCall) {
	into := f.Read
	switch c.Name {
	case "read":
	case "write", "edit":
		into = f.Modified
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

func (f Files) add(into map[string]bool, paths ...string) {
	for _, p := range paths {
		if p != "" && !strings.ContainsAny(p, "\n\r") {
			into[p] = true
		}
	}
}

// details returns the lists, in order.
func (f Files) details() Details {
	d := Details{ReadFiles: []string{}, ModifiedFiles: []string{}}
	for p := range f.Modified {
		d.ModifiedFiles = append(d.ModifiedFiles, p)
	}
	for p := range f.Read {
		if !f.Modified[p] {
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

// appendTo returns a summary with the lists, and the lists as the details of its entry.
func (f Files) appendTo(summary string) (text string, details jsontext.Value, err error) {
	d := f.details()
	details, err = json.Marshal(d, lenient.UTF8)
	return appendFiles(summary, d), details, err
}

// appendFiles adds the lists to a summary.
func appendFiles(summary string, d Details) string {
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
