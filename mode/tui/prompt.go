package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/editor"
)

// prompt asks for a text, of one line or of several.
type prompt struct {
	title, placeholder string // clean
	multi              bool
	secret             bool // what is typed is not shown
	given              func(*app, string)
	dropped            func(*app)
	until              deadline
	editor             editor.Editor
}

func newPrompt(title, prefill string, given func(*app, string)) *prompt {
	p := &prompt{title: title, given: given}
	p.editor.Insert(prefill)
	return p
}

func (p *prompt) draw(a *app, width, height int) ([]string, int, int) {
	p.editor.Measure = a.measure
	lines := []text.Line{a.rule(width)}
	lines = append(lines, text.Wrap(text.Plain(p.until.title(p.title), a.theme.Style(theme.Accent).With(theme.Bold)), width, nil, a.measure)...)
	rows := 1
	if p.multi {
		rows = max(height-len(lines)-2, 1)
	}
	v := p.draft().Draw(width, rows)
	x, y := v.X, len(lines)+v.Y
	for _, r := range v.Rows {
		lines = append(lines, text.Plain(r, ""))
	}
	if p.editor.Empty() && p.placeholder != "" {
		lines[len(lines)-1] = text.Plain(p.placeholder, a.theme.Style(theme.Dim)).Cut(width, "…", a.measure)
	}
	hint := "enter gives · esc leaves"
	if p.multi {
		hint = "enter gives · shift+enter or ctrl+j new line · esc leaves"
	}
	lines = append(lines, text.Plain(hint, a.theme.Style(theme.Dim)).Cut(width, "…", a.measure), a.rule(width))
	return text.Strings(lines), x, y
}

// draft is the text as it is shown.
func (p *prompt) draft() *editor.Editor {
	if !p.secret {
		return &p.editor
	}
	hidden := &editor.Editor{Measure: p.editor.Measure}
	hidden.Insert(strings.Repeat("•", utf8.RuneCountInString(p.editor.Value())))
	return hidden
}

func (p *prompt) key(a *app, k tea.KeyPressMsg) {
	switch k.String() {
	case "enter":
		a.pop(p)
		p.given(a, p.editor.Text())
	case "esc", "ctrl+c":
		a.pop(p)
		p.cancel(a)
	case "shift+enter", "ctrl+j":
		if p.multi {
			p.editor.Insert("\n")
		}
	case "up":
		p.editor.Up()
	case "down":
		p.editor.Down()
	default:
		a.opts.Keys.edit(&p.editor, k)
	}
}

func (p *prompt) paste(_ *app, s string) {
	if p.multi {
		p.editor.Paste(s)
	} else {
		p.editor.Insert(text.OneLine(s))
	}
}

func (p *prompt) cancel(a *app) {
	if p.dropped != nil {
		p.dropped(a)
	}
}
