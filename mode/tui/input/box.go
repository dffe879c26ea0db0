package input

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/editor"
)

// Source is what a [Box] completes from besides names of files.
type Source interface {
	// Commands returns the commands whose names have what is typed.
	Commands(typed string) []Suggestion
	// Arguments returns what may follow a command of the terminal's own; known is false for
	// others.
	Arguments(command, typed string) (found []Suggestion, known bool)
	// Asker returns what asks for the arguments of another command; nil if nothing does.
	Asker(command string) func(ctx context.Context, typed string) []Suggestion
	// Folder is where names of files begin.
	Folder() string
	// Provider is what extensions complete with; nil without.
	Provider() extension.AutocompleteProvider
	// Writing reports whether what is typed goes to the editor.
	Writing() bool
}

// Box is the editor between its rules, and what completes its text. It belongs to one
// goroutine.
type Box struct {
	Editor editor.Editor
	Keys   *Keys
	// Rows is how many suggestions are seen at once.
	Rows   int
	Source Source
	// Do runs fn beside, and what it returns on the box's goroutine.
	Do func(fn func(ctx context.Context) (then func()))

	shown *completion
	files *files
}

// How long suggestions of extensions are waited for.
const (
	argumentsLimit = time.Second
	suggestLimit   = 2 * time.Second
)

// Edit gives a key to the editor; false if it means nothing there.
func (b *Box) Edit(k tea.KeyPressMsg) bool {
	if !b.Keys.Edit(&b.Editor, k) {
		return false
	}
	b.Complete(false)
	return true
}

// Paste inserts pasted text.
func (b *Box) Paste(s string) {
	b.Editor.Paste(s)
	b.Complete(false)
}

// CloseSuggestions takes the suggestions away.
func (b *Box) CloseSuggestions() { b.shown = nil }

