package graphics

import (
	"slices"
	"strconv"
	"strings"
)

// Shown are images that a terminal has to have for what was resolved, by their numbers.
type Shown map[uint32]*Image

// Data gives the terminal an image, for placeholders.
func (i *Image) Data() []byte { return i.virtual() }

// Resolve puts in the place of references what shows the images. Where they cannot be shown
// there is their label, drawn by label. final says that the lines are written for good, one
// below the other: only there can images lie over cells. What placeholders need is added to
// need.
func (s *Store) Resolve(lines []string, final bool, label func(string) string, need Shown) []string {
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, mark) }) {
		return lines
	}
	r := resolver{store: s, lines: lines, final: final, label: label, need: need}
	r.protocol, _ = s.Protocol()
	out := make([]string, len(lines))
	for n, l := range lines {
		out[n] = r.line(n, l)
	}
	return out
}

type resolver struct {
	store    *Store
	protocol Protocol
	lines    []string
	final    bool
	label    func(string) string
	need     Shown
}

// line resolves the references of a line. A reference has no width: the blanks behind it that
// stand for the image are left out.
func (r *resolver) line(n int, l string) string {
	var b strings.Builder
	for l != "" {
		at := reference().FindStringSubmatchIndex(l)
		if at == nil {
			break
		}
		b.WriteString(l[:at[0]])
		i, row := r.store.find([]string{"", l[at[2]:at[3]], l[at[4]:at[5]]})
		l = l[at[1]:]
		if i == nil || row >= i.rows {
			continue
		}
		shown, width := r.row(n, i, row)
		b.WriteString(shown)
		blanks, rest := behind(l, width)
		if shown == "" { // what will be drawn over them later
			b.WriteString(strings.Repeat(" ", blanks))
		} else if blanks > 0 && r.over(shown) {
			b.WriteString("\x1b[" + strconv.Itoa(blanks) + "C")
		}
		l = rest
	}
	return b.String() + l
}

// over reports whether the cursor still stands before what was drawn.
func (*resolver) over(shown string) bool { return strings.HasSuffix(shown, "\x1b8") }

// row is what shows a row of an image, and how wide it is.
func (r *resolver) row(n int, i *Image, row int) (shown string, width int) {
	switch whole := r.whole(n, i, row); {
	case !done(i) || i.png == nil || r.protocol.Name == "":
	case r.protocol.Placeholders:
		r.need[i.id] = i
		return i.placeholders(row), i.columns
	case r.final && whole && row == i.rows-1:
		return i.over(r.protocol.Name), i.columns
	case r.final && whole:
		return "", i.columns
	}
	if row == 0 || n == 0 {
		return r.label(i.label), len(i.label)
	}
	return "", i.columns
}

// whole reports whether all rows of an image are among the lines.
func (r *resolver) whole(n int, i *Image, row int) bool {
	first := n - row
	last := first + i.rows - 1
	return first >= 0 && last < len(r.lines) && strings.Contains(r.lines[first], refTo(i.id, 0)) && strings.Contains(r.lines[last], refTo(i.id, i.rows-1))
}

// behind counts the blanks that a line begins with, at most so many, and returns the rest. Blanks
// may have a colour.
func behind(l string, most int) (blanks int, rest string) {
	var kept strings.Builder
	for blanks < most && l != "" {
		if l[0] == ' ' {
			blanks++
			l = l[1:]
			continue
		}
		end := strings.IndexByte(l, 'm')
		if !strings.HasPrefix(l, "\x1b[") || end < 0 || strings.Trim(l[2:end], "0123456789;:") != "" {
			break
		}
		kept.WriteString(l[:end+1])
		l = l[end+1:]
	}
	return blanks, kept.String() + l
}
