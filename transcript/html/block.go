package html

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/highlight"
)

// How many lines are shown before a reader asks for more.
const (
	codeLines     = 18
	terminalLines = 14
	diffLines     = 60
)

// block writes code in its colours; lang may be nil. Code of more than fold lines is
// clipped, unless fold is 0.
func (p *page) block(text string, lang *highlight.Language, fold int) {
	text = strings.TrimRight(text, "\n")
	p.box("code", "", text, fold, func() {
		if lang == nil {
			p.code(text)
		} else {
			p.pieces(text, lang)
		}
	})
}

// source writes the code of a file like block, but it gets its colours from the script,
// when it is in view: a session has a lot of it.
func (p *page) source(text string, lang *highlight.Language) {
	text = clean(text)
	if lang == nil || strings.ContainsFunc(text, turnsDirection) {
		p.block(text, lang, codeLines)
		return
	}
	text = strings.TrimRight(text, "\n")
	p.box("code", colours(text, lang), text, codeLines, func() { p.code(text) })
}

// colours lists the pieces that have a colour: how many characters are before it, its
// class, and its length. Characters are counted as browsers do, in UTF-16.
func colours(text string, lang *highlight.Language) string {
	var list []byte
	gap := 0
	for kind, piece := range lang.Pieces(text) {
		if kind == highlight.Plain {
			gap += units(piece)
			continue
		}
		if len(list) > 0 {
			list = append(list, ',')
		}
		if gap > 0 {
			list = strconv.AppendInt(list, int64(gap), 10)
		}
		list = append(list, kindClasses[kind]...)
		list = strconv.AppendInt(list, int64(units(piece)), 10)
		gap = 0
	}
	return string(list)
}

// units returns the length of a text in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// kindClasses are the classes of the kinds of code.
var kindClasses = [...]string{
	highlight.Comment: "c", highlight.String: "s", highlight.Number: "n", highlight.Keyword: "k", highlight.Type: "t", highlight.Function: "f",
	highlight.Name: "v", highlight.Heading: "h", highlight.Inserted: "i", highlight.Deleted: "d",
}

func (p *page) pieces(text string, lang *highlight.Language) {
	for kind, piece := range lang.Pieces(text) {
		if kind == highlight.Plain {
			p.code(piece)
			continue
		}
		p.raw(`<i class="`, kindClasses[kind], `">`)
		p.code(piece)
		p.raw("</i>")
	}
}

// box writes a frame around preformatted text, with buttons to copy it and to see all of
// it. The class is one of ours; colours may be empty.
func (p *page) box(class, colours, text string, fold int, content func()) {
	lines := shownLines(text)
	clipped := fold > 0 && lines > fold+fold/4 // a few more lines are shown rather than hidden
	p.raw(`<div class="box `, class)
	if clipped {
		p.raw(" clip")
	}
	p.raw(`"><button type="button" class="copy">Copy</button><pre`)
	if colours != "" {
		p.attr("data-h", colours)
	}
	p.raw(">")
	if strings.HasPrefix(text, "\n") {
		p.raw("\n") // browsers drop a line break that comes first
	}
	content()
	p.raw("</pre>")
	if clipped {
		p.rawf(`<button type="button" class="more">Show all %d lines</button>`, lines)
	}
	p.raw("</div>\n")
}

// wrapAt is about how many characters are shown on a line.
const wrapAt = 110

// shownLines returns about how many lines a text takes.
func shownLines(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n += 1 + len(line)/wrapAt
	}
	return n
}

// output writes what a command has written; its end is shown first.
func (p *page) output(text string, fold int) {
	text = strings.TrimRight(text, "\r\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	p.box("terminal", "", text, fold, func() { p.terminal(text) })
}

// rasters are the types of images that are shown: pictures that cannot contain anything
// that runs.
var rasters = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"}

// image writes an image whose data is in the page.
func (p *page) image(b *ai.Image) {
	mime := ""
	for _, known := range rasters {
		if strings.EqualFold(b.MIMEType, known) {
			mime = known
		}
	}
	if mime == "" || !isBase64(b.Data) {
		p.raw(`<p class="aside">An image of the type `)
		p.text(preview(b.MIMEType, 60))
		p.raw(", which is not shown</p>\n")
		return
	}
	p.raw(`<img class="picture" alt="An image of this session" loading="lazy" decoding="async" src="data:`, mime, ";base64,", b.Data, `">`, "\n")
}

// isBase64 reports whether data is base64 and nothing else.
func isBase64(data string) bool {
	for i := range len(data) {
		switch c := data[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '+', c == '/', c == '=':
		default:
			return false
		}
	}
	head := data[:min(len(data), 64)&^3]
	_, err := base64.StdEncoding.DecodeString(head)
	return err == nil && head != ""
}
