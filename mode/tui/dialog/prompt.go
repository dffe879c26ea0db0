package dialog

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/editor"
	"github.com/rondo-agent/rondo/mode/tui/input"
)

// Prompt asks for a text, of one line or of several.
type Prompt struct {
	Title, Placeholder string // clean
	Multi              bool   // several lines
	Secret             bool   // what is typed is not shown
	Given              func(string)
	Dropped            func() // it was left without a text; may be nil

	deadline
	editor editor.Editor
}

var _ Timed = (*Prompt)(nil)

// NewPrompt returns a prompt that begins with a text.
func NewPrompt(title, prefill string, given func(string)) *Prompt {
	p := &Prompt{Title: title, Given: given}
	p.editor.Insert(prefill)
	return p
}

// Draw implements [Dialog].
func (p *Prompt) Draw(ink theme.Ink, width, height int) (out []string, x, y int) {
	p.editor.Measure = ink.Measure
	lines := []text.Line{ink.Rule(width)}
	lines = append(lines, ink.Wrap(text.Plain(p.title(p.Title), ink.Style(theme.Accent).With(theme.Bold)), width)...)
	rows := 1
	if p.Multi {
		rows = max(height-len(lines)-2, 1)
	}
	v := p.draft().Draw(width, rows)
	x, y = v.X, len(lines)+v.Y
	for _, r := range v.Rows {
		lines = append(lines, text.Plain(r, ""))
	}
	if p.editor.Empty() && p.Placeholder != "" {
		lines[len(lines)-1] = ink.Fit(ink.Dim(p.Placeholder), width)
	}
	help := "enter gives · esc leaves"
	if p.Multi {
		help = "enter gives · shift+enter or ctrl+j new line · esc leaves"
	}
	lines = append(lines, ink.Fit(ink.Dim(help), width), ink.Rule(width))
	return text.Strings(lines), x, y
}

// draft is the text as it is shown.
func (p *Prompt) draft() *editor.Editor {
	if !p.Secret {
		return &p.editor
	}
	hidden := &editor.Editor{Measure: p.editor.Measure}
	hidden.Insert(strings.Repeat("•", utf8.RuneCountInString(p.editor.Value())))
	return hidden
}

// Key implements [Dialog].
func (p *Prompt) Key(keys *input.Keys, k tea.KeyPressMsg) (then func()) {
	switch k.String() {
	case "enter":
		return func() { p.Given(p.editor.Text()) }
	case "esc", "ctrl+c":
		return call(p.Dropped)
	case "shift+enter", "ctrl+j":
		if p.Multi {
			p.editor.Insert("\n")
		}
	case "up":
		p.editor.Up()
	case "down":
		p.editor.Down()
	default:
		keys.Edit(&p.editor, k)
	}
	return nil
}

// Paste implements [Dialog].
func (p *Prompt) Paste(s string) {
	if p.Multi {
		p.editor.Paste(s)
	} else {
		p.editor.Insert(text.OneLine(s))
	}
}

// Cancel implements [Dialog].
func (p *Prompt) Cancel() { run(p.Dropped) }
