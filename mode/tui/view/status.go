package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/transcript"
)

// Status is what the status line shows. Its texts are clean.
type Status struct {
	Folder, Branch, Name string
	Stats                *transcript.Stats // nil as long as it is not known
}

// StatusLine says where the session works, unless there is a hint to show instead.
func (p *Painter) StatusLine(s *Status, hint string) string {
	where := s.Folder
	if s.Branch != "" {
		where += " (" + s.Branch + ")"
	}
	if s.Name != "" {
		where += " • " + s.Name
	}
	if hint != "" {
		where = hint
	}
	return p.Fit(p.Dim(where), p.Width).String()
}

// Numbers is the line with tokens, cost and context on the left, and the model on the right.
func (p *Painter) Numbers(s *Status, model string) string {
	left, right := p.counts(s.Stats), p.Dim(model)
	free := p.Width - left.Width(p.Measure) - right.Width(p.Measure)
	if free < 2 {
		return p.Fit(append(left, append(text.Line{{Text: "  "}}, right...)...), p.Width).String()
	}
	return append(left, append(text.Line{{Text: strings.Repeat(" ", free)}}, right...)...).String()
}

// counts are the tokens, the cost and the context of a session.
func (p *Painter) counts(st *transcript.Stats) text.Line {
	var line text.Line
	if st == nil {
		return line
	}
	add := func(style text.Style, s string) {
		if len(line) > 0 {
			line = append(line, text.Span{Text: " "})
		}
		line = append(line, text.Span{Text: s, Style: style})
	}
	dim := p.Style(theme.Dim)
	for _, n := range []struct {
		mark  string
		count int
	}{{"↑", st.Tokens.Input}, {"↓", st.Tokens.Output}, {"R", st.Tokens.CacheRead}, {"W", st.Tokens.CacheWrite}} {
		if n.count > 0 {
			add(dim, n.mark+chat.Tokens(n.count))
		}
	}
	if st.Cost > 0 {
		add(dim, fmt.Sprintf("$%.3f", st.Cost))
	}
	if c := st.ContextUsage; c != nil {
		style, percent := dim, "?"
		if c.Percent != nil {
			percent = fmt.Sprintf("%.1f%%", *c.Percent)
			if *c.Percent > 90 {
				style = p.Style(theme.Error)
			} else if *c.Percent > 70 {
				style = p.Style(theme.Warning)
			}
		}
		add(style, percent+"/"+chat.Tokens(c.ContextWindow))
	}
	return line
}

// Queued shows the messages that wait.
func (p *Painter) Queued(st chat.Status) []text.Line {
	var lines []text.Line
	show := func(label string, messages []string) {
		for _, m := range messages {
			line := text.Line{{Text: label, Style: p.Style(theme.Accent)}, {Text: text.OneLine(m), Style: p.Style(theme.Dim)}}
			lines = append(lines, p.Fit(line, p.Width))
		}
	}
	show("Steering: ", st.Steering)
	show("Follow-up: ", st.FollowUp)
	if lines != nil {
		lines = append([]text.Line{nil}, lines...)
		lines = append(lines, p.Fit(p.Dim("alt+up edits what waits"), p.Width))
	}
	return lines
}

// Working says what is under way: message is what is shown of a run, indicator what moves, since
// when the run began.
func (p *Painter) Working(st chat.Status, message, indicator string, since time.Time) []text.Line {
	var what string
	switch {
	case st.Compacting != "":
		what = "Compacting the conversation"
	case st.Retry != nil:
		what = "Attempt " + strconv.Itoa(st.Retry.Attempt) + " of " + strconv.Itoa(st.Retry.MaxAttempts) + " to repeat the request: " + text.OneLine(st.Retry.ErrorMessage)
	case st.Working:
		what = message
	}
	if what == "" {
		return nil
	}
	line := text.Line{{Text: indicator, Style: p.Style(theme.Accent)}, {Text: what, Style: p.Style(theme.Dim)}}
	if s := time.Since(since); s >= time.Second && st.Working {
		line = append(line, text.Span{Text: " " + Seconds(s), Style: p.Style(theme.Dim)})
	}
	line = append(line, text.Span{Text: " (esc aborts)", Style: p.Style(theme.Dim)})
	return []text.Line{nil, p.Fit(line, p.Width)}
}
