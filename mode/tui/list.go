package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/fuzzy"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/editor"
)

// item is a line of a list.
type item struct {
	label  string // clean
	detail string // clean
	search string // what is searched; empty stands for label and detail
	value  any
	marked bool // the present one
}

// list is what pickers and questions show: items to choose from, with a search. All of them
// are this one component.
type list struct {
	title   string
	lines   []string // clean text below the title
	items   []item
	hint    string // what can be done besides choosing
	plain   bool   // without search
	keys    map[string]func(*app, item)
	chosen  func(*app, item)
	dropped func(*app) // it was left without a choice
	until   deadline

	query editor.Editor
	shown []int // indices of items that fit
	at    int   // in shown
	fresh bool  // shown is that of the query
}

// listRows is how many items are seen at once.
const listRows = 10

func (l *list) filter() {
	if l.fresh {
		return
	}
	l.fresh = true
	query := l.query.Value()
	type scored struct{ i, score int }
	var fits []scored
	for i, it := range l.items {
		if score, ok := fuzzyScore(query, cmp.Or(it.search, it.label+" "+it.detail)); ok {
			fits = append(fits, scored{i, score})
		}
	}
	if query != "" {
		slices.SortStableFunc(fits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	}
	l.shown = l.shown[:0]
	l.at = 0
	for i, f := range fits {
		l.shown = append(l.shown, f.i)
		if l.items[f.i].marked && query == "" {
			l.at = i
		}
	}
}

func (l *list) draw(a *app, width, height int) ([]string, int, int) {
	l.filter()
	l.query.Measure = a.measure
	var lines []text.Line
	lines = append(lines, a.rule(width))
	lines = append(lines, text.Wrap(text.Plain(l.until.title(l.title), a.theme.Style(theme.Accent).With(theme.Bold)), width, nil, a.measure)...)
	for _, s := range l.lines {
		lines = append(lines, text.Wrap(text.Plain(s, ""), width, nil, a.measure)...)
	}
	x, y := -1, 0
	if !l.plain {
		v := l.query.Draw(max(width-2, 1), 1)
		x, y = 2+v.X, len(lines)
		lines = append(lines, text.Line{{Text: "/ ", Style: a.theme.Style(theme.Dim)}, {Text: v.Rows[0]}})
	}
	rows := min(listRows, max(height-len(lines)-3, 1))
	first := min(max(l.at-rows/2, 0), max(len(l.shown)-rows, 0))
	for i := first; i < min(first+rows, len(l.shown)); i++ {
		lines = append(lines, l.row(a, l.items[l.shown[i]], i == l.at, width))
	}
	hint := l.hint
	switch {
	case len(l.shown) == 0:
		lines = append(lines, text.Plain("  nothing fits", a.theme.Style(theme.Dim)))
	case len(l.shown) > rows:
		hint = strings.TrimSuffix(itoa(l.at+1)+" of "+itoa(len(l.shown))+" · "+hint, " · ")
	}
	lines = append(lines, text.Plain(strings.TrimSuffix("↑↓ move · enter choose · esc leave · "+hint, " · "), a.theme.Style(theme.Dim)).Cut(width, "…", a.measure), a.rule(width))
	return text.Strings(lines), x, y
}

func (l *list) row(a *app, it item, here bool, width int) text.Line {
	style, mark := text.Style(""), "  "
	if here {
		style, mark = a.theme.Style(theme.Accent), "→ "
	}
	line := text.Line{{Text: mark, Style: style}, {Text: it.label, Style: style}}
	if it.marked {
		line = append(line, text.Span{Text: " ✓", Style: a.theme.Style(theme.Success)})
	}
	if it.detail != "" {
		line = append(line, text.Span{Text: "  " + it.detail, Style: a.theme.Style(theme.Dim)})
	}
	return line.Cut(width, "…", a.measure)
}

func (l *list) key(a *app, k tea.KeyPressMsg) {
	l.filter()
	switch key := k.String(); key {
	case "up", "ctrl+p", "shift+tab":
		l.move(-1)
	case "down", "ctrl+n", "tab":
		l.move(1)
	case "pgup":
		l.move(-min(listRows, l.at))
	case "pgdown":
		l.move(min(listRows, len(l.shown)-1-l.at))
	case "enter":
		if it, ok := l.selected(); ok {
			a.pop(l)
			l.chosen(a, it)
		}
	case "esc", "ctrl+c":
		a.pop(l)
		if l.dropped != nil {
			l.dropped(a)
		}
	default:
		if fn := l.keys[key]; fn != nil {
			if it, ok := l.selected(); ok {
				fn(a, it)
			}
			return
		}
		if !l.plain {
			a.opts.Keys.edit(&l.query, k)
			l.fresh = false
			return
		}
		l.digit(a, k.Text)
	}
}

// digit chooses by number where there is no search.
func (l *list) digit(a *app, typed string) {
	if len(typed) == 1 && typed[0] >= '1' && int(typed[0]-'1') < len(l.shown) {
		l.at = int(typed[0] - '1')
		it, _ := l.selected()
		a.pop(l)
		l.chosen(a, it)
	}
}

func (l *list) paste(_ *app, s string) {
	if !l.plain {
		l.query.Insert(text.OneLine(s))
		l.fresh = false
	}
}

func (l *list) cancel(a *app) {
	if l.dropped != nil {
		l.dropped(a)
	}
}

func (l *list) selected() (item, bool) {
	if l.at >= len(l.shown) {
		return item{}, false
	}
	return l.items[l.shown[l.at]], true
}

// move goes n items on, and round at the ends.
func (l *list) move(n int) {
	if len(l.shown) > 0 {
		l.at = (l.at + n + len(l.shown)) % len(l.shown)
	}
}

// fuzzyScore reports whether all words of a query are in a text, or their letters in order, and
// how well they fit: the more, the better.
func fuzzyScore(query, target string) (score int, ok bool) {
	m := fuzzy.Words(query, target)
	return int(-m.Score * 100), m.OK
}
