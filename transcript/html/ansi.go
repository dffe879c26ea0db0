package html

import (
	"strconv"
	"strings"
)

// terminal writes text with the colours that it asks for. Sequences other than those for
// colours and fonts are dropped; a carriage return ends a line, as programs redraw their
// progress with it.
func (p *page) terminal(text string) {
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	var s style
	for text != "" {
		i := strings.IndexByte(text, esc)
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			p.styled(text[:i], s)
			text = text[i:]
			continue
		}
		params, rest := sequence(text)
		s = s.with(params)
		text = rest
	}
}

const esc = 0x1b

// styled writes text in a style.
func (p *page) styled(text string, s style) {
	class := s.class()
	if class == "" {
		p.code(text)
		return
	}
	p.raw(`<i class="`, class, `">`)
	p.code(text)
	p.raw("</i>")
}

// sequence takes the escape sequence at the beginning of the text. It returns the
// parameters of one that sets a style, and what follows.
func sequence(text string) (params, rest string) {
	if len(text) < 2 {
		return "", ""
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			switch c := text[i]; {
			case c == 'm':
				return "m" + text[2:i], text[i+1:]
			case '@' <= c && c <= '~':
				return "", text[i+1:]
			case c < ' ' || c > '?': // broken off
				return "", text[i:]
			}
		}
		return "", ""
	case ']', 'P', 'X', '^', '_': // a control string
		for i := 2; i < len(text); i++ {
			switch text[i] {
			case 0x07:
				return "", text[i+1:]
			case esc:
				return "", strings.TrimPrefix(text[i:], "\x1b\\")
			case '\n':
				return "", text[i:]
			}
		}
		return "", ""
	case '\n', esc:
		return "", text[1:]
	}
	i := 1
	for i < len(text) && ' ' <= text[i] && text[i] <= '/' {
		i++
	}
	if i < len(text) && text[i] < 0x80 {
		i++
	}
	return "", text[i:]
}

// unstyled returns the beginning of a text without escape sequences.
func unstyled(text string) string {
	text = text[:min(len(text), 1000)]
	var b strings.Builder
	for {
		i := strings.IndexByte(text, esc)
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		_, text = sequence(text[i:])
	}
}

// style is how a terminal shows text. Colours are one of sixteen, from 1; 0 is none.
type style struct {
	fore, back                           uint8
	bold, dim, italic, underline, invert bool
}

// class returns the classes of the style; empty for plain text.
func (s style) class() string {
	if s == (style{}) {
		return ""
	}
	fore, back := s.fore, s.back
	if s.invert {
		fore, back = back, fore
		if fore == 0 {
			fore = 17 // the background
		}
		if back == 0 {
			back = 8
		}
	}
	var classes []string
	add := func(on bool, class string) {
		if on {
			classes = append(classes, class)
		}
	}
	add(fore > 0, "a"+strconv.Itoa(int(fore)-1))
	add(back > 0, "g"+strconv.Itoa(int(back)-1))
	add(s.bold, "ab")
	add(s.dim, "ad")
	add(s.italic, "ai")
	add(s.underline, "au")
	return strings.Join(classes, " ")
}

// with returns the style after a sequence with these parameters, which begin with m; it is
// the same after other sequences.
func (s style) with(params string) style {
	params, ok := strings.CutPrefix(params, "m")
	if !ok {
		return s
	}
	if params == "" {
		return style{}
	}
	codes := strings.FieldsFunc(params+";", func(r rune) bool { return r == ':' })
	codes = strings.Split(strings.TrimSuffix(strings.Join(codes, ";"), ";"), ";")
	for len(codes) > 0 {
		n, err := strconv.Atoi(codes[0])
		if err != nil && codes[0] != "" {
			return s
		}
		codes = codes[1:]
		if n == 38 || n == 48 {
			var colour uint8
			colour, codes = extended(codes)
			if n == 38 {
				s.fore = colour
			} else {
				s.back = colour
			}
			continue
		}
		s = s.set(n)
	}
	return s
}

// set returns the style after one code (ECMA-48, 8.3.117, and the bright colours of aixterm).
func (s style) set(n int) style {
	switch {
	case n == 0:
		return style{}
	case n == 1:
		s.bold = true
	case n == 2:
		s.dim = true
	case n == 3:
		s.italic = true
	case n == 4:
		s.underline = true
	case n == 7:
		s.invert = true
	case n == 22:
		s.bold, s.dim = false, false
	case n == 23:
		s.italic = false
	case n == 24:
		s.underline = false
	case n == 27:
		s.invert = false
	case 30 <= n && n <= 37:
		s.fore = uint8(n-30) + 1
	case n == 39:
		s.fore = 0
	case 40 <= n && n <= 47:
		s.back = uint8(n-40) + 1
	case n == 49:
		s.back = 0
	case 90 <= n && n <= 97:
		s.fore = uint8(n-90) + 9
	case 100 <= n && n <= 107:
		s.back = uint8(n-100) + 9
	}
	return s
}

// extended takes a colour of the larger palettes and returns the nearest of the sixteen,
// which are legible in every theme.
func extended(codes []string) (uint8, []string) {
	number := func(i int) int {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[i])
		return min(max(n, 0), 255)
	}
	switch number(0) {
	case 5:
		n := number(1)
		codes = codes[min(2, len(codes)):]
		switch {
		case n < 16:
			return uint8(n) + 1, codes
		case n < 232:
			n -= 16
			return nearest(n/36*51, n/6%6*51, n%6*51), codes
		}
		grey := (n-232)*10 + 8
		return nearest(grey, grey, grey), codes
	case 2:
		colour := nearest(number(1), number(2), number(3))
		return colour, codes[min(4, len(codes)):]
	}
	return 0, codes[min(1, len(codes)):]
}

// nearest returns the number of the colour among the sixteen that is like this one.
func nearest(r, g, b int) uint8 {
	high, low := max(r, g, b), min(r, g, b)
	if high-low < 40 { // grey
		switch {
		case high < 64:
			return 1
		case high < 140:
			return 9
		case high < 210:
			return 8
		}
		return 16
	}
	middle := (high + low) / 2
	colour := uint8(1)
	for bit, v := range []int{r, g, b} {
		if v > middle {
			colour += 1 << bit
		}
	}
	if high > 200 {
		colour += 8
	}
	return colour
}
