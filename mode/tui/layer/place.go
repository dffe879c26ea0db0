package layer

import (
	"math"
	"strconv"
	"strings"

	"github.com/rondo-agent/rondo/extension"
)

// Extent says how wide a layer is, and how tall at most; a negative most is no bound. A
// terminal of any size leaves a cell for it (Pi 0.85).
func Extent(o *extension.OverlayOptions, columns, rows int) (width, most int) {
	m := margins(o)
	room := max(columns-m.Left-m.Right, 1)
	width, most = min(room, 80), -1
	if w, ok := share(o.Width, columns); ok {
		width = w
	}
	if h, ok := share(o.MaxHeight, rows); ok {
		most = min(max(h, 1), max(rows-m.Top-m.Bottom, 1))
	}
	return min(max(width, o.MinWidth, 1), room), most
}

// Position says where a layer of a size stands: at its anchor, or where row and col say, moved
// by the offsets, and within the margins.
func Position(o *extension.OverlayOptions, columns, rows, width, height int) extension.Bounds {
	m := margins(o)
	vertical, horizontal := "", ""
	if at := strings.SplitN(o.Anchor, "-", 2); len(at) == 2 {
		vertical, horizontal = at[0], at[1]
		if vertical == "left" || vertical == "right" { // left-center
			vertical, horizontal = horizontal, vertical
		}
	}
	row := along(vertical == "top", vertical == "bottom", o.Row, max(rows-m.Top-m.Bottom, 1), height, m.Top)
	col := along(horizontal == "left", horizontal == "right", o.Col, max(columns-m.Left-m.Right, 1), width, m.Left)
	return extension.Bounds{
		Row:   max(min(row+o.OffsetY, rows-m.Bottom-height), m.Top),
		Col:   max(min(col+o.OffsetX, columns-m.Right-width), m.Left),
		Width: width, Height: height,
	}
}

// margins are those of the options; none is negative.
func margins(o *extension.OverlayOptions) extension.Margins {
	m := o.Margin
	return extension.Margins{Top: max(m.Top, 0), Right: max(m.Right, 0), Bottom: max(m.Bottom, 0), Left: max(m.Left, 0)}
}

// along places something of a size in a room behind a margin: at the beginning, at the end, in
// the middle, or where a text says, in cells from the screen's edge or as a share of what is
// free. A text that says neither stands for the middle.
func along(begin, end bool, said string, room, size, margin int) int {
	if n, ok := number(said, "%"); ok && n >= 0 {
		return margin + floor(float64(max(room-size, 0))*n/100)
	}
	if n, ok := number(said, ""); ok {
		return floor(n)
	}
	switch {
	case begin && said == "":
		return margin
	case end && said == "":
		return margin + room - size
	}
	return margin + floor(float64(room-size)/2)
}

// share reads a number of cells, or a percentage of all.
func share(said string, all int) (n int, ok bool) {
	if n, ok := number(said, "%"); ok {
		return floor(n * float64(all) / 100), n >= 0
	}
	cells, ok := number(said, "")
	return floor(cells), ok
}

// number reads a number before a unit.
func number(said, unit string) (n float64, ok bool) {
	rest, ok := strings.CutSuffix(said, unit)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(rest, 64)
	return n, err == nil
}

func floor(f float64) int { return int(math.Floor(f)) }
