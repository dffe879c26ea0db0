package view

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
)

// Foreign makes a line of an extension harmless: its colours and references to images stay, all
// else that commands a terminal goes, and it is cut to the width.
func (p *Painter) Foreign(line string, width int) string {
	return p.Measure.Truncate(Coloured(line), width, "…") + "\x1b[m"
}

// Coloured removes everything but text and the colours of text.
func Coloured(line string) string {
	var b strings.Builder
	var state byte
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		if n == 0 {
			break
		}
		switch {
		case width > 0:
			b.WriteString(strings.ReplaceAll(text.Clean(seq), "\n", " "))
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") && strings.Trim(seq[2:len(seq)-1], "0123456789;:") == "":
			b.WriteString(seq)
		case graphics.IsReference(seq):
			b.WriteString(seq)
		case seq == "\t":
			b.WriteString("    ")
		}
		state = next
		line = line[n:]
	}
	return b.String()
}

// ForeignLines makes lines of an extension those of a block.
func (p *Painter) ForeignLines(lines []string) []text.Line {
	out := make([]text.Line, len(lines))
	for i, l := range lines {
		out[i] = text.Line{{Text: p.Foreign(l, p.Width)}}
	}
	return out
}
