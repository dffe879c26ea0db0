package html

import (
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/rondo-agent/rondo/internal/term/gfm"
	"github.com/rondo-agent/rondo/internal/term/highlight"
)

// markdown writes the text of a model.
func (x *exporter) markdown(source string) {
	for part, tame := range parts(source) {
		if !tame {
			x.plain(part)
			continue
		}
		if x.parser == nil {
			x.parser = gfm.Parser()
		}
		src := []byte(part)
		m := &marker{page: x.page, src: src}
		x.raw(`<div class="md">`)
		m.children(x.parser.Parse(text.NewReader(src)))
		x.raw("</div>\n")
	}
}

// marker writes the nodes of a parsed text. It writes elements of its own only: markup in
// the text is text, and what it does not know is reduced to what is in it.
type marker struct {
	*page
	src []byte
	// depth is how many elements are open.
	depth int
}

// maxDepth is how deep elements may be nested; browsers give up at several hundreds.
const maxDepth = 60

func (m *marker) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.node(c)
	}
}

// in writes an element around the children of a node; the tag is one of ours.
func (m *marker) in(tag string, n ast.Node) {
	if m.depth >= maxDepth {
		m.children(n)
		return
	}
	m.depth++
	m.raw("<", tag, ">")
	m.children(n)
	name, _, _ := strings.Cut(tag, " ")
	m.raw("</", name, ">")
	m.depth--
}

func (m *marker) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph:
		m.in("p", n)
		m.raw("\n")
	case *ast.Heading:
		m.in("h"+strconv.Itoa(min(n.Level+1, 6)), n) // h1 is the page's own
		m.raw("\n")
	case *ast.ThematicBreak:
		m.raw("<hr>\n")
	case *ast.Blockquote:
		m.in("blockquote", n)
	case *ast.List:
		m.list(n)
	case *ast.ListItem:
		m.item(n)
	case *ast.FencedCodeBlock:
		m.block(gfm.Lines(n, m.src), highlight.Named(string(n.Language(m.src))), 0)
	case *ast.CodeBlock:
		m.block(gfm.Lines(n, m.src), nil, 0)
	case *ast.HTMLBlock:
		m.htmlBlock(n)
	case *gfm.Table:
		m.raw(`<div class="scroll">`)
		m.in("table", n)
		m.raw("</div>\n")
	case *gfm.Row:
		m.in("tr", n)
	case *gfm.Cell:
		m.cell(n)
	default:
		m.inline(n)
	}
}

func (m *marker) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		value := string(n.Segment.Value(m.src))
		if !n.IsRaw() {
			value = resolved(value)
		}
		m.text(value)
		switch {
		case n.HardLineBreak():
			m.raw("<br>\n")
		case n.SoftLineBreak():
			m.raw("\n")
		}
	case *ast.String:
		m.text(string(n.Value))
	case *ast.CodeSpan:
		m.codeSpan(n)
	case *ast.Emphasis:
		m.in([...]string{1: "em", 2: "strong", gfm.Struck: "del"}[n.Level], n)
	case *gfm.Task:
		if n.Done {
			m.raw("☑ ")
		} else {
			m.raw("☐ ")
		}
	case *ast.Link:
		m.link(destination(n.Destination), func() { m.children(n) })
	case *ast.Image:
		m.link(destination(n.Destination), func() {
			m.raw("Image: ")
			m.children(n)
		})
	case *ast.AutoLink:
		target := string(n.URL(m.src))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(target), "mailto:") {
			target = "mailto:" + target
		}
		m.link(target, func() { m.text(string(n.Label(m.src))) })
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			m.text(string(s.Value(m.src)))
		}
	default:
		m.children(n)
	}
}

func (m *marker) list(n *ast.List) {
	tag := "ul"
	if n.IsOrdered() {
		tag = "ol"
		if n.Start != 1 {
			tag += ` start="` + strconv.Itoa(n.Start) + `"`
		}
	}
	m.in(tag, n)
	m.raw("\n")
}

func (m *marker) item(n *ast.ListItem) {
	tag := "li"
	if first := n.FirstChild(); first != nil {
		if _, ok := first.FirstChild().(*gfm.Task); ok {
			tag += ` class="task"`
		}
	}
	m.in(tag, n)
}

func (m *marker) cell(n *gfm.Cell) {
	tag := "td"
	if n.Head {
		tag = "th"
	}
	if n.Align != "" {
		tag += ` class="` + n.Align + `"`
	}
	m.in(tag, n)
}

func (m *marker) codeSpan(n *ast.CodeSpan) {
	m.raw("<code>")
	m.code(gfm.Code(n, m.src))
	m.raw("</code>")
}

// htmlBlock shows markup as the text that it is here.
func (m *marker) htmlBlock(n *ast.HTMLBlock) {
	m.raw(`<p class="html">`)
	m.text(strings.TrimSpace(gfm.HTML(n, m.src)))
	m.raw("</p>\n")
}

// link writes a link if it leads somewhere harmless, and else only what it says.
func (m *marker) link(target string, label func()) {
	if !harmless(target) {
		label()
		return
	}
	m.raw("<a")
	m.attr("href", target)
	m.raw(` target="_blank" rel="noopener noreferrer nofollow">`)
	label()
	m.raw("</a>")
}

func destination(raw []byte) string { return string(util.URLEscape(raw, true)) }

// resolved returns text without the backslashes and references of markdown.
func resolved(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			reference := s[i:min(i+maxReference, len(s))]
			if end := strings.IndexByte(reference, ';'); end > 0 {
				reference = reference[:end+1]
				if text := html.UnescapeString(reference); text != reference {
					b.WriteString(text)
					i += end
					continue
				}
			}
			b.WriteByte('&')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// maxReference is longer than the longest name of a character in HTML.
const maxReference = 40

// harmless reports whether a page may link to target.
func harmless(target string) bool {
	u, err := url.Parse(strings.TrimSpace(target))
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}
