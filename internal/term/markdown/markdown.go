// Package markdown shows Markdown in a terminal. It is fast enough to show the open block of
// an answer again for each frame, and [Split] tells which blocks are finished.
package markdown

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	gtext "github.com/yuin/goldmark/text"

	"github.com/rondo-agent/rondo/internal/term/gfm"
	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// Options say how text is shown.
type Options struct {
	Width   int
	Measure text.Measure
	Theme   *theme.Theme
	// Base is the style of plain text.
	Base text.Style
}

var markdownParser = sync.OnceValue(gfm.Parser)

// maxDepth bounds the nesting that is shown as such.
const maxDepth = 12

// Lines returns a text without control characters but tabs ([text.CleanSource]) as lines of at
// most the width. Tabs are expanded after it has been parsed, since they mean something to Markdown.
func Lines(src string, opts *Options) []text.Line {
	r := &renderer{Options: *opts, src: []byte(src)}
	if excessive(src) {
		return r.plain(src, max(opts.Width, 1))
	}
	doc := markdownParser().Parse(gtext.NewReader(r.src))
	return r.children(doc, max(opts.Width, 1), 0)
}

// What is more than users write is shown as it is: a parser may take time that grows with
// the square of it, and the screen would wait.
const (
	maxBytes  = 256 << 10
	maxLinks  = 2000
	maxQuotes = 100
)

func excessive(src string) bool {
	return len(src) > maxBytes || strings.Count(src, "[") > maxLinks ||
		strings.Contains(strings.ReplaceAll(src, " ", ""), strings.Repeat(">", maxQuotes))
}

// plain shows a text without looking for Markdown.
func (r *renderer) plain(src string, width int) []text.Line {
	var lines []text.Line
	for l := range strings.SplitSeq(text.Expand(src), "\n") {
		lines = append(lines, r.wrap(text.Plain(l, r.Base), width)...)
	}
	return lines
}

type renderer struct {
	Options
	src []byte
}

// children shows the blocks of a container, with an empty line between them unless they are
// parts of a tight list.
func (r *renderer) children(parent ast.Node, width, depth int) []text.Line {
	var lines []text.Line
	list, inList := parent.(*ast.List)
	tight := inList && list.IsTight
	if item, ok := parent.(*ast.ListItem); ok {
		tight = item.Parent().(*ast.List).IsTight
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := r.block(n, width, depth)
		if len(lines) > 0 && len(block) > 0 && !tight {
			lines = append(lines, nil)
		}
		lines = append(lines, block...)
	}
	return lines
}

func (r *renderer) block(n ast.Node, width, depth int) []text.Line {
	if depth > maxDepth {
		return r.wrap(text.Plain(text.Expand(string(n.Text(r.src))), r.Base), width) //nolint:staticcheck // the text of whatever is nested too deeply
	}
	switch n := n.(type) {
	case *ast.Heading:
		return r.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.inlines(n, r.Base, width)
	case *ast.List:
		return r.list(n, width, depth)
	case *ast.Blockquote:
		return r.quote(n, width, depth)
	case *ast.FencedCodeBlock:
		return r.code(n, highlight.Named(string(n.Language(r.src))), width)
	case *ast.CodeBlock:
		return r.code(n, nil, width)
	case *ast.ThematicBreak:
		return []text.Line{text.Plain(strings.Repeat("─", min(width, 40)), r.Theme.Style(theme.Rule))}
	case *ast.HTMLBlock:
		return r.html(n, width)
	case *gfm.Table:
		return r.table(n, width)
	}
	return r.children(n, width, depth+1)
}

func (r *renderer) wrap(l text.Line, width int) []text.Line {
	return text.Wrap(l, width, nil, r.Measure)
}

func (r *renderer) heading(n *ast.Heading, width int) []text.Line {
	style := r.Base.With(r.Theme.Style(theme.Heading))
	if n.Level == 1 {
		style = style.With(theme.Underline)
	}
	return r.inlines(n, style, width)
}

// prefixed puts something before each line of a block: first before the first one, rest
// before the others.
func prefixed(lines []text.Line, first, rest text.Line) []text.Line {
	out := make([]text.Line, len(lines))
	prefix := first
	for i, l := range lines {
		out[i] = append(prefix[:len(prefix):len(prefix)], l...)
		prefix = rest
	}
	return out
}

func (r *renderer) list(n *ast.List, width, depth int) []text.Line {
	var lines []text.Line
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		indent := len(mark)
		if !n.IsOrdered() {
			indent = 2
		}
		body := r.children(item, max(width-indent, 1), depth+1)
		if len(body) == 0 {
			body = []text.Line{nil}
		}
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, nil)
		}
		lines = append(lines, prefixed(body, text.Plain(mark, r.Base.With(r.Theme.Style(theme.ListBullet))), text.Plain(strings.Repeat(" ", indent), ""))...)
	}
	return lines
}

func (r *renderer) quote(n ast.Node, width, depth int) []text.Line {
	inner := *r
	inner.Base = r.Base.With(r.Theme.Style(theme.Quote))
	bar := text.Plain("│ ", r.Theme.Style(theme.QuoteBar))
	return prefixed(inner.children(n, max(width-2, 1), depth+1), bar, bar)
}

// code shows code without its fences, moved in by two cells.
func (r *renderer) code(n ast.Node, lang *highlight.Language, width int) []text.Line {
	var lines []text.Line
	indent := text.Plain("  ", "")
	for _, l := range r.Theme.Source(text.Expand(strings.TrimSuffix(gfm.Lines(n, r.src), "\n")), lang) {
		lines = append(lines, prefixed(text.Break(l, max(width-2, 1), r.Measure), indent, indent)...)
	}
	return lines
}

func (r *renderer) html(n *ast.HTMLBlock, width int) []text.Line {
	var lines []text.Line
	for l := range strings.SplitSeq(text.Expand(gfm.HTML(n, r.src)), "\n") {
		lines = append(lines, r.wrap(text.Plain(l, r.Base), width)...)
	}
	return lines
}

// inlines shows the text of a block.
func (r *renderer) inlines(n ast.Node, style text.Style, width int) []text.Line {
	var lines []text.Line
	for _, l := range r.spans(n, style) {
		lines = append(lines, r.wrap(l, width)...)
	}
	return lines
}
