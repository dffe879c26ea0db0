package html

import (
	"strings"
	"unicode/utf8"
)

// diff writes the details of an edit: lines that begin with +, - or a blank, then a line
// number (Pi 0.85).
func (p *page) diff(text string) {
	text = strings.TrimRight(text, "\n")
	p.box("diff", "", text, diffLines, func() {
		var removed, added []string // changed lines that belong together
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "-"):
				if len(added) > 0 {
					p.change(removed, added)
					removed, added = nil, nil
				}
				removed = append(removed, line)
			case strings.HasPrefix(line, "+"):
				added = append(added, line)
			default:
				p.change(removed, added)
				removed, added = nil, nil
				p.diffLine("", line, 0, 0)
			}
		}
		p.change(removed, added)
	})
}

// change writes lines that took each other's place. Where one took the place of one, what
// differs in them is marked.
func (p *page) change(removed, added []string) {
	from, behind := 0, 0
	if len(removed) == 1 && len(added) == 1 {
		from, behind = differ(removed[0], added[0])
	}
	for _, line := range removed {
		p.diffLine("d", line, from, behind)
	}
	for _, line := range added {
		p.diffLine("i", line, from, behind)
	}
}

// diffLine writes a line; what lies between from and behind, counted from the end, is
// marked.
func (p *page) diffLine(class, line string, from, behind int) {
	body := strings.TrimSuffix(line, "\n")
	if class == "" {
		class = "e"
	}
	p.raw(`<span class="`, class, `">`)
	if to := len(body) - behind; from > 0 && from < to {
		p.code(body[:from])
		p.raw("<b>")
		p.code(body[from:to])
		p.raw("</b>")
		p.code(body[to:])
	} else {
		p.code(body)
	}
	p.raw("\n</span>")
}

// differ returns where two lines of a diff begin to differ and how many bytes they have in
// common at their ends; zeros if they have little in common.
func differ(a, b string) (from, behind int) {
	a, b = strings.TrimSuffix(a, "\n"), strings.TrimSuffix(b, "\n")
	start := min(numberEnd(a), numberEnd(b))
	from = start
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for from > start && !boundary(a, from) {
		from--
	}
	for behind < len(a)-from && behind < len(b)-from && a[len(a)-1-behind] == b[len(b)-1-behind] {
		behind++
	}
	for behind > 0 && !boundary(a, len(a)-behind) {
		behind--
	}
	if common := from - start + behind; common*2 < max(len(a), len(b))-start {
		return 0, 0
	}
	return from, behind
}

// boundary reports whether a character begins at i.
func boundary(s string, i int) bool { return i >= len(s) || utf8.RuneStart(s[i]) }

// numberEnd returns where the text of a line begins, behind its mark and number.
func numberEnd(line string) int {
	rest := strings.TrimLeft(line[1:], " ")
	rest = strings.TrimLeft(rest, "0123456789")
	rest = strings.TrimPrefix(rest, " ")
	return len(line) - len(rest)
}
