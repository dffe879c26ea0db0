// Package gfm parses Markdown as GitHub knows it: CommonMark with tables, struck text, task
// lists, and links without brackets. Goldmark has these in a package that compiles many
// regular expressions whenever the program starts, so they are written here.
package gfm

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parser returns a parser. It is safe for concurrent use.
func Parser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(struckParser{}, 500), util.Prioritized(taskParser{}, 0), util.Prioritized(bareLinkParser{}, 999))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tableTransformer{}, 200))...),
	)
}

// Struck is the level of [ast.Emphasis] that stands for struck text.
const Struck = 3

type struckParser struct{}

func (struckParser) Trigger() []byte { return []byte{'~'} }

func (struckParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	mark := parser.ScanDelimiter(line, before, 1, struckMarks{})
	if mark == nil || mark.OriginalLength > 2 || before == '~' {
		return nil
	}
	mark.Segment = segment.WithStop(segment.Start + mark.OriginalLength)
	block.Advance(mark.OriginalLength)
	pc.PushDelimiter(mark)
	return mark
}

type struckMarks struct{}

func (struckMarks) IsDelimiter(b byte) bool { return b == '~' }
func (struckMarks) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}
func (struckMarks) OnMatch(int) ast.Node { return ast.NewEmphasis(Struck) }

// Task is the box of an item in a task list.
type Task struct {
	ast.String
	Done bool
}

type taskParser struct{}

func (taskParser) Trigger() []byte { return []byte{'['} }

func (taskParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 5 || line[2] != ']' || line[3] != ' ' || !bytes.ContainsAny(line[1:2], " xX") {
		return nil
	}
	block.Advance(4)
	return &Task{Done: line[1] != ' '}
}

// bareLinkParser makes links of addresses that stand alone.
type bareLinkParser struct{}

// Trigger names what may stand before an address; the blank stands for the beginning of a
// line as well.
func (bareLinkParser) Trigger() []byte { return []byte(" *_~(") }

func (bareLinkParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, segment := block.PeekLine()
	skip := 0
	if strings.IndexByte(" *_~(", line[0]) >= 0 {
		skip = 1
	}
	n := addressLen(string(line[skip:]))
	if n == 0 {
		return nil
	}
	if skip > 0 {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(segment.Start+skip))
	}
	block.Advance(skip + n)
	from := segment.Start + skip
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(from, from+n)))
}

// addressLen returns how long the address at the beginning of the text is, without the
// marks that belong to the sentence around it; 0 if there is none.
func addressLen(s string) int {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return 0
	}
	if end := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == '<' || r == '>' || r == '|' || r == '`' }); end >= 0 {
		s = s[:end]
	}
	for {
		trimmed := strings.TrimRight(s, "?!.,:;*_~'\"")
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
			trimmed = trimmed[:len(trimmed)-1]
		}
		if trimmed == s {
			break
		}
		s = trimmed
	}
	if strings.HasSuffix(s, "/") && strings.Count(s, "/") == 2 {
		return 0
	}
	return len(s)
}

// A Table consists of rows, and these of cells, whose lines the parser reads as text.
type (
	Table struct{ ast.TextBlock }
	// Row is a row of a table.
	Row struct{ ast.TextBlock }
	// Cell is a cell of a row.
	Cell struct {
		ast.TextBlock
		Head  bool
		Align string // "right", "center" or ""
	}
)

type tableTransformer struct{}

// Transform makes a table of a paragraph in which a line of dashes follows a line of names.
func (tableTransformer) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := p.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		aligns := alignments(string(line.Value(source)))
		if aligns == nil {
			continue
		}
		names := cells(lines.At(i-1), source)
		if len(names) != len(aligns) {
			return
		}
		t := new(Table)
		t.AppendChild(t, newRow(names, aligns, true))
		for j := i + 1; j < lines.Len(); j++ {
			t.AppendChild(t, newRow(cells(lines.At(j), source), aligns, false))
		}
		parent := p.Parent()
		parent.InsertAfter(parent, p, t)
		lines.SetSliced(0, i-1)
		if i == 1 {
			parent.RemoveChild(parent, p)
		} else {
			last := lines.At(i - 2)
			lines.Set(i-2, last.TrimRightSpace(source))
		}
		return
	}
}

// alignments reads a line such as | --- | :-: | -: |; nil if it is none.
func alignments(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.Contains(line, "-") || strings.Trim(line, "|-: \t") != "" || !strings.Contains(line, "|") && !strings.Contains(line, ":") {
		return nil
	}
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var aligns []string
	for part := range strings.SplitSeq(line, "|") {
		part = strings.TrimSpace(part)
		left, right := strings.HasPrefix(part, ":"), strings.HasSuffix(part, ":")
		if dashes := strings.Trim(part, ":"); dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		switch {
		case left && right:
			aligns = append(aligns, "center")
		case right:
			aligns = append(aligns, "right")
		default:
			aligns = append(aligns, "")
		}
	}
	return aligns
}

// cells divides a line of a table.
func cells(line text.Segment, source []byte) []text.Segment {
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	value := line.Value(source)
	var parts []text.Segment
	from := 0
	if bytes.HasPrefix(value, []byte("|")) {
		from = 1
	}
	for i := from; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '|':
			parts = append(parts, text.NewSegment(line.Start+from, line.Start+i))
			from = i + 1
		}
	}
	if from < len(value) {
		parts = append(parts, text.NewSegment(line.Start+from, line.Stop))
	}
	for i, part := range parts {
		part = part.TrimLeftSpace(source)
		parts[i] = part.TrimRightSpace(source)
	}
	return parts
}

// newRow makes a row of as many cells as the table has columns.
func newRow(parts []text.Segment, aligns []string, head bool) *Row {
	r := new(Row)
	for i, align := range aligns {
		c := &Cell{Head: head, Align: align}
		if i < len(parts) && !parts[i].IsEmpty() {
			c.Lines().Append(parts[i])
		}
		r.AppendChild(r, c)
	}
	return r
}

// Lines returns the lines of a block as they are written.
func Lines(n ast.Node, src []byte) string {
	lines := n.Lines()
	if lines.Len() == 1 {
		line := lines.At(0)
		return string(line.Value(src))
	}
	var b strings.Builder
	for i := range lines.Len() {
		line := lines.At(i)
		b.Write(line.Value(src))
	}
	return b.String()
}

// HTML returns the lines of markup, which is text here, without line breaks around it.
func HTML(n *ast.HTMLBlock, src []byte) string {
	text := Lines(n, src)
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(src))
	}
	return strings.Trim(text, "\n")
}

// Code returns the text of a code span. Line breaks in it are spaces, and in a cell a bar that is
// escaped is a bar.
func Code(n *ast.CodeSpan, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(src))
		case *ast.String:
			b.Write(c.Value)
		}
	}
	text := strings.ReplaceAll(b.String(), "\n", " ")
	if inCell(n) {
		text = strings.ReplaceAll(text, `\|`, "|")
	}
	return text
}

func inCell(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if _, ok := p.(*Cell); ok {
			return true
		}
	}
	return false
}
