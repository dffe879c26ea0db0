package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/rondo-agent/rondo/internal/term/gfm"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// row is one row of a table.
type row []cell

// cell is the line of a cell, before it is broken.
type cell struct {
	text.Line
	align string // as in [gfm.Cell]
}

// table shows a table with columns as wide as their cells or, if that is too wide, as fair
// as can be.
func (r *renderer) table(n *gfm.Table, width int) []text.Line {
	var rows []row
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		rows = append(rows, r.row(c))
	}
	widths := r.columns(rows, width)
	if widths == nil { // there is no room for columns
		return r.listed(rows, width)
	}
	var lines []text.Line
	for i, cells := range rows {
		lines = append(lines, r.cells(cells, widths)...)
		if i == 0 {
			lines = append(lines, r.ruler(widths))
		}
	}
	return lines
}

func (r *renderer) row(n ast.Node) row {
	var cells row
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		c, ok := c.(*gfm.Cell)
		if !ok {
			continue
		}
		style := r.Base
		if c.Head {
			style = style.With(theme.Bold)
		}
		var line text.Line
		for i, l := range r.spans(c, style) {
			if i > 0 {
				line = append(line, text.Span{Text: " "})
			}
			line = append(line, l...)
		}
		cells = append(cells, cell{line, c.Align})
	}
	return cells
}

const (
	gap       = 3 // cells between columns
	minColumn = 4
)

// columns returns how wide the columns are; nil if there is not enough room.
func (r *renderer) columns(rows []row, width int) []int {
	var widths, words []int // of the widest cells, and of the longest words
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths, words = append(widths, 1), append(words, minColumn)
			}
			widths[i] = max(widths[i], cell.Width(r.Measure))
			words[i] = max(words[i], longestWord(cell.Line, r.Measure))
		}
	}
	room := width - gap*(len(widths)-1)
	if room < minColumn*len(widths) {
		return nil
	}
	shrink(widths, words, room)
	shrink(widths, nil, room) // where words do not fit they are broken
	return widths
}

// shrink makes columns narrower until they fit into the room, the widest first, but none narrower
// than its least width; nil is no bound.
func shrink(widths, least []int, room int) {
	for total(widths) > room {
		widest := -1
		for i := range widths {
			if (least == nil || widths[i] > least[i]) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		n := max(1, min(total(widths)-room, widths[widest]/8))
		if least != nil {
			n = min(n, widths[widest]-least[widest])
		}
		widths[widest] -= n
	}
}

// longestWord returns how many cells the longest word of a line takes. Words of scripts without
// spaces can be broken anywhere.
func longestWord(l text.Line, m text.Measure) int {
	longest, word := 0, 0
	for _, s := range l {
		for rest := s.Text; rest != ""; {
			cluster, w := text.Cluster(rest, m)
			rest = rest[len(cluster):]
			switch {
			case cluster == " ":
				word = 0
			case w > 1:
				word = w
			default:
				word += w
			}
			longest = max(longest, word)
		}
	}
	return longest
}

func total(widths []int) int {
	n := 0
	for _, w := range widths {
		n += w
	}
	return n
}

// cells shows a row; it has as many cells as there are widths.
func (r *renderer) cells(cells row, widths []int) []text.Line {
	columns := make([][]text.Line, len(widths))
	height := 1
	for i, c := range cells {
		columns[i] = r.wrap(c.Line, widths[i])
		height = max(height, len(columns[i]))
	}
	lines := make([]text.Line, height)
	for y := range lines {
		for x, column := range columns {
			var line text.Line
			if y < len(column) {
				line = column[y]
			}
			if x > 0 {
				lines[y] = append(lines[y], text.Span{Text: " │ ", Style: r.Theme.Style(theme.Rule)})
			}
			lines[y] = append(lines[y], r.aligned(line, widths[x], cells[x].align)...)
		}
	}
	return lines
}

func (r *renderer) aligned(line text.Line, width int, align string) text.Line {
	left := 0
	switch free := width - line.Width(r.Measure); align {
	case "right":
		left = free
	case "center":
		left = free / 2
	}
	if left > 0 {
		line = append(text.Line{{Text: strings.Repeat(" ", left)}}, line...)
	}
	return line.Pad(width, "", r.Measure)
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
		for x, c := range cells {
			l := c.Line
			if i > 0 {
				l = slices.Concat(rows[0][x].Line, text.Line{{Text: ": "}}, c.Line)
			}
			lines = append(lines, r.wrap(l, width)...)
		}
	}
	return lines
}
