package html

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/transcript"
)

// branch writes the entries that the page opens with. A result stands in the card of its
// call.
func (x *exporter) branch() error {
	for at, i := range x.path {
		if x.placed[i] {
			delete(x.placed, i)
			continue
		}
		if x.nodes[i].kind == answer {
			x.results = x.resultsAfter(at)
		}
		if err := x.write("article", i); err != nil {
			return err
		}
		x.results = nil
	}
	return nil
}

// resultsAfter returns the results between an answer and what follows it.
func (x *exporter) resultsAfter(at int) map[string]int32 {
	results := make(map[string]int32)
	for _, i := range x.path[at+1:] {
		switch n := &x.nodes[i]; n.kind {
		case result:
			if _, double := results[n.call]; !double {
				results[n.call] = i
			}
		case answer, user:
			return results
		}
	}
	return results
}

// elsewhere writes the entries of other branches as templates, which the script shows when
// it is asked to.
func (x *exporter) elsewhere() error {
	shown := make([]bool, len(x.nodes))
	for _, i := range x.path {
		shown[i] = true
	}
	for i := range x.nodes {
		if shown[i] || x.nodes[i].kind == hidden {
			continue
		}
		if err := x.write("template", int32(i)); err != nil {
			return err
		}
	}
	return nil
}

// write writes the element of one entry.
func (x *exporter) write(tag string, i int32) error {
	e, err := x.entry(i)
	if err != nil {
		return err
	}
	el := element{x, tag, i, e.Base().Timestamp.Time}
	switch e := e.(type) {
	case *transcript.MessageEntry:
		err = el.message(e.Message)
	case *transcript.CustomMessageEntry:
		el.custom(e.CustomType, e.Content, e.Display)
	case *transcript.CompactionEntry:
		el.compaction(e.Summary, e.TokensBefore, e.FromHook)
	case *transcript.BranchSummaryEntry:
		el.branchSummary(e.Summary, e.FromID, e.FromHook)
	case *transcript.UnknownEntry:
		el.unknown("Entry of an unknown type: "+e.Type(), e.Err, e.Raw())
	case *transcript.ContextEditEntry:
		el.contextEdit(e)
	case *transcript.ModelEntry, *transcript.ThinkingLevelEntry, *transcript.InfoEntry, *transcript.UsageEntry, *transcript.CustomEntry, *transcript.LabelEntry:
		el.setting(e)
	}
	if err != nil {
		return err
	}
	return x.check()
}

// element writes one entry.
type element struct {
	*exporter
	tag string
	i   int32
	at  time.Time
}

func (el *element) message(m agent.Message) error {
	switch m := m.(type) {
	case *ai.UserMessage:
		el.user(m)
	case *ai.AssistantMessage:
		return el.answer(m)
	case *ai.ToolResultMessage:
		return el.lone(m)
	case *transcript.BashExecution:
		el.shell(m)
	case *transcript.CustomMessage:
		el.custom(m.CustomType, m.Content, m.Display)
	case *transcript.CompactionSummary:
		el.compaction(m.Summary, m.TokensBefore, false)
	case *transcript.BranchSummary:
		el.branchSummary(m.Summary, m.FromID, false)
	case *ai.SystemMessage:
		el.system(m)
	case *ai.UnknownMessage:
		el.unknown("Message of an unknown role: "+m.Role(), nil, m.Raw)
	default:
		el.line("Message of the role "+m.Role(), "")
	}
	return nil
}

// open writes the beginning of the element; text is how the tree names it.
func (el *element) open(text string, attrs ...string) {
	el.rawf(`<%s id="e%d" data-p="%d" class="%s"`, el.tag, el.i, el.nodes[el.i].parent, kindNames[el.nodes[el.i].kind])
	el.attr("data-t", preview(text, 90))
	if label := el.labels[el.i]; label != "" {
		el.attr("data-l", preview(label, 60))
	}
	for n := 0; n+1 < len(attrs); n += 2 {
		el.attr(attrs[n], attrs[n+1])
	}
	el.raw(">\n")
}

func (el *element) close() { el.raw("</", el.tag, ">\n") }

// by writes who speaks and when; the time is also the link to the entry.
func (el *element) by(who string) {
	el.raw(`<p class="by"><b>`)
	el.text(who)
	el.raw("</b>")
	if label := preview(el.labels[el.i], 60); label != "" {
		el.raw(` <span class="label">`)
		el.text(label)
		el.raw("</span>")
	}
	el.stamp()
	el.raw("</p>\n")
}

func (el *element) stamp() {
	if el.at.IsZero() {
		return
	}
	el.rawf(` <a class="at" href="#e%d">`, el.i)
	el.time(el.at, false)
	el.raw("</a>")
}

