package width

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const reset = "\x1b[0m"

// Truncate returns s if it takes at most width columns, and otherwise its beginning with
// ellipsis at the end, width columns at most together. Styles end before the ellipsis and
// after it. With pad the result is filled with spaces to width.
func Truncate(s string, width int, ellipsis string, pad bool) string {
	if width <= 0 {
		return ""
	}
	total := Of(s)
	if total <= width {
		return padded(s, total, width, pad)
	}
	tail, tailWidth, _ := prefix(ellipsis, width)
	head, headWidth, st := prefix(s, width-tailWidth)
	out := head + st.closeLink() + reset
	if tail != "" {
		out += tail + reset
	}
	return padded(out, headWidth+tailWidth, width, pad)
}

func padded(s string, used, width int, pad bool) string {
	if !pad || used >= width {
		return s
	}
	return whole(s) + strings.Repeat(" ", width-used)
}

// whole returns s without an escape sequence at its end that is not finished, which would
// swallow what comes after it.
func whole(s string) string {
	for {
		i := strings.LastIndexByte(s, 0x1b)
		if i < 0 {
			return s
		}
		seq := sequence(s[i:])
		if _, _, _, state := ansi.DecodeSequence(seq, ansi.NormalState, nil); state == ansi.NormalState || len(seq) < len(s[i:]) || strings.HasSuffix(seq, "\x07") {
			return s
		}
		s = s[:i]
	}
}

// prefix returns the longest beginning of s that fits. Sequences before
// the first character that does not fit are dropped, as they style nothing that is shown.
func prefix(s string, width int) (head string, used int, st style) {
	var b strings.Builder
	var pending string
	for s != "" {
		var p piece
		p, s = cut(s)
		if p.escape {
			pending += p.s
			continue
		}
		if used+p.width > width {
			return b.String(), used, st
		}
		st.follow(pending)
		b.WriteString(pending)
		b.WriteString(p.s)
		pending = ""
		used += p.width
	}
	return b.String() + pending, used, st
}

// Slice returns the columns from start to start+length of a line, with the sequences that
// style them. A character that begins before start is left out; one that ends after the range
// is left out if strict is set.
func Slice(line string, start, length int, strict bool) string {
	out, _ := SliceWidth(line, start, length, strict)
	return out
}

// SliceWidth is [Slice] which also returns the columns that the result takes.
func SliceWidth(line string, start, length int, strict bool) (out string, used int) {
	if length <= 0 {
		return "", 0
	}
	var b strings.Builder
	var pending string
	for col := 0; line != "" && col < start+length; {
		var p piece
		p, line = cut(line)
		if p.escape {
			if pending += p.s; col >= start {
				b.WriteString(pending)
				pending = ""
			}
			continue
		}
		if col >= start && (!strict || col+p.width <= start+length) {
			b.WriteString(pending)
			b.WriteString(p.s)
			pending = ""
			used += p.width
		}
		col += p.width
	}
	return b.String(), used
}

// Rest is [Slice], strict, which begins with the style that is active there and not with
// every sequence that stands before.
func Rest(line string, start, length int) string {
	var st style
	for col := 0; line != ""; {
		p, after := cut(line)
		if !p.escape && col >= start {
			break
		}
		if line = after; p.escape {
			st.apply(p.s)
			continue
		}
		if col += p.width; col > start {
			return strings.Repeat(" ", col-start) + Rest(st.open()+line, 0, length-(col-start))
		}
	}
	return st.open() + Slice(line, 0, length, true)
}

// LinkAt returns the address of the link (OSC 8) that covers a column, or "".
func LinkAt(line string, column int) string {
	var st style
	for col := 0; line != "" && column >= 0; {
		var p piece
		p, line = cut(line)
		if p.escape {
			st.apply(p.s)
			continue
		}
		if col += p.width; column < col {
			_, url, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(st.link, st.ender), "\x1b]8;"), ";")
			return url
		}
	}
	return ""
}
