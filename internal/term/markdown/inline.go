package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/rondo-agent/rondo/internal/term/gfm"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// spans returns the text of a block, a line for each line break in it.
func (r *renderer) spans(block ast.Node, style text.Style) []text.Line {
	w := &inlineWriter{renderer: r, lines: []text.Line{nil}}
	w.children(block, style, 0)
	for len(w.lines) > 1 && len(w.lines[len(w.lines)-1]) == 0 {
		w.lines = w.lines[:len(w.lines)-1]
	}
	return w.lines
}

type inlineWriter struct {
	*renderer
	lines []text.Line
}

func (w *inlineWriter) write(s string, style text.Style) {
	for i, part := range strings.Split(strings.ReplaceAll(s, "\t", "    "), "\n") {
		if i > 0 {
			w.lines = append(w.lines, nil)
		}
		if part != "" {
			last := len(w.lines) - 1
			w.lines[last] = append(w.lines[last], text.Span{Text: part, Style: style})
		}
	}
}

func (w *inlineWriter) children(n ast.Node, style text.Style, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.inline(c, style, depth)
	}
}

func (w *inlineWriter) inline(n ast.Node, style text.Style, depth int) {
	if depth > maxDepth*4 {
		return
	}
	switch n := n.(type) {
	case *ast.Text:
		w.text(n, style)
	case *ast.String:
		w.write(string(n.Value), style)
	case *ast.CodeSpan:
		w.write(gfm.Code(n, w.src), style.With(w.Theme.Style(theme.Code)))
	case *ast.Emphasis:
		looks := [...]text.Style{1: theme.Italic, 2: theme.Bold, gfm.Struck: theme.Strikethrough}
		w.children(n, style.With(looks[n.Level]), depth+1)
	case *ast.Link:
		w.link(n, style, depth)
	case *ast.AutoLink:
		w.write(string(n.Label(w.src)), style.With(w.Theme.Style(theme.Link)))
	case *ast.Image:
		w.write("🖼 "+w.plain(n), style)
		w.url(string(n.Destination), style)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			w.write(string(segment.Value(w.src)), style)
		}
	case *gfm.Task:
		if n.Done {
			w.write("☑ ", style)
		} else {
			w.write("☐ ", style)
		}
	default:
		w.children(n, style, depth+1)
	}
}

func (w *inlineWriter) text(n *ast.Text, style text.Style) {
	value := n.Segment.Value(w.src)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		value = []byte(text.Clean(string(value))) // an entity may stand for a control character
	}
	w.write(string(value), style)
	if n.SoftLineBreak() || n.HardLineBreak() {
		w.lines = append(w.lines, nil)
	}
}

// plain is the text of a node without styles.
func (w *inlineWriter) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(w.src))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.ReplaceAll(b.String(), "\n", " ")
}

func (w *inlineWriter) link(n *ast.Link, style text.Style, depth int) {
	w.children(n, style.With(w.Theme.Style(theme.Link)), depth+1)
	if url := string(n.Destination); url != w.plain(n) && "mailto:"+w.plain(n) != url {
		w.url(url, style)
	}
}

// url shows where a link leads: text alone could say anything.
func (w *inlineWriter) url(url string, style text.Style) {
	if url != "" {
		w.write(" ("+text.OneLine(url)+")", style.With(w.Theme.Style(theme.LinkURL)))
	}
}
