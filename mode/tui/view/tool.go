package view

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
)

// arguments are those of the built-in tools, of any kind that a model may have written: what
// is of another kind than it should be is shown as it is.
type arguments map[string]any

func argumentsOf(raw jsontext.Value) arguments {
	var args arguments
	if json.Unmarshal(raw, &args, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return nil
	}
	return args
}

// text returns an argument as clean text.
func (args arguments) text(name string) string {
	switch v := args[name].(type) {
	case nil:
		return ""
	case string:
		return text.Clean(v)
	default:
		data, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			return ""
		}
		return text.Clean(string(data))
	}
}

// toolBlock draws a call and its result.
func (p *Painter) toolBlock(c *chat.Call, final bool) []text.Line {
	args := argumentsOf(c.Args)
	lines := p.toolTitle(c, args, final)
	if c.IsError {
		return append(lines, p.failure(c)...)
	}
	lines = append(lines, p.toolBody(c, args)...)
	return append(lines, p.imageRows(c)...)
}

// failure shows why a call failed. Of a command that is its last line; what stands before is its
// output.
func (p *Painter) failure(c *chat.Call) []text.Line {
	source := strings.Split(strings.Trim(c.Output(), "\n"), "\n")
	command := c.Name == "bash" || c.Name == "powershell"
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
func (p *Painter) toolTitle(c *chat.Call, args arguments, final bool) []text.Line {
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
	subject, rest := toolSubject(c, args)
	if subject != "" {
		title = append(title, text.Span{Text: " "}, text.Span{Text: subject, Style: p.Style(theme.Accent)})
	}
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

// toolSubject says what a call is about: one line, and details of less interest.
func toolSubject(c *chat.Call, args arguments) (subject, rest string) {
	switch c.Name {
	case "bash", "powershell":
		subject = text.OneLine(strings.ReplaceAll(args.text("command"), "\n", " ⏎ "))
		if t := args.text("timeout"); t != "" {
			rest = "(at most " + t + "s)"
		}
	case "read":
		subject = text.OneLine(args.text("path"))
		if from := args.text("offset"); from != "" {
			rest = "from line " + from
		}
	case "edit", "ls":
		subject = text.OneLine(args.text("path"))
	case "write":
		subject = text.OneLine(args.text("path"))
		if content := args.text("content"); content != "" {
			rest = Plural(strings.Count(strings.TrimSuffix(content, "\n"), "\n")+1, "(1 line)", "(%d lines)")
		}
	case "grep", "find":
		subject = text.OneLine(args.text("pattern"))
		if where := args.text("path"); where != "" {
			rest = "in " + text.OneLine(where)
		}
		if glob := args.text("glob"); glob != "" {
			rest += " of " + text.OneLine(glob)
		}
	default:
		rest = text.OneLine(string(c.Args))
		if rest == "{}" || rest == "null" {
			rest = ""
		}
	}
	return subject, rest
}

// toolBody is what a call does or has come to.
func (p *Painter) toolBody(c *chat.Call, args arguments) []text.Line {
	switch c.Name {
	case "edit":
		return p.editBody(c, args)
	case "write":
		return p.folded(p.Source(strings.TrimSuffix(args.text("content"), "\n"), highlight.ForFile(args.text("path"))), codeLines, false)
	case "read":
		return p.readBody(c, args)
	case "bash", "powershell":
		return p.output(c.Output(), outputLines, true)
	}
	return p.output(c.Output(), outputLines, false)
}

func (p *Painter) readBody(c *chat.Call, args arguments) []text.Line {
	out := strings.TrimSuffix(c.Output(), "\n")
	if out == "" || c.Images() > 0 {
		return nil
	}
	if !p.Expanded {
		return p.note(Plural(strings.Count(out, "\n")+1, "1 line", "%d lines"))
	}
	return p.folded(p.Source(out, highlight.ForFile(args.text("path"))), codeLines, false)
}

// editBody shows what an edit has changed, or is about to.
func (p *Painter) editBody(c *chat.Call, args arguments) []text.Line {
	var details struct {
		Diff string `json:"diff"`
	}
	if c.Result != nil && json.Unmarshal(c.Result.Details, &details, jsontext.AllowInvalidUTF8(true)) == nil && details.Diff != "" {
		return p.folded(p.diff(text.Clean(details.Diff)), diffLines, false)
	}
	var lines []text.Line
	edits, _ := args["edits"].([]any)
	for _, e := range append(edits, map[string]any(args)) {
		one, _ := e.(map[string]any)
		lines = append(lines, p.marked("-", theme.Removed, arguments(one).text("oldText"))...)
		lines = append(lines, p.marked("+", theme.Added, arguments(one).text("newText"))...)
	}
	return p.folded(lines, diffLines, false)
}

func (p *Painter) marked(mark string, name theme.Name, s string) []text.Line {
	if s == "" {
		return nil
	}
	var lines []text.Line
	for l := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		lines = append(lines, text.Plain(mark+" "+l, p.Style(name)))
	}
	return lines
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
