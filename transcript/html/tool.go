package html

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/transcript"
)

// call is what a page shows of a tool call.
type call struct {
	name string
	// subject is what the call is about, in a line.
	subject string
	// tool is the name of a tool that the page knows, or empty.
	tool string
	args arguments
	raw  jsontext.Value
}

// arguments are those of the tools that the page knows.
type arguments struct {
	Command  string   `json:"command"`
	Timeout  float64  `json:"timeout"`
	Path     string   `json:"path"`
	FilePath string   `json:"file_path"`
	Content  string   `json:"content"`
	Edits    []change `json:"edits"`
	OldText  string   `json:"oldText"`
	NewText  string   `json:"newText"`
	Pattern  string   `json:"pattern"`
	Glob     string   `json:"glob"`
	Offset   float64  `json:"offset"`
	Limit    float64  `json:"limit"`
}

// change is one replacement of the edit tool.
type change struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

// readCall looks at the arguments of a call. Paths below cwd are shown relative to it.
func readCall(b *ai.ToolCall, cwd string) *call {
	c := &call{name: b.Name, raw: b.Arguments}
	known := strings.ToLower(b.Name)
	switch known {
	case "bash", "read", "write", "edit", "grep", "find", "ls":
	default:
		c.subject = subject(b.Arguments)
		return c
	}
	if err := json.Unmarshal(b.Arguments, &c.args, jsontext.AllowInvalidUTF8(true)); err != nil {
		c.subject = subject(b.Arguments)
		return c
	}
	c.tool = known
	if c.args.Path == "" {
		c.args.Path = c.args.FilePath
	}
	if below, ok := strings.CutPrefix(c.args.Path, strings.TrimRight(cwd, "/")+"/"); ok && cwd != "" {
		c.args.Path = below
	}
	if len(c.args.Edits) == 0 && c.args.OldText+c.args.NewText != "" {
		c.args.Edits = []change{{c.args.OldText, c.args.NewText}}
	}
	c.subject = c.about()
	return c
}

func (c *call) about() string {
	a := &c.args
	switch c.tool {
	case "bash":
		return a.Command
	case "read":
		switch {
		case a.Offset > 0 && a.Limit > 0:
			return fmt.Sprintf("%s:%d-%d", a.Path, int(a.Offset), int(a.Offset+a.Limit)-1)
		case a.Offset > 0:
			return fmt.Sprintf("%s:%d-", a.Path, int(a.Offset))
		case a.Limit > 0:
			return fmt.Sprintf("%s:1-%d", a.Path, int(a.Limit))
		}
	case "grep", "find":
		text := a.Pattern
		if a.Path != "" {
			text += " in " + a.Path
		}
		if a.Glob != "" {
			text += " (" + a.Glob + ")"
		}
		return text
	case "ls":
		if a.Path == "" {
			return "."
		}
	}
	return a.Path
}

