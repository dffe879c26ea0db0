package html

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/toolview"
	"github.com/rondo-agent/rondo/transcript"
)

// call is what a page shows of a tool call.
type call struct {
	name string
	// subject is what the call is about, in a line.
	subject string
	*toolview.Shown
}

// readCall looks at a call and its result, if that is known. Paths below cwd are shown relative to
// it.
func (x *exporter) readCall(b *ai.ToolCall, r *ai.ToolResultMessage) *call {
	shown := toolview.Call{Args: b.Arguments}
	if r != nil {
		shown.Content, shown.Details, shown.IsError = r.Content, r.Details, r.IsError
	}
	c := &call{name: b.Name, Shown: x.toolView(b.Name).Show(&shown)}
	if c.Generic {
		c.subject = subject(b.Arguments)
		return c
	}
	c.subject = c.Subject
	if cwd := strings.TrimRight(x.store.Header().CWD, "/") + "/"; cwd != "/" {
		c.subject = strings.TrimPrefix(c.subject, cwd)
	}
	return c
}

// toolView returns the view of a tool; nil if it has none.
func (x *exporter) toolView(name string) *toolview.View {
	if x.opts.ToolView == nil {
		return nil
	}
	return x.opts.ToolView(strings.ToLower(name))
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
	r, i, err := el.resultOf(b.ID)
	if err != nil {
		return err
	}
	c := el.readCall(b, r)
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
	el.input(c)
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
	if !c.Quiet {
		return true
	}
	return slices.ContainsFunc(r.Content, func(b ai.Block) bool { _, ok := b.(*ai.Image); return ok })
}

// input writes what the summary of a card does not say of the arguments.
func (el *element) input(c *call) {
	switch in := c.Input; {
	case c.Generic:
		if c.long() {
			el.json(string(c.Args))
		}
	case in.Text == "" || in.Long && !c.long():
	case in.Kind == toolview.Code && in.File == "":
		el.block(strings.TrimSpace(in.Text), highlight.Named(in.Language), codeLines)
	case in.Kind == toolview.Code:
		el.source(in.Text, highlight.ForFile(in.File))
	case in.Kind == toolview.Edits:
		el.diff(in.Text)
	default:
		el.output(in.Text, codeLines)
	}
	if c.Notes != "" {
		first, size := utf8.DecodeRuneInString(c.Notes)
		el.raw(`<p class="aside">`)
		el.text(string(unicode.ToUpper(first)) + c.Notes[size:])
		el.raw("</p>\n")
	}
}

func language(b *toolview.ShownBlock) *highlight.Language {
	if b.File != "" {
		return highlight.ForFile(b.File)
	}
	return highlight.Named(b.Language)
}

// long reports whether the arguments need more than the summary of the card.
func (c *call) long() bool {
	if c.Generic {
		return len(c.Args) > wrapAt || strings.Contains(string(c.Args), `\n`)
	}
	text := strings.TrimSpace(c.Input.Text)
	return c.Input.Long && (strings.Contains(text, "\n") || len(text) > wrapAt)
}

// json writes JSON over several lines, if it is JSON.
func (el *element) json(text string) {
	v := jsontext.Value(text)
	if err := v.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err == nil {
		text = string(v)
	}
	el.source(text, highlight.Named("json"))
}

// lone writes a result whose card is elsewhere, or nowhere.
func (el *element) lone(m *ai.ToolResultMessage) error {
	b, err := el.callOf(m.ToolCallID)
	if err != nil {
		return err
	}
	el.result(m, el.readCall(b, m))
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
	if c.Output.Kind == toolview.Diff {
		el.diff(c.Output.Text)
		return
	}
	for _, b := range m.Content {
		t, ok := b.(*ai.Text)
		switch {
		case !ok:
			el.content(ai.Content{b})
		case m.IsError:
			el.output(t.Text, terminalLines)
		case c.Output.Kind == toolview.Code:
			el.source(t.Text, language(&c.Output))
		case c.Output.Kind == toolview.Note:
			el.raw(`<p class="aside">`)
			el.text(preview(t.Text, 300))
			el.raw("</p>\n")
		case c.Generic && jsontext.Value(t.Text).Kind() == '{' && jsontext.Value(t.Text).IsValid():
			el.json(t.Text)
		default:
			el.output(t.Text, terminalLines)
		}
	}
}
