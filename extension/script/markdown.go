package script

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/rondo-agent/rondo/internal/term/gfm"
)

// mdBlock is a block of Markdown as facade/tui/markdown.js gets it. Which fields are set
// depends on Kind: "p", "h", "code", "quote", "list", "item", "hr", "table", "html".
type mdBlock struct {
	Kind   string     `json:"t"`
	Gap    bool       `json:"gap,omitzero"` // an empty line stands before it
	Level  int        `json:"n,omitzero"`   // of a heading; the first number of a list
	Text   string     `json:"s,omitzero"`   // code, HTML, the source of a table
	Lang   string     `json:"lang,omitzero"`
	Order  bool       `json:"ordered,omitzero"`
	Loose  bool       `json:"loose,omitzero"`
	Task   string     `json:"task,omitzero"` // "[ ]" or "[x]", of an item
	Inline []mdInline `json:"c,omitzero"`
	Blocks []mdBlock  `json:"b,omitzero"` // of quotations, lists and items
	Rows   [][]mdCell `json:"rows,omitzero"`
}

type mdCell = []mdInline

// mdInline is a piece of text: "t" plain, "b" bold, "i" italic, "s" struck, "c" code, "a" link.
type mdInline struct {
	Kind   string     `json:"t"`
	Text   string     `json:"s,omitzero"`
	URL    string     `json:"url,omitzero"`
	Inline []mdInline `json:"c,omitzero"`
}

var mdParser = sync.OnceValue(gfm.Parser)

// maxMarkdownDepth bounds the nesting of blocks and of styles that is shown as such.
const maxMarkdownDepth = 40

// markdownOps are the operations of facade/tui/markdown.js.
func markdownOps() Table {
	type source struct {
		Text string `json:"text"`
	}
	return Table{
		"markdown.parse": Typed(func(_ context.Context, in source) ([]mdBlock, error) {
			return parseMarkdown(in.Text), nil
		}),
	}
}

func parseMarkdown(source string) []mdBlock {
	src := []byte(source)
	r := mdReader{src: src}
	return r.blocks(mdParser().Parse(gtext.NewReader(src), parser.WithContext(parser.NewContext())), 0)
}

type mdReader struct{ src []byte }

func (r mdReader) blocks(parent ast.Node, depth int) []mdBlock {
	out := []mdBlock{}
	if depth > maxMarkdownDepth {
		return out
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b, ok := r.block(n, depth)
		if !ok {
			continue
		}
		b.Gap = n.PreviousSibling() != nil && n.HasBlankPreviousLines()
		out = append(out, b)
	}
	return out
}

func (r mdReader) block(n ast.Node, depth int) (mdBlock, bool) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return mdBlock{Kind: "p", Inline: r.inlines(n, 0)}, true
	case *ast.Heading:
		return mdBlock{Kind: "h", Level: n.Level, Inline: r.inlines(n, 0)}, true
	case *ast.ThematicBreak:
		return mdBlock{Kind: "hr"}, true
	case *ast.Blockquote:
		return mdBlock{Kind: "quote", Blocks: r.blocks(n, depth+1)}, true
	case *ast.FencedCodeBlock:
		return mdBlock{Kind: "code", Lang: string(n.Language(r.src)), Text: strings.TrimSuffix(gfm.Lines(n, r.src), "\n")}, true
	case *ast.CodeBlock:
		return mdBlock{Kind: "code", Text: strings.TrimSuffix(gfm.Lines(n, r.src), "\n")}, true
	case *ast.HTMLBlock:
		return mdBlock{Kind: "html", Text: gfm.HTML(n, r.src)}, true
	case *ast.List:
		return mdBlock{Kind: "list", Order: n.IsOrdered(), Level: n.Start, Loose: !n.IsTight, Blocks: r.blocks(n, depth+1)}, true
	case *ast.ListItem:
		return r.item(n, depth), true
	case *gfm.Table:
		return r.table(n), true
	}
	return mdBlock{}, false
}

func (r mdReader) item(n *ast.ListItem, depth int) mdBlock {
	b := mdBlock{Kind: "item", Blocks: r.blocks(n, depth+1)}
	if first := n.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*gfm.Task); ok {
			b.Task = "[ ]"
			if box.Done {
				b.Task = "[x]"
			}
		}
	}
	return b
}

func (r mdReader) table(n *gfm.Table) mdBlock {
	b := mdBlock{Kind: "table"}
	from, to := len(r.src), 0
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []mdCell
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.inlines(cell, 0))
			if lines := cell.Lines(); lines.Len() > 0 {
				from, to = min(from, lines.At(0).Start), max(to, lines.At(0).Stop)
			}
		}
		b.Rows = append(b.Rows, cells)
	}
	if from < to {
		from = bytes.LastIndexByte(r.src[:from], '\n') + 1
		end, _, _ := bytes.Cut(r.src[to:], []byte("\n"))
		b.Text = string(r.src[from : to+len(end)])
	}
	return b
}

func (r mdReader) inlines(parent ast.Node, depth int) []mdInline {
	out := []mdInline{}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		for _, in := range r.inline(n, depth) {
			if last := len(out) - 1; in.Kind == "t" && last >= 0 && out[last].Kind == "t" {
				out[last].Text += in.Text
				continue
			}
			out = append(out, in)
		}
	}
	return out
}

func (r mdReader) inline(n ast.Node, depth int) []mdInline {
	if depth > maxMarkdownDepth {
		return nil
	}
	nested := func(kind, url string) []mdInline {
		return []mdInline{{Kind: kind, URL: url, Inline: r.inlines(n, depth+1)}}
	}
	switch n := n.(type) {
	case *ast.Text:
		text := string(util.UnescapePunctuations(n.Segment.Value(r.src)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			text += "\n"
		}
		return []mdInline{{Kind: "t", Text: text}}
	case *ast.String:
		return []mdInline{{Kind: "t", Text: string(n.Value)}}
	case *ast.Emphasis:
		if n.Level == gfm.Struck && r.single(n) {
			tilde := mdInline{Kind: "t", Text: "~"}
			return append(append([]mdInline{tilde}, r.inlines(n, depth+1)...), tilde)
		}
		return nested([...]string{1: "i", 2: "b", gfm.Struck: "s"}[n.Level], "")
	case *ast.CodeSpan:
		return []mdInline{{Kind: "c", Text: gfm.Code(n, r.src)}}
	case *ast.Link:
		return nested("a", string(n.Destination))
	case *ast.AutoLink:
		url := string(n.URL(r.src))
		if n.AutoLinkType == ast.AutoLinkEmail {
			url = "mailto:" + url
		}
		return []mdInline{{Kind: "a", URL: url, Inline: []mdInline{{Kind: "t", Text: string(n.Label(r.src))}}}}
	case *ast.RawHTML:
		return []mdInline{{Kind: "t", Text: string(n.Segments.Value(r.src))}}
	}
	return r.inlines(n, depth+1) // an image is its text
}

// single reports whether text is between single tildes, which mean "about" more often.
func (r mdReader) single(n ast.Node) bool {
	for n.FirstChild() != nil {
		n = n.FirstChild()
	}
	t, ok := n.(*ast.Text)
	return ok && t.Segment.Start >= 1 && (t.Segment.Start < 2 || r.src[t.Segment.Start-2] != '~')
}
