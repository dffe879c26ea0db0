package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/rondo-agent/rondo/mode/tui/text"
	"github.com/rondo-agent/rondo/mode/tui/theme"
)

// row is one row of a table: a line for each cell, before it is broken.
type row []text.Line

// table shows a table with columns as wide as their cells or, if that is too wide, as fair
// as can be.
func (r *renderer) table(n *east.Table, width int) []text.Line {
	var rows []row
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		rows = append(rows, r.row(c, c.Kind() == east.KindTableHeader))
	}
	widths := r.columns(rows, width)
	if widths == nil { // there is no room for columns
		return r.listed(rows, width)
	}
	var lines []text.Line
	for i, cells := range rows {
		lines = append(lines, r.cells(cells, widths, n.Alignments)...)
		if i == 0 {
			lines = append(lines, r.ruler(widths))
		}
	}
	return lines
}

func (r *renderer) row(n ast.Node, header bool) row {
	style := r.Base
	if header {
		style = style.With(theme.Bold)
	}
	var cells row
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		var cell text.Line
		for i, l := range r.spans(c, style) {
			if i > 0 {
				cell = append(cell, text.Span{Text: " "})
			}
			cell = append(cell, l...)
		}
		cells = append(cells, cell)
	}
	return cells
}

const (
	gap       = 3 // cells between columns
	minColumn = 4
)

// columns returns how wide the columns are; nil if there is not enough room.
func (r *renderer) columns(rows []row, width int) []int {
	var widths []int
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			widths[i] = max(widths[i], cell.Width(r.Measure))
		}
	}
	room := width - gap*(len(widths)-1)
	if room < minColumn*len(widths) {
		return nil
	}
	for total(widths) > room { // the widest gives way
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		widths[widest] -= max(1, min(total(widths)-room, widths[widest]/8))
	}
	return widths
}

func total(widths []int) int {
	n := 0
	for _, w := range widths {
		n += w
	}
	return n
}

func (r *renderer) cells(cells row, widths []int, align []east.Alignment) []text.Line {
	columns := make([][]text.Line, len(widths))
	height := 1
	for i, cell := range cells {
		if i < len(widths) {
			columns[i] = r.wrap(cell, widths[i])
			height = max(height, len(columns[i]))
		}
	}
	lines := make([]text.Line, height)
	for y := range lines {
		for x, column := range columns {
			var cell text.Line
			if y < len(column) {
				cell = column[y]
			}
			if x > 0 {
				lines[y] = append(lines[y], text.Span{Text: " │ ", Style: r.Theme.Style(theme.Rule)})
			}
			lines[y] = append(lines[y], r.aligned(cell, widths[x], align, x)...)
		}
	}
	return lines
}

func (r *renderer) aligned(cell text.Line, width int, align []east.Alignment, x int) text.Line {
	free := width - cell.Width(r.Measure)
	left := 0
	if x < len(align) {
		switch align[x] {
		case east.AlignRight:
			left = free
		case east.AlignCenter:
			left = free / 2
		case east.AlignLeft, east.AlignNone:
		}
	}
	if left > 0 {
		cell = append(text.Line{{Text: strings.Repeat(" ", left)}}, cell...)
	}
	return cell.Pad(width, "", r.Measure)
}

func (r *renderer) ruler(widths []int) text.Line {
	var b strings.Builder
	for i, w := range widths {
		if i > 0 {
			b.WriteString("─┼─")
		}
		b.WriteString(strings.Repeat("─", w))
	}
	return text.Plain(b.String(), r.Theme.Style(theme.Rule))
}

// listed shows a table as a list, with the header before each cell.
func (r *renderer) listed(rows []row, width int) []text.Line {
	var lines []text.Line
	for i, cells := range rows {
		if i == 0 && len(rows) > 1 {
			continue
		}
		for x, cell := range cells {
			l := cell
			if i > 0 && x < len(rows[0]) {
				l = append(append(rows[0][x][:len(rows[0][x]):len(rows[0][x])], text.Span{Text: ": "}), cell...)
			}
			lines = append(lines, r.wrap(l, width)...)
		}
	}
	return lines
}
