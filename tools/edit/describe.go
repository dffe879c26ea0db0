package edit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many unchanged lines are shown around changes (Pi 0.85).
const contextLines = 4

// Describe tells how a text of that name has become another one.
func Describe(name, before, after string) (*Details, error) {
	edits := udiff.Strings(before, after)
	changes := make([]change, len(edits))
	for i, e := range edits {
		changes[i] = change{e.Start, e.End, e.New}
	}
	return describe(name, before, changes)
}

// describe makes the details of a changed text.
func describe(name, text string, changes []change) (*Details, error) {
	changes = slideDown(text, wholeLines(text, changes))
	edits := make([]udiff.Edit, len(changes))
	added := 0
	for i, c := range changes {
		edits[i] = udiff.Edit{Start: c.start, End: c.end, New: c.newText}
		added += strings.Count(c.newText, "\n") - strings.Count(text[c.start:c.end], "\n")
	}
	diff, err := udiff.ToUnifiedDiff(name, name, text, edits, contextLines)
	if err != nil {
		return nil, fmt.Errorf("describe the change: %w", err)
	}
	newlines := strings.Count(text, "\n")
	n := numbered{width: len(strconv.Itoa(1 + max(newlines, newlines+added)))}
	p := patch{}
	fmt.Fprintf(&p.out, "--- %s\n+++ %s\n", name, name)
	for _, h := range diff.Hunks {
		lines := deletionsFirst(h.Lines)
		n.hunk(h.FromLine, lines)
		p.hunk(h.FromLine, lines)
	}
	n.finish(text)
	return &Details{
		Diff:             strings.ToValidUTF8(strings.TrimSuffix(n.out.String(), "\n"), "\ufffd"),
		Patch:            strings.ToValidUTF8(p.out.String(), "\ufffd"),
		FirstChangedLine: n.firstChanged,
	}, nil
}

// wholeLines extends changes to the lines that they touch, and joins those that then
// overlap.
func wholeLines(text string, changes []change) []change {
	var whole []change
	for _, c := range changes {
		last := len(whole) - 1
		if last >= 0 && c.start < whole[last].end {
			p := &whole[last]
			p.newText = p.newText[:len(p.newText)-(p.end-c.start)]
			c.start, c.newText = p.start, p.newText+c.newText
			whole = whole[:last]
		} else {
			start := strings.LastIndexByte(text[:c.start], '\n') + 1
			c.start, c.newText = start, text[start:c.start]+c.newText
		}
		if c.end > 0 && text[c.end-1] != '\n' || c.newText != "" && !strings.HasSuffix(c.newText, "\n") {
			end := endOfLine(text, c.end)
			c.end, c.newText = end, c.newText+text[c.end:end]
		}
		whole = append(whole, c)
	}
	return whole
}

// endOfLine is the offset behind the line that offset is in.
func endOfLine(text string, offset int) int {
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

// slideDown moves added and removed lines down as long as that says the same: of two equal
// lines in a row, it is the second one that was added or removed (Pi 0.85).
func slideDown(text string, changes []change) []change {
	for i := range changes {
		limit := len(text)
		if i+1 < len(changes) {
			limit = changes[i+1].start
		}
		changes[i] = changes[i].slide(text, limit)
	}
	return changes
}

func (c change) slide(text string, limit int) change {
	for c.end < limit {
		next := text[c.end:endOfLine(text, c.end)]
		switch {
		case !strings.HasSuffix(next, "\n"):
			return c
		case c.start == c.end && strings.HasPrefix(c.newText, next):
			c.newText = c.newText[len(next):] + next
		case c.newText == "" && strings.HasPrefix(text[c.start:c.end], next):
		default:
			return c
		}
		c.start += len(next)
		c.end += len(next)
	}
	return c
}

// deletionsFirst orders neighbouring changed lines as diffs are usually written.
func deletionsFirst(lines []udiff.Line) []udiff.Line {
	ordered := make([]udiff.Line, 0, len(lines))
	var inserted []udiff.Line
	for _, l := range lines {
		switch l.Kind {
		case udiff.Insert:
			inserted = append(inserted, l)
		case udiff.Delete:
			ordered = append(ordered, l)
		case udiff.Equal:
			ordered = append(append(ordered, inserted...), l)
			inserted = nil
		}
	}
	return append(ordered, inserted...)
}

// numbered writes the diff with line numbers: those of the new text for lines that were
// added, those of the old text for all others.
type numbered struct {
	out   strings.Builder
	width int
	// oldLine is the next line of the old text, from 1; delta leads to the new text.
	oldLine, delta int
	firstChanged   int
}

func (n *numbered) hunk(from int, lines []udiff.Line) {
	if from > max(n.oldLine, 1) {
		n.elision()
	}
	n.oldLine = from
	for _, l := range lines {
		if l.Kind != udiff.Equal && n.firstChanged == 0 {
			n.firstChanged = n.oldLine + n.delta
		}
		switch l.Kind {
		case udiff.Insert:
			n.line('+', n.oldLine+n.delta, l.Content)
			n.delta++
		case udiff.Delete:
			n.line('-', n.oldLine, l.Content)
			n.oldLine++
			n.delta--
		case udiff.Equal:
			n.line(' ', n.oldLine, l.Content)
			n.oldLine++
		}
	}
}

func (n *numbered) line(mark byte, number int, content string) {
	fmt.Fprintf(&n.out, "%c%*d %s\n", mark, n.width, number, strings.TrimSuffix(content, "\n"))
}

func (n *numbered) elision() { fmt.Fprintf(&n.out, " %*s ...\n", n.width, "") }

// finish marks that lines follow the last hunk.
func (n *numbered) finish(text string) {
	total := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		total++
	}
	if n.oldLine <= total {
		n.elision()
	}
}

// patch writes a unified diff. Unlike udiff it always writes the number of lines (Pi 0.85).
type patch struct {
	out strings.Builder
	// delta is how many lines the hunks so far have added.
	delta int
}

func (p *patch) hunk(from int, lines []udiff.Line) {
	oldCount, newCount := 0, 0
	for _, l := range lines {
		if l.Kind != udiff.Insert {
			oldCount++
		}
		if l.Kind != udiff.Delete {
			newCount++
		}
	}
	fmt.Fprintf(&p.out, "@@ -%s +%s @@\n", lineRange(from, oldCount), lineRange(from+p.delta, newCount))
	p.delta += newCount - oldCount
	for _, l := range lines {
		p.line(l)
	}
}

// lineRange names the line before it, if it is empty.
func lineRange(from, count int) string {
	if count == 0 {
		from--
	}
	return fmt.Sprintf("%d,%d", from, count)
}

func (p *patch) line(l udiff.Line) {
	switch l.Kind {
	case udiff.Insert:
		p.out.WriteByte('+')
	case udiff.Delete:
		p.out.WriteByte('-')
	case udiff.Equal:
		p.out.WriteByte(' ')
	}
	p.out.WriteString(l.Content)
	if !strings.HasSuffix(l.Content, "\n") {
		p.out.WriteString("\n\\ No newline at end of file\n")
	}
}