// line writes an element that is a single line.
func (el *element) line(what, value string) {
	el.open(what + " " + value)
	el.lineText(what, value)
	el.close()
}

func (el *element) lineText(what, value string) {
	el.raw("<p><span>")
	el.text(what)
	el.raw("</span>")
	if value != "" {
		el.raw(" <b>")
		el.code(preview(value, 300))
		el.raw("</b>")
	}
	el.stamp()
	el.raw("</p>\n")
}

// folded writes an element whose content is behind a line.
func (el *element) folded(what, value string, content func()) {
	el.open(what + " " + value)
	el.raw("<details><summary>")
	el.lineText(what, value)
	el.raw("</summary>\n")
	content()
	el.raw("</details>\n")
	el.close()
}

func (el *element) setting(e transcript.Entry) {
	switch e := e.(type) {
	case *transcript.ModelEntry:
		el.line("Model", slashed(e.Provider, e.ModelID))
	case *transcript.ThinkingLevelEntry:
		el.line("Thinking", string(e.ThinkingLevel))
	case *transcript.InfoEntry:
		el.line("Session named", e.Name)
	case *transcript.UsageEntry:
		text := slashed(e.Provider, e.Model)
		if e.Usage != nil {
			text += " " + usageText(e.Usage) + " " + dollars(e.Usage.Cost.Total)
		}
		el.line("Spent on "+e.Kind, text)
	default: // shown in other ways
	}
}

func (el *element) contextEdit(e *transcript.ContextEditEntry) {
	if e.Replacement == nil {
		el.folded("Hidden from the model", "", func() { el.linkTo(e.TargetID, "the message") })
		return
	}
	el.folded("Rewritten for the model", "", func() {
		el.linkTo(e.TargetID, "the message")
		el.content(e.Replacement.Content)
	})
}

// linkTo writes a link to another entry, if it is shown.
func (el *element) linkTo(id transcript.EntryID, text string) {
	target, ok := el.find(id)
	if !ok {
		return
	}
	el.rawf(`<p><a href="#e%d">`, target)
	el.text(text)
	el.raw("</a></p>\n")
}

// find returns the position of an entry that is shown.
func (el *element) find(id transcript.EntryID) (int32, bool) {
	i, ok := el.index[id]
	return i, ok && el.nodes[i].kind != hidden
}

func (el *element) compaction(text string, tokensBefore int, fromHook bool) {
	value := ""
	if tokensBefore > 0 {
		value = tokens(tokensBefore) + " tokens before"
	}
	el.folded("Context compacted"+byExtension(fromHook), value, func() { el.markdown(text) })
}

func (el *element) branchSummary(text string, from transcript.EntryID, fromHook bool) {
	el.folded("Summary of another branch"+byExtension(fromHook), "", func() {
		el.markdown(text)
		el.linkTo(from, "Go to the branch")
	})
}

func byExtension(fromHook bool) string {
	if fromHook {
		return " by an extension"
	}
	return ""
}

func (el *element) custom(kind string, content transcript.CustomContent, display bool) {
	if !display {
		el.folded("Context of an extension", kind, func() { el.content(content.Content()) })
		return
	}
	el.open(unmarked(content.Content().Text()))
	el.by(kind)
	el.content(content.Content())
	el.close()
}

// system writes what the model was told about itself and its tools (Pi 1.6).
func (el *element) system(m *ai.SystemMessage) {
	value := ""
	if len(m.ToolsAdded) > 0 {
		value = fmt.Sprintf("+%s", count(len(m.ToolsAdded), "tool"))
	}
	if len(m.ToolsRemoved) > 0 {
		value += fmt.Sprintf(" −%s", count(len(m.ToolsRemoved), "tool"))
	}
	el.folded("Instructions", value, func() {
		for _, t := range m.ToolsAdded {
			el.lineText("Tool added:", t.Name)
		}
		for _, name := range m.ToolsRemoved {
			el.lineText("Tool removed:", name)
		}
		if m.Content != "" {
			el.plain(m.Content)
		}
	})
}

// maxRaw is how much is shown of what is not understood, in bytes.
const maxRaw = 16 << 10

func (el *element) unknown(what string, err error, raw jsontext.Value) {
	el.folded(what, "", func() {
		if err != nil {
			el.raw(`<p class="error">`)
			el.text(err.Error())
			el.raw("</p>\n")
		}
		text := string(raw)
		if len(text) > maxRaw {
			text = text[:maxRaw] + "…"
		}
		el.block(text, highlight.Named("json"), codeLines)
	})
}