// BreakLine replaces a backslash at the end of the text by a line break, for terminals that know
// no Shift+Enter; false if there is none.
func (b *Box) BreakLine() bool {
	if before := b.Editor.Before(); !strings.HasSuffix(before, `\`) || len(before) != len(b.Editor.Value()) {
		return false
	}
	b.Editor.ReplaceBefore(1, "\n")
	return true
}

// Complete looks for suggestions. asked says that the user has pressed Tab: then any word
// is completed as a path.
func (b *Box) Complete(asked bool) {
	before := b.Editor.Before()
	b.shown = b.completion(before, asked)
	if c := b.shown; asked && c != nil && len(c.items) == 1 {
		b.apply(c) // there is nothing to choose
	}
	if name, args, ok := strings.Cut(strings.TrimPrefix(before, "/"), " "); ok && strings.HasPrefix(before, "/") && b.shown == nil {
		b.askArguments(name, args)
	}
	b.askProvider(asked)
}

// completion returns the suggestions for the end of a text; nil if there are none.
func (b *Box) completion(before string, asked bool) *completion {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	word := line[strings.LastIndexAny(line, " \t\"'=")+1:]
	switch {
	case strings.HasPrefix(before, "/") && !strings.ContainsAny(before, " \n"):
		return newCompletion(b.Source.Commands(before[1:]), len(before), true)
	case strings.HasPrefix(before, "/") && !strings.Contains(before, "\n"):
		name, args, _ := strings.Cut(before[1:], " ")
		if found, known := b.Source.Arguments(name, args); known {
			return newCompletion(found, len(args), true)
		}
	case strings.HasPrefix(word, "@"):
		return newCompletion(matchFiles(b.readFiles().names, word[1:]), len(word), false)
	case asked && word != "":
		return newCompletion(paths(b.Source.Folder(), word), len(word), false)
	}
	return nil
}

func (b *Box) apply(c *completion) {
	b.shown = nil
	if c.provider != nil {
		b.applyProvided(c)
		return
	}
	value := c.items[c.at].Value
	b.Editor.ReplaceBefore(c.word, value)
	if strings.HasSuffix(value, "/") {
		b.Complete(false)
	}
}

// askArguments asks what may follow a command, beside the screen.
func (b *Box) askArguments(name, args string) {
	ask := b.Source.Asker(name)
	if ask == nil {
		return
	}
	before := b.Editor.Before()
	b.Do(func(ctx context.Context) func() {
		ctx, cancel := context.WithTimeout(ctx, argumentsLimit)
		defer cancel()
		found := ask(ctx, args)
		return func() {
			if b.Editor.Before() == before && b.Source.Writing() {
				b.shown = newCompletion(found, len(args), true)
			}
		}
	})
}

// place returns the text as lines, and where the cursor is in them, in code points.
func (b *Box) place() (lines []string, line, col int) {
	before := b.Editor.Before()
	col = len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	return strings.Split(b.Editor.Value(), "\n"), strings.Count(before, "\n"), col
}

// askProvider asks extensions for suggestions, and shows them if the text is still the same.
func (b *Box) askProvider(asked bool) {
	p := b.Source.Provider()
	if p == nil {
		return
	}
	before, value := b.Editor.Before(), b.Editor.Value()
	lines, line, col := b.place()
	b.Do(func(ctx context.Context) func() {
		ctx, cancel := context.WithTimeout(ctx, suggestLimit)
		defer cancel()
		found, err := p.Suggest(ctx, lines, line, col, asked)
		if err != nil || found == nil {
			return nil
		}
		return func() {
			if b.Editor.Before() != before || b.Editor.Value() != value || !b.Source.Writing() {
				return
			}
			if c := newCompletion(Suggestions(found.Items), len(found.Prefix), strings.HasPrefix(before, "/")); c != nil {
				c.provider, c.found = p, found
				b.shown = c
			}
		}
	})
}

// applyProvided lets the provider put its suggestion into the text.
func (b *Box) applyProvided(c *completion) {
	value := b.Editor.Value()
	lines, line, col := b.place()
	chosen := c.found.Items[c.at]
	b.Do(func(context.Context) func() {
		changed, newLine, newCol := c.provider.Apply(lines, line, col, chosen, c.found.Prefix)
		return func() {
			if b.Editor.Value() == value {
				b.Editor.SetAt(strings.Join(changed, "\n"), newLine, newCol)
			}
		}
	})
}

// Suggest is what completes a text that may not be the editor's; nil for nothing.
func (b *Box) Suggest(lines []string, line, col int, asked bool) *extension.Suggestions {
	if line >= len(lines) {
		return nil
	}
	runes := []rune(lines[line])
	before := strings.Join(append(lines[:line:line], string(runes[:min(col, len(runes))])), "\n")
	c := b.completion(before, asked)
	if c == nil {
		return nil
	}
	s := &extension.Suggestions{Prefix: before[len(before)-c.word:]}
	for _, it := range c.items {
		s.Items = append(s.Items, extension.AutocompleteItem{Value: it.Value, Label: it.Label, Description: it.Detail})
	}
	return s
}

// Suggestions are those of an extension.
func Suggestions(found []extension.AutocompleteItem) []Suggestion {
	items := make([]Suggestion, len(found))
	for i, it := range found {
		items[i] = Suggestion{Label: text.OneLine(it.Label), Detail: text.OneLine(it.Description), Value: it.Value}
	}
	return items
}

// Draw draws the editor between two rules, and the suggestions, in at most room lines of a screen
// of a height. x and y are the cursor's place.
func (b *Box) Draw(ink theme.Ink, width, height, room int) (lines []string, x, y int) {
	b.Editor.Measure = ink.Measure
	v := b.Editor.Draw(width, min(max(room/2, 1), max(height/3, 3)))
	border := ink.Style(theme.Border)
	if strings.HasPrefix(b.Editor.Value(), "!") {
		border = ink.Style(theme.BashMode)
	}
	edge := func(hidden int) string {
		label := ""
		if hidden > 0 {
			label = "── " + strconv.Itoa(hidden) + " more "
		}
		return border.Wrap(label + strings.Repeat("─", max(width-ink.Width(label), 0)))
	}
	lines = append(lines, edge(v.Above))
	lines = append(lines, v.Rows...)
	lines = append(lines, edge(v.Below))
	if b.shown != nil {
		lines = append(lines, text.Strings(b.shown.draw(ink, width, min(b.Rows, max(room-len(lines), 1))))...)
	}
	return lines, v.X, v.Y + 1
}