// subject returns the arguments of any tool in one line.
func subject(args jsontext.Value) string {
	var members []string
	d := jsontext.NewDecoder(strings.NewReader(string(args)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return preview(string(args), 160)
	}
	for d.PeekKind() == '"' && len(members) < 8 {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		text := string(value)
		if value.Kind() == '"' {
			var s string
			if json.Unmarshal(value, &s, jsontext.AllowInvalidUTF8(true)) == nil {
				text = s
			}
		}
		members = append(members, preview(key, 30)+": "+preview(text, 80))
	}
	return strings.Join(members, ", ")
}

// call writes the card of a tool call, with its result if that is known.
func (el *element) call(b *ai.ToolCall) error {
	c := readCall(b, el.store.Header().CWD)
	r, i, err := el.resultOf(b.ID)
	if err != nil {
		return err
	}
	status, bad := "no result", false
	if r != nil {
		status, bad = outcome(r)
	}
	el.raw(`<details class="card tool`)
	if bad {
		el.raw(" bad")
	}
	if c.long() {
		el.raw(" long")
	}
	el.raw(`"`)
	if c.opens(r) {
		el.raw(" open")
	}
	el.raw(`><summary class="head"><span class="what">`)
	el.text(preview(c.name, 80))
	el.raw("</span> <code>")
	el.code(preview(c.subject, 240))
	el.raw(`</code> <span class="status">`, status, "</span></summary>\n")
	el.input(c, r)
	el.raw(`<div class="slot"`)
	el.attr("data-c", b.ID)
	el.raw(">\n")
	if r != nil {
		el.placed[i] = true
		inner := element{exporter: el.exporter, tag: "section", i: i}
		inner.result(r, c)
	}
	el.raw("</div>\n</details>\n")
	return nil
}

// resultOf reads the result of a call; nil if there is none.
func (el *element) resultOf(id string) (*ai.ToolResultMessage, int32, error) {
	i, ok := el.results[id]
	if !ok {
		return nil, 0, nil
	}
	delete(el.results, id)
	e, err := el.entry(i)
	if err != nil {
		return nil, 0, err
	}
	if m, ok := e.(*transcript.MessageEntry); ok {
		if r, ok := m.Message.(*ai.ToolResultMessage); ok {
			return r, i, nil
		}
	}
	return nil, 0, nil
}

// outcome says how a call went and how long it took.
func outcome(r *ai.ToolResultMessage) (status string, bad bool) {
	if r.DurationMs != nil {
		status = millis(*r.DurationMs)
	}
	if r.IsError {
		return strings.TrimSuffix("failed · "+status, " · "), true
	}
	return status, false
}

// opens reports whether a card is open from the beginning: what was read or listed matters
// less than what was done.
func (c *call) opens(r *ai.ToolResultMessage) bool {
	if r == nil || r.IsError {
		return true
	}
	switch c.tool {
	case "read", "grep", "find", "ls":
		for _, b := range r.Content {
			if _, ok := b.(*ai.Image); ok {
				return true
			}
		}
		return false
	}
	return true
}

// input writes what the summary of a card does not say of the arguments.
func (el *element) input(c *call, r *ai.ToolResultMessage) {
	switch c.tool {
	case "bash":
		if c.long() {
			el.block(strings.TrimSpace(c.args.Command), highlight.Named("bash"), codeLines)
		}
		if c.args.Timeout > 0 {
			el.rawf(`<p class="aside">Limited to %g s</p>`+"\n", c.args.Timeout)
		}
	case "write":
		el.source(c.args.Content, highlight.ForFile(c.args.Path))
	case "edit":
		if diffOf(r) == "" {
			el.edits(c.args.Edits)
		}
	case "":
		if c.long() {
			el.json(string(c.raw))
		}
	}
}

// long reports whether the arguments need more than the summary of the card.
func (c *call) long() bool {
	switch c.tool {
	case "bash":
		command := strings.TrimSpace(c.args.Command)
		return strings.Contains(command, "\n") || len(command) > wrapAt
	case "":
		return len(c.raw) > wrapAt || strings.Contains(string(c.raw), `\n`)
	}
	return false
}

// edits writes replacements whose place in the file is not known.
func (el *element) edits(edits []change) {
	for _, e := range edits {
		var b strings.Builder
		for line := range strings.Lines(e.OldText) {
			b.WriteString("- " + strings.TrimSuffix(line, "\n") + "\n")
		}
		for line := range strings.Lines(e.NewText) {
			b.WriteString("+ " + strings.TrimSuffix(line, "\n") + "\n")
		}
		el.diff(b.String())
	}
}

// json writes JSON over several lines, if it is JSON.
func (el *element) json(text string) {
	v := jsontext.Value(text)
	if err := v.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err == nil {
		text = string(v)
	}
	el.source(text, highlight.Named("json"))
}

func diffOf(r *ai.ToolResultMessage) string {
	if r == nil || len(r.Details) == 0 {
		return ""
	}
	var details struct {
		Diff string `json:"diff"`
	}
	if err := json.Unmarshal(r.Details, &details, jsontext.AllowInvalidUTF8(true)); err != nil {
		return ""
	}
	return details.Diff
}

// lone writes a result whose card is elsewhere, or nowhere.
func (el *element) lone(m *ai.ToolResultMessage) error {
	b, err := el.callOf(m.ToolCallID)
	if err != nil {
		return err
	}
	el.result(m, readCall(b, el.store.Header().CWD))
	return nil
}

// maxWalk bounds the way from a result to its call: a batch is not larger.
const maxWalk = 1000

// callOf finds the call that the element is the result of. If there is none, it returns
// one without arguments.
func (el *element) callOf(id string) (*ai.ToolCall, error) {
	parent := el.nodes[el.i].parent
	for range maxWalk {
		if parent < 0 || el.nodes[parent].kind == user {
			break
		}
		if el.nodes[parent].kind != answer {
			parent = el.nodes[parent].parent
			continue
		}
		e, err := el.entry(parent)
		if err != nil {
			return nil, err
		}
		if m, ok := e.(*transcript.MessageEntry); ok {
			if a, ok := m.Message.(*ai.AssistantMessage); ok {
				for _, b := range a.Content.ToolCalls() {
					if b.ID == id {
						return b, nil
					}
				}
			}
		}
		break
	}
	return &ai.ToolCall{ID: id}, nil
}

// result writes the outcome of a call. The script shows it in the card of the call, so
// that what the card says as well is only for those who stand alone.
func (el *element) result(m *ai.ToolResultMessage, c *call) {
	status, bad := outcome(m)
	mark := ""
	if bad {
		mark = "bad"
	}
	el.open(m.ToolName+" "+unstyled(m.Content.Text()), "data-c", m.ToolCallID, "data-s", status, "data-m", mark)
	el.raw(`<p class="head alone"><span class="what">`)
	el.text(preview(m.ToolName, 80))
	el.raw("</span> <code>")
	el.code(preview(c.subject, 240))
	el.raw(`</code> <span class="status">`, status, "</span></p>\n")
	el.outcome(m, c)
	if len(m.AddedToolNames) > 0 {
		el.raw(`<p class="aside">Tools added: `)
		el.text(strings.Join(m.AddedToolNames, ", "))
		el.raw("</p>\n")
	}
	if m.Usage != nil {
		el.raw(`<p class="aside">Spent by the tool: `)
		el.text(usageText(m.Usage) + " " + dollars(m.Usage.Cost.Total))
		el.raw("</p>\n")
	}
	el.close()
}

// outcome writes the content of a result as its tool means it.
func (el *element) outcome(m *ai.ToolResultMessage, c *call) {
	if diff := diffOf(m); diff != "" && !m.IsError {
		el.diff(diff)
		return
	}
	for _, b := range m.Content {
		t, ok := b.(*ai.Text)
		switch {
		case !ok:
			el.content(ai.Content{b})
		case m.IsError:
			el.output(t.Text, terminalLines)
		case c.tool == "read":
			el.source(t.Text, highlight.ForFile(c.args.Path))
		case c.tool == "write", c.tool == "edit":
			el.raw(`<p class="aside">`)
			el.text(preview(t.Text, 300))
			el.raw("</p>\n")
		case c.tool == "" && jsontext.Value(t.Text).Kind() == '{' && jsontext.Value(t.Text).IsValid():
			el.json(t.Text)
		default:
			el.output(t.Text, terminalLines)
		}
	}
}
