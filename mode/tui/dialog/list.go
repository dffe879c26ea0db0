package dialog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/fuzzy"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/editor"
	"github.com/rondo-agent/rondo/mode/tui/input"
)

// Item is a line of a list.
type Item struct {
	Label  string // clean
	Detail string // clean
	Search string // what is searched; empty stands for label and detail
	Value  any
	Marked bool // the present one
}

// List is items to choose from, with a search: all pickers and questions.
type List struct {
	Title string
	Lines []string // clean text below the title
	Items []Item
	Hint  string // what can be done besides choosing
	Plain bool   // without search
	// Keys are what other keys do with the selected item; the list stays.
	Keys    map[string]func(Item)
	Chosen  func(Item)
	Dropped func() // it was left without a choice; may be nil

	deadline
	query editor.Editor
	shown []int // indices of items that fit
	at    int   // in shown
	fresh bool  // shown is that of the query
}

var _ Timed = (*List)(nil)

// Rows is how many items are seen at once.
const Rows = 10

// Search puts a text into the search.
func (l *List) Search(query string) {
	l.query.Insert(query)
	l.fresh = false
}

// Select moves the cursor to the first item that fits.
func (l *List) Select(fits func(Item) bool) {
	l.filter()
	if i := slices.IndexFunc(l.shown, func(i int) bool { return fits(l.Items[i]) }); i >= 0 {
		l.at = i
	}
}

func (l *List) filter() {
	if l.fresh {
		return
	}
	l.fresh = true
	query := l.query.Value()
	type scored struct {
		i     int
		score float64
	}
	var fits []scored
	for i, it := range l.Items {
		if m := fuzzy.Words(query, cmp.Or(it.Search, it.Label+" "+it.Detail)); m.OK {
			fits = append(fits, scored{i, m.Score})
		}
	}
	if query != "" {
		slices.SortStableFunc(fits, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	}
	l.shown = l.shown[:0]
	l.at = 0
	for i, f := range fits {
		l.shown = append(l.shown, f.i)
		if l.Items[f.i].Marked && query == "" {
			l.at = i
		}
	}
}

// Draw implements [Dialog].
func (l *List) Draw(ink theme.Ink, width, height int) (out []string, x, y int) {
	l.filter()
	l.query.Measure = ink.Measure
	lines := []text.Line{ink.Rule(width)}
	lines = append(lines, ink.Wrap(text.Plain(l.title(l.Title), ink.Style(theme.Accent).With(theme.Bold)), width)...)
	for _, s := range l.Lines {
		lines = append(lines, ink.Wrap(text.Plain(s, ""), width)...)
	}
	x = -1
	if !l.Plain {
		v := l.query.Draw(max(width-2, 1), 1)
		x, y = 2+v.X, len(lines)
		lines = append(lines, append(ink.Dim("/ "), text.Span{Text: v.Rows[0]}))
	}
	rows := min(Rows, max(height-len(lines)-3, 1))
	first := min(max(l.at-rows/2, 0), max(len(l.shown)-rows, 0))
	for i := first; i < min(first+rows, len(l.shown)); i++ {
		lines = append(lines, l.row(ink, l.Items[l.shown[i]], i == l.at, width))
	}
	if len(l.shown) == 0 {
		lines = append(lines, ink.Dim("  nothing fits"))
	}
	lines = append(lines, ink.Fit(ink.Dim(l.help(rows)), width), ink.Rule(width))
	return text.Strings(lines), x, y
}

// help says what keys do, and how many items there are if not all are seen.
func (l *List) help(rows int) string {
	parts := []string{"↑↓ move · enter choose · esc leave"}
	if len(l.shown) > rows {
		parts = append(parts, strconv.Itoa(l.at+1)+" of "+strconv.Itoa(len(l.shown)))
	}
	if l.Hint != "" {
		parts = append(parts, l.Hint)
	}
	return strings.Join(parts, " · ")
}

func (l *List) row(ink theme.Ink, it Item, here bool, width int) text.Line {
	style, mark := text.Style(""), "  "
	if here {
		style, mark = ink.Style(theme.Accent), "→ "
	}
	line := text.Line{{Text: mark, Style: style}, {Text: it.Label, Style: style}}
	if it.Marked {
		line = append(line, text.Span{Text: " ✓", Style: ink.Style(theme.Success)})
	}
	if it.Detail != "" {
		line = append(line, text.Span{Text: "  " + it.Detail, Style: ink.Style(theme.Dim)})
	}
	return ink.Fit(line, width)
}

// Key implements [Dialog].
func (l *List) Key(keys *input.Keys, k tea.KeyPressMsg) (then func()) {
	l.filter()
	switch key := k.String(); key {
	case "up", "ctrl+p", "shift+tab":
		l.move(-1)
	case "down", "ctrl+n", "tab":
		l.move(1)
	case "pgup":
		l.move(-min(Rows, l.at))
	case "pgdown":
		l.move(min(Rows, len(l.shown)-1-l.at))
	case "enter":
		return l.choose()
	case "esc", "ctrl+c":
		return call(l.Dropped)
	default:
		return l.other(keys, k)
	}
	return nil
}

// other takes a key that means the same in no other list, or is typed.
func (l *List) other(keys *input.Keys, k tea.KeyPressMsg) (then func()) {
	if fn := l.Keys[k.String()]; fn != nil {
		if it, ok := l.selected(); ok {
			fn(it)
		}
		return nil
	}
	if !l.Plain {
		keys.Edit(&l.query, k)
		l.fresh = false
		return nil
	}
	if typed := k.Text; len(typed) == 1 && typed[0] >= '1' && int(typed[0]-'1') < len(l.shown) {
		l.at = int(typed[0] - '1') // by number, where there is no search
		return l.choose()
	}
	return nil
}

func (l *List) choose() (then func()) {
	it, ok := l.selected()
	if !ok {
		return nil
	}
	return func() { l.Chosen(it) }
}

// Paste implements [Dialog].
func (l *List) Paste(s string) {
	if !l.Plain {
		l.Search(text.OneLine(s))
	}
}

// Cancel implements [Dialog].
func (l *List) Cancel() { run(l.Dropped) }

func (l *List) selected() (Item, bool) {
	if l.at >= len(l.shown) {
		return Item{}, false
	}
	return l.Items[l.shown[l.at]], true
}

// move goes n items on, and round at the ends.
func (l *List) move(n int) {
	if len(l.shown) > 0 {
		l.at = (l.at + n + len(l.shown)) % len(l.shown)
	}
}
