package html

import (
	"strconv"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/transcript"
)

func (el *element) user(m *ai.UserMessage) {
	el.open(withoutFiles(m.Content.Text()))
	el.by("You")
	for _, b := range m.Content {
		if t, ok := b.(*ai.Text); ok {
			el.prompt(t.Text)
		} else {
			el.content(ai.Content{b})
		}
	}
	el.close()
}

// prompt writes what a user said; attached files are folded.
func (el *element) prompt(text string) {
	for text != "" {
		f, rest, ok := attached(text)
		if !ok {
			break
		}
		el.raw(`<details class="file"><summary><code>`)
		el.code(f.name)
		el.raw("</code></summary>\n")
		if f.text != "" {
			el.source(f.text, highlight.ForFile(f.name))
		}
		el.raw("</details>\n")
		text = rest
	}
	if strings.TrimSpace(text) != "" {
		el.plain(text)
	}
}

// file is a file that was attached to a prompt.
type file struct{ name, text string }

// attached takes one file from the beginning of a prompt, as Pi 0.85 and this module write
// it: an element with the name, and the text unless it is an image.
func attached(text string) (f file, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, `<file name="`)
	if !ok {
		return f, "", false
	}
	name, after, ok := strings.Cut(after, `">`)
	if !ok || strings.Contains(name, "\n") {
		return f, "", false
	}
	body, rest, ok := strings.Cut(after, "</file>\n")
	if !ok {
		return f, "", false
	}
	return file{strings.ReplaceAll(name, `\\`, `\`), strings.Trim(body, "\n")}, rest, true
}

// withoutFiles returns a prompt without its attached files.
func withoutFiles(text string) string {
	for {
		_, rest, ok := attached(text)
		if !ok {
			return text
		}
		text = rest
	}
}

func (el *element) answer(m *ai.AssistantMessage) error {
	el.open(el.answerPreview(m))
	el.by(m.Model)
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			if strings.TrimSpace(b.Text) != "" {
				el.markdown(b.Text)
			}
		case *ai.Thinking:
			el.thinking(b)
		case *ai.ToolCall:
			if err := el.call(b); err != nil {
				return err
			}
		case *ai.Image, *ai.UnknownBlock:
			el.content(ai.Content{b})
		}
	}
	el.ending(m)
	el.spent(m)
	el.close()
	return nil
}

// answerPreview is what the tree calls an answer.
func (x *exporter) answerPreview(m *ai.AssistantMessage) string {
	if text := m.Content.Text(); strings.TrimSpace(text) != "" {
		return unmarked(text)
	}
	var names []string
	for _, call := range m.Content.ToolCalls() {
		c := x.readCall(call, nil)
		names = append(names, strings.TrimSpace(c.name+" "+preview(c.subject, 60)))
	}
	switch {
	case len(names) > 0:
		return strings.Join(names, " · ")
	case m.ErrorMessage != "":
		return m.ErrorMessage
	}
	return string(m.StopReason)
}

// unmarked returns the beginning of a markdown text without the marks that disturb most.
func unmarked(text string) string {
	return strings.NewReplacer("**", "", "`", "").Replace(text[:min(len(text), 1000)])
}

func (el *element) thinking(b *ai.Thinking) {
	if b.Redacted {
		el.raw(`<p class="aside">Thinking, withheld by the provider</p>`, "\n")
		return
	}
	if strings.TrimSpace(b.Thinking) == "" {
		return
	}
	el.raw(`<details class="thinking"><summary>Thinking <span>`)
	el.text(preview(unmarked(b.Thinking), 100))
	el.raw("</span></summary>\n")
	el.markdown(b.Thinking)
	el.raw("</details>\n")
}

// ending says how an answer ended, where that is not as it should be.
func (el *element) ending(m *ai.AssistantMessage) {
	text := ""
	switch m.StopReason {
	case ai.StopError:
		text = "Failed"
	case ai.StopAborted:
		text = "Aborted"
	case ai.StopLength:
		text = "Cut by the output limit"
	case ai.StopPending:
		text = "The answer never came to its end"
	case ai.StopDeferred:
		text = "The answer was put off"
	case ai.StopEnd, ai.StopToolUse:
	}
	if m.ErrorMessage != "" {
		if text != "" {
			text += ": "
		}
		text += m.ErrorMessage
	}
	if text != "" {
		el.raw(`<p class="error">`)
		el.text(text)
		el.raw("</p>\n")
	}
	for _, d := range m.Diagnostics {
		el.raw(`<p class="aside">Note: `)
		el.text(d.Type)
		el.raw("</p>\n")
	}
}

// spent says what an answer took.
func (el *element) spent(m *ai.AssistantMessage) {
	var parts []string
	if m.DurationMs > 0 {
		parts = append(parts, millis(m.DurationMs))
	}
	if text := usageText(&m.Usage); text != "" {
		parts = append(parts, text)
	}
	if m.Usage.Cost.Total > 0 {
		parts = append(parts, dollars(m.Usage.Cost.Total))
	}
	if m.ResponseModel != "" && m.ResponseModel != m.Model {
		parts = append(parts, "answered by "+m.ResponseModel)
	}
	if len(parts) == 0 {
		return
	}
	el.raw(`<p class="spent">`)
	el.text(strings.Join(parts, " · "))
	el.raw("</p>\n")
}

// shell writes a command that the user ran.
func (el *element) shell(m *transcript.BashExecution) {
	el.open("$ " + m.Command)
	who := "You ran"
	if m.ExcludeFromContext {
		who += ", unseen by the model"
	}
	el.by(who)
	el.raw(`<div class="card"><p class="head"><span class="what">$</span> <code>`)
	el.code(m.Command)
	el.raw("</code>")
	status, bad := "", true
	switch {
	case m.Cancelled:
		status = "cancelled"
	case m.ExitCode == nil:
		status = "did not end"
	case *m.ExitCode != 0:
		status = "exit " + strconv.Itoa(*m.ExitCode)
	default:
		bad = false
	}
	if bad {
		el.raw(` <span class="status bad">`, status, "</span>")
	}
	el.raw("</p>\n")
	el.output(m.Output, terminalLines)
	if m.Truncated {
		el.raw(`<p class="aside">The output is cut.`)
		if m.FullOutputPath != "" {
			el.raw(" All of it was in <code>")
			el.code(m.FullOutputPath)
			el.raw("</code>.")
		}
		el.raw("</p>\n")
	}
	el.raw("</div>\n")
	el.close()
}

// content writes blocks one after another.
func (el *element) content(c ai.Content) {
	for _, b := range c {
		switch b := b.(type) {
		case *ai.Text:
			el.markdown(b.Text)
		case *ai.Image:
			el.image(b)
		case *ai.Thinking:
			el.thinking(b)
		case *ai.ToolCall:
			el.block(string(b.Arguments), highlight.Named("json"), codeLines)
		case *ai.UnknownBlock:
			el.raw(`<p class="aside">A block of the unknown type `)
			el.text(b.Type())
			el.raw("</p>\n")
		}
	}
}

// plain writes a text as it is.
func (p *page) plain(text string) {
	p.raw(`<div class="plain">`)
	p.text(strings.Trim(text, "\n"))
	p.raw("</div>\n")
}
