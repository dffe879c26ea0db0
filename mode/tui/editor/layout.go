package editor

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/text"
)

// row is a part of the text that is shown on a row of its own.
type row struct {
	start, end int
	soft       bool // another row of the same line follows
}

// clusters is the measure by which characters are divided: always what a reader sees as
// one, whatever the terminal makes of its width.
func (e *Editor) clusters() text.Measure { return ansi.GraphemeWidth }

// rows lays the text out for the newest width.
func (e *Editor) rows() []row {
	width := e.width
	if width <= 0 {
		width = 80
	}
	var rows []row
	start := 0
	for line := range strings.SplitSeq(e.value, "\n") {
		rows = e.wrap(rows, start, start+len(line), width)
		start += len(line) + 1
	}
	return rows
}

// wrap lays out one line: rows end behind a blank where there is one.
func (e *Editor) wrap(rows []row, start, end, width int) []row {
	used, blank := 0, -1 // blank is the place behind the last one on the row
	for pos := start; pos < end; {
		cluster, _ := text.Cluster(e.value[pos:end], e.clusters())
		w := text.Width(cluster, e.Measure)
		if used+w > width {
			if blank <= start {
				blank = pos
			}
			if blank == start { // a character that is wider than the row
				blank = pos + len(cluster)
			}
			rows = append(rows, row{start, blank, true})
			start, used, pos = blank, 0, blank
			blank = -1
			continue
		}
		used += w
		pos += len(cluster)
		if cluster == " " {
			blank = pos
		}
	}
	return append(rows, row{start, end, false})
}

// cursor returns the row and the column of the cursor.
func (e *Editor) cursor() (y, x int) {
	for i, r := range e.rows() {
		if e.pos < r.end || e.pos == r.end && !r.soft {
			return i, text.Width(e.value[r.start:e.pos], e.Measure)
		}
	}
	return 0, 0
}

// place returns the position in a row that is nearest to a column.
func (e *Editor) place(r row, column int) int {
	pos, x := r.start, 0
	for pos < r.end {
		cluster, _ := text.Cluster(e.value[pos:r.end], e.clusters())
		w := text.Width(cluster, e.Measure)
		if x+w > column || r.soft && pos+len(cluster) == r.end {
			break
		}
		x += w
		pos += len(cluster)
	}
	return pos
}

// View is a drawing of an editor.
type View struct {
	Rows []string
	// X and Y are the cursor's place.
	X, Y int
	// Above and Below count the rows that are not shown.
	Above, Below int
}

// Draw draws the text, at most height rows around the cursor.
func (e *Editor) Draw(width, height int) View {
	e.width = max(width-1, 1) // the cursor stands behind the last character
	rows := e.rows()
	y, x := e.cursor()
	height = max(height, 1)
	first := 0
	if len(rows) > height {
		first = min(max(y-height/2, 0), len(rows)-height)
	}
	last := min(first+height, len(rows))
	v := View{X: x, Y: y - first, Above: first, Below: len(rows) - last}
	for _, r := range rows[first:last] {
		v.Rows = append(v.Rows, e.value[r.start:r.end])
	}
	return v
}
