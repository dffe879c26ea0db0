package extui

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/input"
)

// editing is the text of the editor as extensions see it at once and the model a little later,
// the editor that an extension puts in the place of the terminal's own, and what completes.
type editing struct {
	on *stage

	mu       sync.Mutex
	text     string
	changes  int             // of text that the model does not have yet
	pasted   <-chan struct{} // closed when text has the newest paste; nil for none
	factory  extension.EditorFactory
	provider extension.AutocompleteProvider // the outermost; nil without extensions
}

// pasteLimit bounds how long the text is waited for that a paste has just changed.
const pasteLimit = time.Second

// promise changes what extensions see at once, and the model a little later.
func (u *editing) promise(s string, then func(Model)) {
	u.mu.Lock()
	u.text = s
	u.changes++
	u.mu.Unlock()
	kept := func() {
		u.mu.Lock()
		u.changes--
		u.mu.Unlock()
	}
	if !u.on.later(func(m Model) {
		then(m)
		kept()
	}) {
		kept()
	}
}

// SetEditorText implements [extension.UI].
func (u *editing) SetEditorText(s string) {
	s = text.Clean(strings.ReplaceAll(s, "\r\n", "\n"))
	e := u.on.customEditor()
	u.promise(s, func(m Model) {
		m.Input().Editor.Set(s)
		if e != nil { // it knows already
			e.given = m.Input().Editor.Value()
		}
	})
	u.update(func(e extension.EditorComponent) { e.SetText(s) })
}

// PasteToEditor implements [extension.UI]. Where the cursor is, and what becomes of a paste, is
// known to the editor alone.
func (u *editing) PasteToEditor(s string) {
	done := make(chan struct{})
	u.mu.Lock()
	u.pasted = done
	u.mu.Unlock()
	var started bool
	if e := u.on.customEditor(); e != nil {
		started = e.h.do(func() {
			defer close(done)
			if e.e == nil {
				return
			}
			e.e.HandleInput(input.EncodePaste(s))
			u.promise(e.e.ExpandedText(), func(Model) {}) // the model hears of it by OnChange before
			e.h.changed()
		})
	} else {
		started = u.on.later(func(m Model) {
			defer close(done)
			m.Input().Editor.Paste(s)
			u.Match(m.Input())
		})
	}
	if !started {
		close(done)
	}
}

// EditorText implements [extension.UI].
func (u *editing) EditorText() string {
	u.mu.Lock()
	pasted := u.pasted
	u.mu.Unlock()
	if pasted != nil {
		select {
		case <-pasted:
		case <-u.on.loop.Stopped():
		case <-time.After(pasteLimit): // the editor of an extension is stuck, or it asks itself
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.text
}

// Match tells what the model has in its editor, and tells the editor of an extension if that is
// another text than before.
func (u *editing) Match(b *input.Box) {
	if e := u.on.customEditor(); e != nil && e.given != b.Editor.Value() {
		e.given = b.Editor.Value()
		s := b.Editor.Text()
		u.update(func(e extension.EditorComponent) { e.SetText(s) })
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.changes == 0 {
		u.text = b.Editor.Text()
	}
}

func (u *editing) reset() {
	u.mu.Lock()
	u.factory, u.provider = nil, nil
	u.mu.Unlock()
	u.replace(nil)
}

// Provider is what extensions complete with; nil without.
func (u *editing) Provider() extension.AutocompleteProvider {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.provider
}

// completer is what completes the text: what extensions have added, or the terminal itself.
func (u *editing) completer() extension.AutocompleteProvider {
	if p := u.Provider(); p != nil {
		return p
	}
	return ownCompletion{u.on}
}

// AddAutocompleteProvider implements [extension.UI].
func (u *editing) AddAutocompleteProvider(wrap func(current extension.AutocompleteProvider) extension.AutocompleteProvider) {
	go func() { // making one may take the extension's own goroutine, which is here now
		next := wrap(u.completer())
		if next == nil {
			return
		}
		u.mu.Lock()
		u.provider = next
		u.mu.Unlock()
		u.update(func(e extension.EditorComponent) { e.SetAutocompleteProvider(next) })
	}()
}

// ownCompletion is the terminal's completion, for extensions that add to it.
type ownCompletion struct{ on *stage }

// Suggest implements [extension.AutocompleteProvider].
func (o ownCompletion) Suggest(ctx context.Context, lines []string, line, col int, force bool) (*extension.Suggestions, error) {
	results := make(chan *extension.Suggestions, 1)
	if !o.on.later(func(m Model) { results <- m.Input().Suggest(lines, line, col, force) }) {
		return nil, nil
	}
	select {
	case s := <-results:
		return s, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
