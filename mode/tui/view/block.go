package view

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/internal/term/markdown"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/toolview"
)

// Painter draws blocks as lines. It is a value: a copy draws on another goroutine.
type Painter struct {
	theme.Ink
	Width, Height int
	// Expanded shows results in full, and Unfolded thinking.
	Expanded, Unfolded bool
	// ThinkingLabel stands before thinking that is folded.
	ThinkingLabel string
	// ImageWidth is how many columns an image takes at most.
	ImageWidth int
	Images     *graphics.Store
	// ToolView returns how the calls of a tool are shown; nil for one that has no view.
	ToolView func(name string) *toolview.View
}

// Block draws a block of the conversation.
func (p *Painter) Block(b *chat.Block) []text.Line {
	switch b.Kind {
	case chat.User:
		return p.userBlock(b)
	case chat.Answer:
		return p.markdown(b.Text, "", p.Width)
	case chat.Thinking:
		return p.thinkingBlock(b)
	case chat.Tool:
		return p.toolBlock(b.Call, b.Final)
	case chat.Bash:
		return p.shellBlock(b.Shell)
	case chat.Notice:
		return p.noticeBlock(b)
	case chat.Summary:
		return p.summaryBlock(b)
	case chat.Custom:
		return p.customBlock(b)
	case chat.Lines:
		if b.Text == "" {
			return nil
		}
		return p.ForeignLines(strings.Split(b.Text, "\n"))
	}
	return nil
}

func (p *Painter) markdown(src string, base text.Style, width int) []text.Line {
	return markdown.Lines(src, &markdown.Options{Width: max(width, 10), Measure: p.Measure, Theme: p.Theme, Base: base})
}

// indented breaks a text into lines behind a mark.
func (p *Painter) indented(mark string, markStyle text.Style, s string, style text.Style) []text.Line {
	width := text.Width(mark, p.Measure)
	pad := text.Plain(strings.Repeat(" ", width), "")
	var lines []text.Line
	for l := range strings.SplitSeq(s, "\n") {
		for _, part := range text.Wrap(text.Plain(l, style), max(p.Width-width, 1), nil, p.Measure) {
			prefix := pad
			if len(lines) == 0 {
				prefix = text.Plain(mark, markStyle)
			}
			lines = append(lines, append(prefix[:1:1], part...))
		}
	}
	return lines
}

// behind puts lines behind a mark; they are as much narrower than the screen.
func (p *Painter) behind(mark string, style text.Style, lines []text.Line) []text.Line {
	prefix := text.Plain(mark, style)
	pad := text.Plain(strings.Repeat(" ", text.Width(mark, p.Measure)), "")
	out := make([]text.Line, len(lines))
	for i, l := range lines {
		if len(l) > 0 || i == 0 {
			out[i] = append(prefix[:1:1], l...)
		}
		prefix = pad
	}
	return out
}

// attachment matches a file that a prompt carries.
var attachment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<file name="([^"\n]*)">(?:\n.*?\n)?</file>\n?`)
})

func (p *Painter) userBlock(b *chat.Block) []text.Line {
	said := strings.TrimSpace(attachment().ReplaceAllString(b.Text, "[$1]\n"))
	if b.Images > 0 {
		said = strings.TrimSpace(said + "\n" + Plural(b.Images, "[image]", "[%d images]"))
	}
	return p.indented("❯ ", p.Style(theme.Accent).With(theme.Bold), said, p.Style(theme.User))
}

// thinkingBlock shows thinking in full, or its newest line while it goes on, and its first
// when it has ended.
func (p *Painter) thinkingBlock(b *chat.Block) []text.Line {
	style := p.Style(theme.Thinking)
	if p.Unfolded {
		return p.behind("∴ ", style, p.markdown(b.Text, style, p.Width-2))
	}
	lines := strings.Split(strings.TrimSpace(b.Text), "\n")
	label, shown := p.ThinkingLabel, lines[len(lines)-1]
	if b.Final {
		shown = lines[0]
	}
	return []text.Line{(text.Line{{Text: "∴ " + label + " ", Style: style}, {Text: text.OneLine(shown), Style: style}}).Cut(p.Width, "…", p.Measure)}
}

