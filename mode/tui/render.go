package tui

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
)

// block draws a block of the transcript.
func (a *app) block(b *chat.Block) []text.Line {
	switch b.Kind {
	case chat.User:
		return a.userBlock(b)
	case chat.Answer:
		return a.markdown(b.Text, "", a.width)
	case chat.Thinking:
		return a.thinkingBlock(b)
	case chat.Tool:
		return a.toolBlock(b.Call, b.Final)
	case chat.Bash:
		return a.shellBlock(b.Shell)
	case chat.Notice:
		return a.noticeBlock(b)
	case chat.Summary:
		return a.summaryBlock(b)
	case chat.Custom:
		return a.customBlock(b)
	case chat.Lines:
		if b.Text == "" {
			return nil
		}
		return a.foreignLines(strings.Split(b.Text, "\n"))
	}
	return nil
}

func (a *app) markdown(src string, base text.Style, width int) []text.Line {
	return markdown.Lines(src, &markdown.Options{Width: max(width, 10), Measure: a.measure, Theme: a.theme, Base: base})
}

// indented breaks a text into lines behind a mark.
func (a *app) indented(mark string, markStyle text.Style, s string, style text.Style) []text.Line {
	width := text.Width(mark, a.measure)
	pad := text.Plain(strings.Repeat(" ", width), "")
	var lines []text.Line
	for l := range strings.SplitSeq(s, "\n") {
		for _, part := range text.Wrap(text.Plain(l, style), max(a.width-width, 1), nil, a.measure) {
			prefix := pad
			if len(lines) == 0 {
				prefix = text.Plain(mark, markStyle)
			}
			lines = append(lines, append(prefix[:1:1], part...))
		}
	}
	return lines
}

// attachment matches a file that a prompt carries.
var attachment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<file name="([^"\n]*)">(?:\n.*?\n)?</file>\n?`)
})

func (a *app) userBlock(b *chat.Block) []text.Line {
	said := strings.TrimSpace(attachment().ReplaceAllString(b.Text, "[$1]\n"))
	if b.Images > 0 {
		said = strings.TrimSpace(said + "\n" + plural(b.Images, "[image]", "[%d images]"))
	}
	return a.indented("❯ ", a.theme.Style(theme.Accent).With(theme.Bold), said, a.theme.Style(theme.User))
}

// thinkingBlock shows thinking in full, or its newest line while it goes on, and its first
// when it has ended.
func (a *app) thinkingBlock(b *chat.Block) []text.Line {
	style := a.theme.Style(theme.Thinking)
	if a.unfolded {
		return a.indented("∴ ", style, b.Text, style)
	}
	lines := strings.Split(strings.TrimSpace(b.Text), "\n")
	label, shown := a.opts.ui.thinkingLabel(), lines[len(lines)-1]
	if b.Final {
		shown = lines[0]
	}
	return []text.Line{(text.Line{{Text: "∴ " + label + " ", Style: style}, {Text: text.OneLine(shown), Style: style}}).Cut(a.width, "…", a.measure)}
}

func (a *app) noticeBlock(b *chat.Block) []text.Line {
	switch b.Level {
	case chat.Failure:
		return a.indented("✗ ", a.theme.Style(theme.Error), b.Text, a.theme.Style(theme.Error))
	case chat.Warning:
		return a.indented("! ", a.theme.Style(theme.Warning), b.Text, a.theme.Style(theme.Warning))
	default:
		return a.indented("· ", a.theme.Style(theme.Dim), b.Text, a.theme.Style(theme.Dim))
	}
}

func (a *app) summaryBlock(b *chat.Block) []text.Line {
	head := text.Line{{Text: "◇ " + b.Label, Style: a.theme.Style(theme.Custom).With(theme.Bold)}}
	if !a.expanded {
		head = append(head, text.Span{Text: " (ctrl+o shows the summary)", Style: a.theme.Style(theme.Dim)})
		return []text.Line{head.Cut(a.width, "…", a.measure)}
	}
	return append([]text.Line{head.Cut(a.width, "…", a.measure)}, a.markdown(b.Text, "", a.width)...)
}

func (a *app) customBlock(b *chat.Block) []text.Line {
	head := text.Plain("["+b.Label+"]", a.theme.Style(theme.Custom).With(theme.Bold)).Cut(a.width, "…", a.measure)
	return append([]text.Line{head}, a.markdown(b.Text, "", a.width)...)
}

func (a *app) shellBlock(s *chat.Shell) []text.Line {
	mark := "! "
	if s.Hidden {
		mark = "!! "
	}
	style := a.theme.Style(theme.BashMode)
	lines := a.indented(mark, style.With(theme.Bold), s.Command, style)
	lines = append(lines, a.output(s.Output, shellLines, true)...)
	var end string
	switch {
	case s.Cancelled:
		end = "ended before it was done"
	case s.ExitCode != nil && *s.ExitCode != 0:
		end = "exit code " + itoa(*s.ExitCode)
	case s.Running && s.Output == "":
		end = "runs…"
	}
	if end != "" {
		lines = append(lines, text.Plain("  "+end, a.theme.Style(theme.Warning)))
	}
	if s.Truncated && s.FullOutputPath != "" {
		lines = append(lines, a.note("all of it is in "+s.FullOutputPath)...)
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
func (a *app) output(s string, most int, tail bool) []text.Line {
	s = strings.Trim(s, "\n")
	if s == "" {
		return nil
	}
	var lines []text.Line
	for l := range strings.SplitSeq(s, "\n") {
		lines = append(lines, text.Plain(l, a.theme.Style(theme.Output)))
	}
	return a.folded(lines, most, tail)
}

// folded shows some of the lines, and how many more there are.
func (a *app) folded(lines []text.Line, most int, tail bool) []text.Line {
	left := len(lines) - most
	if a.expanded || left <= 1 {
		left = 0
	}
	var out []text.Line
	more := func() {
		if left > 0 {
			out = append(out, a.note(fmt.Sprintf("… %d more lines (ctrl+o shows them)", left))...)
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
		parts := text.Break(l, max(a.width-2, 1), a.measure)
		if !a.expanded && len(parts) > 3 { // one line shall not take the screen
			parts = append(parts[:2], parts[2].Cut(max(a.width-3, 1), "…", a.measure))
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

func (a *app) note(s string) []text.Line {
	return a.indented("  ", "", s, a.theme.Style(theme.Dim))
}

func itoa(n int) string { return strconv.Itoa(n) }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

// seconds writes a duration in the fewest characters that say something.
func seconds(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
