package tui

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
)

// completion is what fits the word before the cursor.
type completion struct {
	items []item // value is the text that replaces the word
	word  int    // bytes before the cursor that are replaced
	at    int
	// command says that Enter sends what it completes.
	command bool
	// provider is that of an extension, and found what it has suggested.
	provider extension.AutocompleteProvider
	found    *extension.Suggestions
}

// mostCompletions bounds how many are kept.
const mostCompletions = 100

// completeNow looks for what fits. asked says that the person has pressed Tab: then any word
// is completed as a path.
func (a *app) completeNow(asked bool) {
	before := a.editor.Before()
	a.complete = a.completionFor(before, asked)
	if asked {
		a.applyOnly()
	}
	if name, args, ok := strings.Cut(strings.TrimPrefix(before, "/"), " "); ok && strings.HasPrefix(before, "/") && a.complete == nil {
		a.suggestArguments(name, args)
	}
	a.askProviders(asked)
}

// completionFor returns what fits the end of a text; nil if nothing does.
func (a *app) completionFor(before string, asked bool) *completion {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	word := line[strings.LastIndexAny(line, " \t\"'=")+1:]
	switch {
	case strings.HasPrefix(before, "/") && !strings.ContainsAny(before, " \n"):
		return newCompletion(a.commandItems(before[1:]), len(before), true)
	case strings.HasPrefix(before, "/") && !strings.Contains(before, "\n"):
		name, args, _ := strings.Cut(before[1:], " ")
		if c := commandNamed(name); c != nil && c.complete != nil {
			return newCompletion(c.complete(a, args), len(args), true)
		}
	case strings.HasPrefix(word, "@"):
		a.readFiles()
		return newCompletion(matchFiles(a.files.names, word[1:]), len(word), false)
	case asked && word != "":
		return newCompletion(a.paths(word), len(word), false)
	}
	return nil
}

func newCompletion(items []item, word int, command bool) *completion {
	if len(items) == 0 {
		return nil
	}
	return &completion{items: items[:min(len(items), mostCompletions)], word: word, command: command}
}

func (a *app) suggest(items []item, word int, command bool) {
	if c := newCompletion(items, word, command); c != nil {
		a.complete = c
	}
}

// applyOnly completes where there is nothing to choose.
func (a *app) applyOnly() {
	if c := a.complete; c != nil && len(c.items) == 1 {
		c.apply(a)
	}
}

func (c *completion) apply(a *app) {
	value, _ := c.items[c.at].value.(string)
	a.complete = nil
	if c.provider != nil {
		a.applyProvided(c)
		return
	}
	a.editor.ReplaceBefore(c.word, value)
	if strings.HasSuffix(value, "/") {
		a.completeNow(false)
	}
}

// key takes a key while suggestions are shown; false if it is for the editor.
func (c *completion) key(a *app, k tea.KeyPressMsg) bool {
	switch k.String() {
	case "up", "ctrl+p":
		c.at = (c.at + len(c.items) - 1) % len(c.items)
	case "down", "ctrl+n":
		c.at = (c.at + 1) % len(c.items)
	case "tab":
		c.apply(a)
	case "enter":
		c.apply(a)
		return !c.command // a command is sent at once
	case "esc":
		a.complete = nil
	default:
		return false
	}
	return true
}

func (c *completion) draw(a *app, most int) []text.Line {
	rows := min(a.opts.Completions, most, len(c.items))
	first := min(max(c.at-rows/2, 0), len(c.items)-rows)
	width := 0
	for _, it := range c.items[first : first+rows] {
		width = max(width, min(text.Width(it.label, a.measure), 40))
	}
	var lines []text.Line
	for i := first; i < first+rows; i++ {
		style, mark := text.Style(""), "  "
		if i == c.at {
			style, mark = a.theme.Style(theme.Accent), "→ "
		}
		l := text.Plain(mark+c.items[i].label, style)
		if c.items[i].detail != "" {
			l = append(l.Pad(width+4, "", a.measure), text.Span{Text: c.items[i].detail, Style: a.theme.Style(theme.Dim)})
		}
		lines = append(lines, l.Cut(a.width, "…", a.measure))
	}
	if more := len(c.items); more > rows {
		lines = append(lines, text.Plain("  "+itoa(c.at+1)+"/"+itoa(more), a.theme.Style(theme.Dim)))
	}
	return lines
}

// paths completes a path of the file system.
func (a *app) paths(word string) []item {
	dir, base := filepath.Split(word)
	where := dir
	if strings.HasPrefix(dir, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			where = filepath.Join(home, dir[2:])
		}
	}
	if !filepath.IsAbs(where) {
		where = filepath.Join(folder(a.session()), where)
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return nil
	}
	var items []item
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") || text.Clean(name) != name {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		items = append(items, item{label: name, value: dir + name})
	}
	return items
}
