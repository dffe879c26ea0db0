package edit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// match is where an edit applies.
type match struct {
	index int // of the edit
	span
	oldText, newText string
}

// span is a part of a document's text.
type span struct{ start, end int }

// plan finds the place of each edit in the unchanged text. It returns all changes in order
// or, if any edit has no clear place, none and what is wrong with each.
func (d *document) plan(edits []Edit) ([]change, error) {
	if len(edits) == 0 {
		return nil, errors.New("edits is empty; give at least one replacement")
	}
	var (
		matches  []match
		problems []error
	)
	for i, e := range edits {
		m, err := d.locate(e)
		if err != nil {
			problems = append(problems, about(edits, i, err))
			continue
		}
		m.index = i
		matches = append(matches, m)
	}
	if len(problems) == 0 {
		problems = sortAndCheck(matches)
	}
	if len(problems) > 0 {
		if len(edits) > 1 {
			problems = append(problems, errors.New("none of the edits was made"))
		}
		return nil, errors.Join(problems...)
	}
	var changes []change
	for _, m := range matches {
		changes = append(changes, m.changes(d.text)...)
	}
	return changes, nil
}

// about says which edit an error is about, where that is not clear.
func about(edits []Edit, index int, err error) error {
	if len(edits) == 1 {
		return err
	}
	return fmt.Errorf("edits[%d]: %w", index, err)
}

func sortAndCheck(matches []match) (problems []error) {
	slices.SortFunc(matches, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(matches); i++ {
		if a, b := matches[i-1], matches[i]; b.start < a.end {
			first, second := min(a.index, b.index), max(a.index, b.index)
			problems = append(problems, fmt.Errorf("edits[%d] and edits[%d] overlap; join them into one", first, second))
		}
	}
	return problems
}

// locate finds the one place of an edit. The folded text counts only where the text itself
// does not have oldText.
func (d *document) locate(e Edit) (match, error) {
	m := match{oldText: plainLines(e.OldText), newText: plainLines(e.NewText)}
	if m.oldText == "" {
		return m, errors.New("oldText is empty; to write a whole file, use write")
	}
	places, how := occurrences(d.text, m.oldText), ""
	if len(places) == 0 {
		places, how = d.fold().find(m.oldText), ", apart from quotes, dashes, accents or spaces,"
	}
	switch len(places) {
	case 0:
		return m, notFound{d, m}.explain()
	case 1:
		m.span = places[0]
		return m, nil
	}
	return m, fmt.Errorf("oldText%s occurs %s in the file, %s; add lines around it until it is unique", how, times(places), d.lines(places))
}

// maxPlaces is how many places of a text are looked for.
const maxPlaces = 100

// occurrences finds all places of part, including those that overlap.
func occurrences(text, part string) []span {
	var places []span
	for from := 0; len(places) < maxPlaces; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			break
		}
		places = append(places, span{from + i, from + i + len(part)})
		from += i + 1
	}
	return places
}

func times(places []span) string {
	if len(places) == maxPlaces {
		return fmt.Sprintf("%d times or more", maxPlaces)
	}
	return fmt.Sprintf("%d times", len(places))
}

// lines names the lines of the first places.
func (d *document) lines(places []span) string {
	const most = 5
	var b strings.Builder
	b.WriteString("at lines ")
	for i, p := range places[:min(most, len(places))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d.line(p.start))
	}
	if len(places) > most {
		b.WriteString(", …")
	}
	return b.String()
}

// changes are the lines of the match that the edit really changes. Lines that oldText and
// newText share keep the bytes that they have in the file, which need not be those of
// oldText.
func (m match) changes(text string) []change {
	// With a newline at the end of both, their last lines compare like all others.
	oldText, newText := m.oldText+"\n", m.newText+"\n"
	starts := lineStarts(text[m.start:m.end])
	at := func(offset int) int {
		if offset == len(oldText) {
			return m.end
		}
		return m.start + starts[strings.Count(oldText[:offset], "\n")]
	}
	var changes []change
	for _, e := range udiff.Lines(oldText, newText) {
		c := change{at(e.Start), at(e.End), e.New}
		if e.End == len(oldText) {
			c = c.withoutNewline(text, e.Start == e.End)
		}
		changes = append(changes, c)
	}
	return changes
}

// withoutNewline adapts a change at the end of a match to the fact that the newline there
// is not part of the match. So where a line is added or removed, that goes with the newline
// before it.
func (c change) withoutNewline(text string, added bool) change {
	switch {
	case added:
		c.newText = "\n" + c.newText[:len(c.newText)-1]
	case c.newText != "":
		c.newText = c.newText[:len(c.newText)-1]
	default:
		c.start = strings.LastIndexByte(text[:c.start], '\n')
	}
	return c
}

// lineStarts are the offsets at which the lines of text begin.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}
