package width

import (
	"strconv"
	"strings"
)

// attributes of text that are on or off, in the order in which they are written, with the
// codes that turn them off.
var attributes = []struct{ on, off int }{
	{1, 22}, {2, 22}, {3, 23}, {4, 24}, {5, 25}, {7, 27}, {8, 28}, {9, 29},
}

const underline = 3 // index in attributes

// style is what escape sequences have switched on so far.
type style struct {
	set    [8]bool
	fg, bg string // parameters, "38;2;1;2;3"
	link   string // the sequence that opened the link
	ender  string // its terminator
}

// apply follows one escape sequence; others than styles and links change nothing.
func (st *style) apply(seq string) {
	switch {
	case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
		st.graphics(seq[2 : len(seq)-1])
	case strings.HasPrefix(seq, "\x1b]8;"):
		st.hyperlink(seq)
	}
}

func (st *style) hyperlink(seq string) {
	ender := "\x07"
	if strings.HasSuffix(seq, "\x1b\\") {
		ender = "\x1b\\"
	}
	_, url, _ := strings.Cut(strings.TrimSuffix(seq[4:], ender), ";")
	st.link, st.ender = "", ""
	if url != "" {
		st.link, st.ender = seq, ender
	}
}

// graphics follows a "select graphic rendition" sequence.
func (st *style) graphics(params string) {
	list := strings.Split(params, ";")
	for i := 0; i < len(list); i++ {
		code, sub, _ := strings.Cut(list[i], ":")
		n, err := strconv.Atoi(code)
		if err != nil && code != "" {
			continue
		}
		switch {
		case n == 0:
			st.set, st.fg, st.bg = [8]bool{}, "", ""
		case n == 38 || n == 48 || n == 58:
			colour := list[i]
			if sub == "" {
				colour = strings.Join(list[i:min(i+colourLength(list[i:]), len(list))], ";")
				i += colourLength(list[i:]) - 1
			}
			st.colour(n, colour)
		case n >= 30 && n <= 37 || n >= 90 && n <= 97:
			st.fg = list[i]
		case n >= 40 && n <= 47 || n >= 100 && n <= 107:
			st.bg = list[i]
		case n == 39:
			st.fg = ""
		case n == 49:
			st.bg = ""
		default:
			st.attribute(n)
		}
	}
}

// colourLength is the number of parameters of an extended colour.
func colourLength(list []string) int {
	switch {
	case len(list) > 1 && list[1] == "5":
		return 3
	case len(list) > 1 && list[1] == "2":
		return 5
	}
	return 1
}

func (st *style) colour(n int, params string) {
	switch n {
	case 38:
		st.fg = params
	case 48:
		st.bg = params
	}
}

func (st *style) attribute(n int) {
	for i, a := range attributes {
		switch n {
		case a.on:
			st.set[i] = true
		case a.off:
			st.set[i] = false
		}
	}
}

// follow applies every sequence in s.
func (st *style) follow(s string) {
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			return
		}
		seq := sequence(s[i:])
		st.apply(seq)
		s = s[i+len(seq):]
	}
}

// open returns the sequences that bring an unstyled line into this style.
func (st *style) open() string {
	var codes []string
	for i, on := range st.set {
		if on {
			codes = append(codes, strconv.Itoa(attributes[i].on))
		}
	}
	for _, c := range []string{st.fg, st.bg} {
		if c != "" {
			codes = append(codes, c)
		}
	}
	if len(codes) == 0 {
		return st.link
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + st.link
}

// close returns what must end with the line: an underline would run on to the margin, and a
// link would take in what stands beside it.
func (st *style) close() string {
	out := ""
	if st.set[underline] {
		out = "\x1b[24m"
	}
	return out + st.closeLink()
}

func (st *style) closeLink() string {
	if st.link == "" {
		return ""
	}
	return "\x1b]8;;" + st.ender
}
