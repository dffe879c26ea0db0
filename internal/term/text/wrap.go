package text

import "strings"

// Wrap breaks a line where words end, so that each line has at most width cells. A word
// that is longer is broken between characters. rest stands at the beginning of all lines but
// the first; it must be narrower than width.
func Wrap(l Line, width int, rest Line, m Measure) []Line {
	if width < 1 {
		width = 1
	}
	if l.Width(m) <= width {
		return []Line{l}
	}
	w := wrapper{width: width, rest: rest, measure: m, room: width}
	for _, s := range l {
		w.span(s)
	}
	w.word()
	return append(w.lines, w.line)
}

// wrapper collects a word, which may lie in several spans, and puts it on the line when it
// is complete.
type wrapper struct {
	width   int
	rest    Line
	measure Measure

	lines   []Line
	line    Line
	used    bool // the line has a word
	room    int
	space   Line // between the line and the word
	spaces  int
	pending Line // the word so far
	wide    int
}

func (w *wrapper) span(s Span) {
	text := s.Text
	for text != "" {
		if n := len(text) - len(strings.TrimLeft(text, " ")); n > 0 {
			w.word()
			w.space = append(w.space, Span{text[:n], s.Style})
			w.spaces += n
			text = text[n:]
			continue
		}
		end, wide := 0, false
		for end < len(text) && text[end] != ' ' && !wide {
			cluster, width := Cluster(text[end:], w.measure)
			end += len(cluster)
			w.wide += width
			wide = width > 1
		}
		w.pending = append(w.pending, Span{text[:end], s.Style})
		if wide { // scripts without spaces can be broken anywhere
			w.word()
		}
		text = text[end:]
	}
}

// word ends the word: it goes on the line, or on the next one.
func (w *wrapper) word() {
	if len(w.pending) == 0 {
		return
	}
	if w.spaces+w.wide > w.room && w.used {
		w.newLine()
	}
	if w.spaces > 0 && w.spaces < w.room {
		w.line = append(w.line, w.space...)
		w.room -= w.spaces
	}
	w.space, w.spaces = nil, 0
	if w.wide > w.room {
		w.breakWord()
	} else {
		w.line = append(w.line, w.pending...)
		w.room -= w.wide
	}
	w.used = true
	w.pending, w.wide = nil, 0
}

func (w *wrapper) newLine() {
	w.lines = append(w.lines, w.line)
	w.line = append(Line(nil), w.rest...)
	w.room = max(w.width-w.rest.Width(w.measure), 1)
	w.space, w.spaces, w.used = nil, 0, false
}

// breakWord spreads a word that is longer than the line.
func (w *wrapper) breakWord() {
	for _, s := range w.pending {
		for start, end := 0, 0; end < len(s.Text); {
			cluster, width := Cluster(s.Text[end:], w.measure)
			if width > w.room && w.used {
				w.line = appendSpan(w.line, Span{s.Text[start:end], s.Style})
				w.newLine()
				start = end
			}
			end += len(cluster)
			w.room -= width
			w.used = true
			if end == len(s.Text) {
				w.line = appendSpan(w.line, Span{s.Text[start:], s.Style})
			}
		}
	}
}

func appendSpan(l Line, s Span) Line {
	if s.Text == "" {
		return l
	}
	return append(l, s)
}

// Break breaks a line wherever it is full, and keeps all its spaces: for code.
func Break(l Line, width int, m Measure) []Line {
	width = max(width, 1)
	if l.Width(m) <= width {
		return []Line{l}
	}
	var lines []Line
	var line Line
	room := width
	for _, s := range l {
		start, end := 0, 0
		for end < len(s.Text) {
			cluster, n := Cluster(s.Text[end:], m)
			if n > room && room < width {
				lines = append(lines, appendSpan(line, Span{s.Text[start:end], s.Style}))
				line, room, start = nil, width, end
			}
			end += len(cluster)
			room -= n
		}
		line = appendSpan(line, Span{s.Text[start:], s.Style})
	}
	return append(lines, line)
}
