package input

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// Suggestion is what may replace the word before the cursor.
type Suggestion struct {
	Label, Detail string // clean
	Value         string
}

// completion is the suggestions for the word before the cursor.
type completion struct {
	items []Suggestion
	word  int // bytes before the cursor that are replaced
	at    int
	// command says that Enter sends what it completes.
	command bool
	// provider is that of an extension, and found what it has suggested.
	provider extension.AutocompleteProvider
	found    *extension.Suggestions
}

// maxSuggestions bounds how many are kept.
const maxSuggestions = 100

func newCompletion(items []Suggestion, word int, command bool) *completion {
	if len(items) == 0 {
		return nil
	}
	return &completion{items: items[:min(len(items), maxSuggestions)], word: word, command: command}
}

// move goes n suggestions on, and round at the ends.
func (c *completion) move(n int) { c.at = (c.at + n + len(c.items)) % len(c.items) }

// draw shows at most so many suggestions around the current one.
func (c *completion) draw(ink theme.Ink, width, rows int) []text.Line {
	rows = min(rows, len(c.items))
	first := min(max(c.at-rows/2, 0), len(c.items)-rows)
	labels := 0
	for _, it := range c.items[first : first+rows] {
		labels = max(labels, min(ink.Width(it.Label), 40))
	}
	var lines []text.Line
	for i := first; i < first+rows; i++ {
		style, mark := text.Style(""), "  "
		if i == c.at {
			style, mark = ink.Style(theme.Accent), "→ "
		}
		l := text.Plain(mark+c.items[i].Label, style)
		if c.items[i].Detail != "" {
			l = append(l.Pad(labels+4, "", ink.Measure), text.Span{Text: c.items[i].Detail, Style: ink.Style(theme.Dim)})
		}
		lines = append(lines, ink.Fit(l, width))
	}
	if more := len(c.items); more > rows {
		lines = append(lines, ink.Dim("  "+strconv.Itoa(c.at+1)+"/"+strconv.Itoa(more)))
	}
	return lines
}

// CompletionKey takes a key while suggestions are shown; false if it is for something else.
func (b *Box) CompletionKey(k tea.KeyPressMsg) bool {
	c := b.shown
	if c == nil {
		return false
	}
	switch k.String() {
	case "up", "ctrl+p":
		c.move(-1)
	case "down", "ctrl+n":
		c.move(1)
	case "tab":
		b.apply(c)
	case "enter":
		b.apply(c)
		return !c.command // a command is sent at once
	case "esc":
		b.shown = nil
	default:
		return false
	}
	return true
}
