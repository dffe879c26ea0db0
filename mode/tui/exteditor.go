package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/extension"
)

// customEditor is an editor of an extension, in the place of the terminal's own.
type customEditor struct {
	h *hosted
	e extension.EditorComponent // once it is made; it belongs to the component's goroutine
	// given is the text of the terminal's own editor when both had the same.
	given string
}

// matchEditor tells the editor of an extension that the text is another one.
func (u *UI) matchEditor(a *app) {
	if e := u.customEditor(); e != nil && e.given != a.editor.Value() {
		e.given = a.editor.Value()
		s := a.editor.Text()
		u.tellEditor(func(e extension.EditorComponent) { e.SetText(s) })
	}
}

// completer is what completes the text: what extensions have added, or the terminal itself.
func (u *UI) completer() extension.AutocompleteProvider {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.complete != nil {
		return u.complete
	}
	return ownCompletion{u}
}

// SetEditorComponent implements [extension.UI].
func (u *UI) SetEditorComponent(factory extension.EditorFactory) {
	var made *customEditor
	if factory != nil {
		begin := u.EditorText()
		made = &customEditor{given: begin}
		made.h = u.t.host(func(h *hosted) extension.Component {
			e := factory(&componentScreen{u: u, h: h}, u.Theme(), u.preferences().Keys)
			if e == nil {
				return nil
			}
			e.OnSubmit(func(s string) {
				u.t.later(func(a *app) {
					a.editor.Set(s)
					a.follow(a.submit(false))
					made.given = ""
				})
				h.with(func(extension.Component) {
					e.AddToHistory(s)
					if e.Text() == s { // it has not emptied itself, and nothing was typed since
						e.SetText("")
					}
				})
			})
			e.OnChange(func(s string) {
				u.t.later(func(a *app) {
					a.editor.Set(s)
					made.given = a.editor.Value()
				})
			})
			e.SetText(begin)
			e.SetAutocompleteProvider(u.completer())
			if f, ok := e.(extension.Focuser); ok {
				f.SetFocused(true)
			}
			made.e = e
			return e
		})
	}
	u.change(func() {
		if u.editor != nil {
			u.editor.h.dispose()
		}
		u.editor, u.factory = made, factory
	})
}

// EditorComponent implements [extension.UI].
func (u *UI) EditorComponent() extension.EditorFactory {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.factory
}

func (u *UI) customEditor() *customEditor {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.editor
}

// tellEditor does something with the editor of an extension, if there is one.
func (u *UI) tellEditor(fn func(extension.EditorComponent)) {
	if e := u.customEditor(); e != nil {
		e.h.with(func(extension.Component) { fn(e.e) })
		e.h.changed()
	}
}

// keepsKey reports whether a key that means something to the terminal is for the editor of
// an extension all the same.
func keepsKey(k tea.KeyPressMsg, working bool) bool {
	switch k.String() {
	case "enter", "kpenter", "shift+enter", "ctrl+j", "tab", "up", "down":
		return true
	case "esc":
		return !working
	}
	return false
}

// AddAutocompleteProvider implements [extension.UI].
func (u *UI) AddAutocompleteProvider(wrap func(current extension.AutocompleteProvider) extension.AutocompleteProvider) {
	go func() { // making one may take the extension's own goroutine, which is here now
		if next := wrap(u.completer()); next != nil {
			u.change(func() { u.complete = next })
			u.tellEditor(func(e extension.EditorComponent) { e.SetAutocompleteProvider(next) })
		}
	}()
}

// suggestLimit bounds how long suggestions of extensions are waited for.
const suggestLimit = 2 * time.Second

// askProviders asks extensions for suggestions, and shows them if the text is still the same.
func (a *app) askProviders(asked bool) {
	u := a.opts.ui
	u.mu.Lock()
	p := u.complete
	u.mu.Unlock()
	if p == nil {
		return
	}
	before, value := a.editor.Before(), a.editor.Value()
	lines := strings.Split(value, "\n")
	line := strings.Count(before, "\n")
	col := len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	a.do(func(ctx context.Context) callMsg {
		ctx, cancel := context.WithTimeout(ctx, suggestLimit)
		defer cancel()
		found, err := p.Suggest(ctx, lines, line, col, asked)
		if err != nil || found == nil {
			return nil
		}
		return func(a *app) {
			if a.editor.Before() != before || a.editor.Value() != value || !a.writing() {
				return
			}
			items := extensionItems(found.Items)
			a.suggest(items, len(found.Prefix), strings.HasPrefix(before, "/"))
			if a.complete != nil {
				a.complete.provider, a.complete.found = p, found
			}
		}
	})
}

// applyProvided lets the provider put its suggestion into the text.
func (a *app) applyProvided(c *completion) {
	before, value := a.editor.Before(), a.editor.Value()
	lines := strings.Split(value, "\n")
	line := strings.Count(before, "\n")
	col := len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	chosen := c.found.Items[c.at]
	a.do(func(context.Context) callMsg {
		changed, newLine, newCol := c.provider.Apply(lines, line, col, chosen, c.found.Prefix)
		return func(a *app) {
			if a.editor.Value() == value {
				a.editor.SetAt(strings.Join(changed, "\n"), newLine, newCol)
			}
		}
	})
}

// ownCompletion is the terminal's completion, for extensions that add to it.
type ownCompletion struct{ u *UI }

// Suggest implements [extension.AutocompleteProvider].
func (o ownCompletion) Suggest(ctx context.Context, lines []string, line, col int, force bool) (*extension.Suggestions, error) {
	results := make(chan *extension.Suggestions, 1)
	if !o.u.t.later(func(a *app) { results <- a.suggestions(lines, line, col, force) }) {
		return nil, nil
	}
	select {
	case s := <-results:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// suggestions is what completes a text that may not be the editor's.
func (a *app) suggestions(lines []string, line, col int, force bool) *extension.Suggestions {
	if line >= len(lines) {
		return nil
	}
	runes := []rune(lines[line])
	before := strings.Join(append(lines[:line:line], string(runes[:min(col, len(runes))])), "\n")
	c := a.completionFor(before, force)
	if c == nil {
		return nil
	}
	s := &extension.Suggestions{Prefix: before[len(before)-c.word:]}
	for _, it := range c.items {
		value, _ := it.value.(string)
		s.Items = append(s.Items, extension.AutocompleteItem{Value: value, Label: it.label, Description: it.detail})
	}
	return s
}

// Apply implements [extension.AutocompleteProvider].
func (ownCompletion) Apply(lines []string, line, col int, item extension.AutocompleteItem, prefix string) (changed []string, newLine, newCol int) {
	if line >= len(lines) {
		return lines, line, col
	}
	changed = append([]string(nil), lines...)
	runes := []rune(lines[line])
	col = min(col, len(runes))
	start := max(col-len([]rune(prefix)), 0)
	changed[line] = string(runes[:start]) + item.Value + string(runes[col:])
	return changed, line, start + len([]rune(item.Value))
}

// TriggersFiles implements [extension.AutocompleteProvider].
func (ownCompletion) TriggersFiles([]string, int, int) bool { return true }

// Triggers implements [extension.AutocompleteProvider].
func (ownCompletion) Triggers() []string { return []string{"/", "@"} }