func (p *Painter) noticeBlock(b *chat.Block) []text.Line {
	switch b.Level {
	case chat.Failure:
		return p.indented("✗ ", p.Style(theme.Error), b.Text, p.Style(theme.Error))
	case chat.Warning:
		return p.indented("! ", p.Style(theme.Warning), b.Text, p.Style(theme.Warning))
	default:
		return p.indented("· ", p.Style(theme.Dim), b.Text, p.Style(theme.Dim))
	}
}

func (p *Painter) summaryBlock(b *chat.Block) []text.Line {
	head := text.Line{{Text: "◇ " + b.Label, Style: p.Style(theme.Custom).With(theme.Bold)}}
	if !p.Expanded {
		head = append(head, text.Span{Text: " (ctrl+o shows the summary)", Style: p.Style(theme.Dim)})
		return []text.Line{head.Cut(p.Width, "…", p.Measure)}
	}
	return append([]text.Line{head.Cut(p.Width, "…", p.Measure)}, p.markdown(b.Text, "", p.Width)...)
}

func (p *Painter) customBlock(b *chat.Block) []text.Line {
	head := text.Plain("["+b.Label+"]", p.Style(theme.Custom).With(theme.Bold)).Cut(p.Width, "…", p.Measure)
	return append([]text.Line{head}, p.markdown(b.Text, "", p.Width)...)
}

func (p *Painter) shellBlock(s *chat.Shell) []text.Line {
	mark := "! "
	if s.Hidden {
		mark = "!! "
	}
	style := p.Style(theme.BashMode)
	lines := p.indented(mark, style.With(theme.Bold), s.Command, style)
	lines = append(lines, p.output(s.Output, shellLines, true)...)
	var end string
	name := theme.Warning
	switch {
	case s.Running:
		end, name = "runs… (esc ends it)", theme.Dim
	case s.Cancelled:
		end = "ended before it was done"
	case s.ExitCode != nil && *s.ExitCode != 0:
		end = "exit code " + strconv.Itoa(*s.ExitCode)
	}
	if end != "" {
		lines = append(lines, p.Fit(text.Plain("  "+end, p.Style(name)), p.Width))
	}
	if s.Truncated && s.FullOutputPath != "" {
		lines = append(lines, p.note("all of it is in "+s.FullOutputPath)...)
	}
	return lines
}

// How many lines of results are shown unless they are unfolded.
const (
	outputLines = 5
	shellLines  = 20
	diffLines   = 40
	codeLines   = 10
)

// output shows the lines of a result, moved in: the last ones if tail, or else the first.
func (p *Painter) output(s string, most int, tail bool) []text.Line {
	s = strings.Trim(s, "\n")
	if s == "" {
		return nil
	}
	var lines []text.Line
	for l := range strings.SplitSeq(s, "\n") {
		lines = append(lines, text.Plain(l, p.Style(theme.Output)))
	}
	return p.folded(lines, most, tail)
}

// folded shows some of the lines, and how many more there are.
func (p *Painter) folded(lines []text.Line, most int, tail bool) []text.Line {
	left := len(lines) - most
	if p.Expanded || left <= 1 {
		left = 0
	}
	var out []text.Line
	more := func() {
		if left > 0 {
			out = append(out, p.note(fmt.Sprintf("… %d more lines (ctrl+o shows them)", left))...)
		}
	}
	if tail {
		more()
		lines = lines[left:]
	} else {
		lines = lines[:len(lines)-left]
	}
	indent := text.Span{Text: "  "}
	for _, l := range lines {
		parts := text.Break(l, max(p.Width-2, 1), p.Measure)
		if !p.Expanded && len(parts) > 3 { // one line shall not take the screen
			parts = append(parts[:2], parts[2].Cut(max(p.Width-3, 1), "…", p.Measure))
		}
		for _, part := range parts {
			out = append(out, append(text.Line{indent}, part...))
		}
	}
	if !tail {
		more()
	}
	return out
}

func (p *Painter) note(s string) []text.Line {
	return p.indented("  ", "", s, p.Style(theme.Dim))
}

// Plural names a number of things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

// Seconds writes a duration in the fewest characters that say something.
func Seconds(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
