package view

import (
	"strings"
	"time"

	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/toolview"
)

// shown returns what the view of a call's tool shows of it.
func (p *Painter) shown(c *chat.Call) *toolview.Shown {
	call := toolview.Call{Args: c.Args, IsError: c.IsError}
	if c.Result != nil {
		call.Content, call.Details = c.Result.Content, c.Result.Details
	}
	var v *toolview.View
	if p.ToolView != nil {
		v = p.ToolView(c.Name)
	}
	return v.Show(&call)
}

// toolBlock draws a call and its result.
func (p *Painter) toolBlock(c *chat.Call, final bool) []text.Line {
	s := p.shown(c)
	lines := p.toolTitle(c, s, final)
	if c.IsError {
		return append(lines, p.failure(c, s.Command)...)
	}
	lines = append(lines, p.toolBody(c, s)...)
	return append(lines, p.imageRows(c)...)
}

// failure shows why a call failed. Of a command that is its last line; what stands before is its
// output.
func (p *Painter) failure(c *chat.Call, command bool) []text.Line {
	source := strings.Split(strings.Trim(c.Output(), "\n"), "\n")
	lines := make([]text.Line, len(source))
	for i, l := range source {
		name := theme.Error
		if command && i < len(source)-1 {
			name = theme.Output
		}
		lines[i] = text.Plain(l, p.Style(name))
	}
	return p.folded(lines, codeLines, command)
}

// toolTitle is the line that names the call, with a mark that says how it went.
func (p *Painter) toolTitle(c *chat.Call, s *toolview.Shown, final bool) []text.Line {
	mark := theme.Success
	switch {
	case c.IsError:
		mark = theme.Error
	case c.Skipped:
		mark = theme.Dim
	case !final:
		mark = theme.Warning
	}
	title := text.Line{{Text: c.Name, Style: p.Style(theme.Tool)}}
	if subject := text.OneLine(strings.ReplaceAll(text.Clean(s.Subject), "\n", " ⏎ ")); subject != "" {
		title = append(title, text.Span{Text: " "}, text.Span{Text: subject, Style: p.Style(theme.Accent)})
	}
	rest := toolNotes(s)
	if c.Skipped {
		rest += " was not run"
	}
	if ms := c.DurationMs; ms != nil && *ms >= 1000 {
		rest += " " + Seconds(time.Duration(*ms)*time.Millisecond)
	}
	if rest != "" {
		title = append(title, text.Span{Text: " " + strings.TrimSpace(rest), Style: p.Style(theme.Dim)})
	}
	prefix := text.Line{{Text: "● ", Style: p.Style(mark)}}
	var lines []text.Line
	for _, l := range text.Wrap(title, max(p.Width-2, 1), nil, p.Measure) {
		lines = append(lines, append(prefix[:1:1], l...))
		prefix = text.Line{{Text: "  "}}
	}
	if most := 4; len(lines) > most && !p.Expanded {
		lines = append(lines[:most-1], lines[most-1].Cut(p.Width-1, "…", p.Measure))
	}
	return lines
}

// toolNotes are the notes on a call; of a tool without a view, its arguments.
func toolNotes(s *toolview.Shown) string {
	if s.Size != "" {
		return strings.TrimSpace(text.OneLine(text.Clean(s.Notes)) + " (" + s.Size + ")")
	}
	if !s.Generic {
		return text.OneLine(text.Clean(s.Notes))
	}
	if args := text.OneLine(string(s.Args)); args != "{}" && args != "null" {
		return args
	}
	return ""
}

// toolBody is what a call does or has come to. An input that only repeats the title is left out.
func (p *Painter) toolBody(c *chat.Call, s *toolview.Shown) []text.Line {
	var lines []text.Line
	if !s.Input.Long {
		lines = p.toolPart(&s.Input)
	}
	switch out := s.Output; {
	case out.Kind == toolview.Note || c.Result == nil:
		return lines
	case out.Kind == toolview.Output:
		return append(lines, p.output(c.Output(), outputLines, s.Command)...)
	case out.Kind == toolview.Code && c.Images() > 0:
		return lines
	case out.Kind == toolview.Code && s.Quiet && !p.Expanded:
		if out := strings.TrimSuffix(c.Output(), "\n"); out != "" {
			return append(lines, p.note(Plural(strings.Count(out, "\n")+1, "1 line", "%d lines"))...)
		}
		return lines
	default:
		return append(lines, p.toolPart(&out)...)
	}
}

// toolPart draws a block.
func (p *Painter) toolPart(b *toolview.ShownBlock) []text.Line {
	source := strings.TrimSuffix(text.Clean(b.Text), "\n")
	if source == "" {
		return nil
	}
	switch b.Kind {
	case toolview.Code:
		return p.folded(p.Source(source, language(b)), codeLines, false)
	case toolview.Diff:
		return p.folded(p.diff(source), diffLines, false)
	case toolview.Edits:
		var lines []text.Line
		for l := range strings.SplitSeq(source, "\n") {
			lines = append(lines, text.Plain(l, p.Style(diffStyle(l))))
		}
		return p.folded(lines, diffLines, false)
	}
	return p.output(source, outputLines, false)
}

func language(b *toolview.ShownBlock) *highlight.Language {
	if b.File != "" {
		return highlight.ForFile(b.File)
	}
	return highlight.Named(b.Language)
}

// diff colours the details of an edit: lines that begin with +, - or a blank, then a line
// number (Pi 0.85). Where one line took the place of one, what differs is marked.
func (p *Painter) diff(s string) []text.Line {
	source := strings.Split(strings.TrimRight(s, "\n"), "\n")
	lines := make([]text.Line, len(source))
	for i, l := range source {
		lines[i] = text.Plain(l, p.Style(diffStyle(l)))
	}
	for i := range len(source) - 1 {
		if diffStyle(source[i]) == theme.Removed && diffStyle(source[i+1]) == theme.Added &&
			(i == 0 || diffStyle(source[i-1]) != theme.Removed) && (i+2 == len(source) || diffStyle(source[i+2]) != theme.Added) {
			lines[i], lines[i+1] = p.changed(source[i], source[i+1])
		}
	}
	return lines
}

func diffStyle(line string) theme.Name {
	switch {
	case strings.HasPrefix(line, "+"):
		return theme.Added
	case strings.HasPrefix(line, "-"):
		return theme.Removed
	}
	return theme.Context
}

// changed marks what differs between two lines, unless that is most of them.
func (p *Painter) changed(before, after string) (text.Line, text.Line) {
	x, y := []rune(before), []rune(after)
	start := 1
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	mark := func(runes []rune, name theme.Name) text.Line {
		style := p.Style(name)
		if (start+end)*2 < len(runes) {
			return text.Plain(string(runes), style)
		}
		return text.Line{
			{Text: string(runes[:start]), Style: style},
			{Text: string(runes[start : len(runes)-end]), Style: style.With(theme.Inverse)},
			{Text: string(runes[len(runes)-end:]), Style: style},
		}
	}
	return mark(x, theme.Removed), mark(y, theme.Added)
}
