package script

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

func (h *host) footerOps() Table {
	return Table{
		"pi.ui.footer": onHeld(h, func(_ *instance, f extension.FooterData, _ struct{ N int }) (any, error) {
			return map[string]any{"branch": f.GitBranch(), "statuses": f.ExtensionStatuses(), "providers": f.AvailableProviderCount()}, nil
		}),
		"pi.ui.onBranch": onHeld(h, func(in *instance, f extension.FooterData, a struct{ N, H int }) (jsontext.Value, error) {
			off := f.OnBranchChange(func() { _ = in.function(context.Background(), a.H, nil) })
			h.mu.Lock()
			defer h.mu.Unlock()
			h.offs[a.H] = off
			return nil, nil
		}),
		"pi.ui.offBranch": do(h, func(in *instance, a struct{ H int }) error { return in.off(a.H) }),
	}
}

// editor is an editor component of the machine.
type editor struct {
	component
	submit, change func(string)
}

var _ extension.EditorComponent = (*editor)(nil)

func (e *editor) text(entry string) (text string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = e.draw(ctx, entry, map[string]any{}, &text)
	return text
}

// Text implements [extension.EditorComponent].
func (e *editor) Text() string { return e.text("editor.get") }

// ExpandedText implements [extension.EditorComponent].
func (e *editor) ExpandedText() string { return e.text("editor.expanded") }

// SetText implements [extension.EditorComponent].
func (e *editor) SetText(text string) { e.later("editor.set", map[string]any{"text": text}) }

// InsertText implements [extension.EditorComponent].
func (e *editor) InsertText(text string) { e.later("editor.insert", map[string]any{"text": text}) }

// AddToHistory implements [extension.EditorComponent].
func (e *editor) AddToHistory(text string) { e.later("editor.history", map[string]any{"text": text}) }

// OnSubmit implements [extension.EditorComponent].
func (e *editor) OnSubmit(fn func(string)) { e.submit = fn }

// OnChange implements [extension.EditorComponent].
func (e *editor) OnChange(fn func(string)) { e.change = fn }

// SetAutocompleteProvider implements [extension.EditorComponent].
func (e *editor) SetAutocompleteProvider(p extension.AutocompleteProvider) {
	e.later("editor.complete", map[string]any{"x": e.in.id, "provider": e.in.completer(p), "triggers": p.Triggers()})
}

// completer is what completes the person's text in an extension.
type completer struct {
	in                    *instance
	Suggest, Apply, Files int
	Own                   int      // the provider itself, in the machine
	Trigger               []string `json:"triggers"`
}

type suggester struct{ completer }

// completer describes what completes the person's text to the machine. One that is of the
// machine is called there: it could not be called by way of Go, which waits for it.
func (in *instance) completer(p extension.AutocompleteProvider) map[string]int {
	if s, ok := p.(suggester); ok && s.in.host == in.host {
		return map[string]int{"own": s.Own}
	}
	return map[string]int{"held": in.host.hold(p)}
}

// Suggest implements [extension.AutocompleteProvider].
func (s suggester) Suggest(ctx context.Context, lines []string, line, col int, force bool) (*extension.Suggestions, error) {
	var out *extension.Suggestions
	return out, s.in.function(ctx, s.completer.Suggest, &out, lines, line, col, force)
}

// Apply implements [extension.AutocompleteProvider].
func (s suggester) Apply(lines []string, line, col int, item extension.AutocompleteItem, prefix string) (changed []string, newLine, newCol int) {
	var out struct {
		Lines                 []string
		CursorLine, CursorCol int
	}
	if err := s.in.function(context.Background(), s.completer.Apply, &out, lines, line, col, item, prefix); err != nil {
		s.in.report("autocomplete", err)
		return lines, line, col
	}
	return out.Lines, out.CursorLine, out.CursorCol
}

// TriggersFiles implements [extension.AutocompleteProvider].
func (s suggester) TriggersFiles(lines []string, line, col int) bool {
	triggers := true
	if s.Files != 0 {
		_ = s.in.function(context.Background(), s.Files, &triggers, lines, line, col)
	}
	return triggers
}

// Triggers implements [extension.AutocompleteProvider].
func (s suggester) Triggers() []string { return s.Trigger }

// editorOps are those of an editor that an extension has made.
func (h *host) editorOps() Table {
	return Table{
		"pi.ui.setEditorComponent": do(h, func(in *instance, a struct{ Component int }) error {
			if a.Component == 0 {
				in.x.UI().SetEditorComponent(nil)
				return nil
			}
			in.x.UI().SetEditorComponent(func(screen extension.Screen, theme extension.Theme, keys extension.Keybindings) extension.EditorComponent {
				return in.editor(a.Component, screen, theme, keys)
			})
			return nil
		}),
		"pi.ui.editorSays": act(h, func(_ context.Context, in *instance, a struct {
			N          int
			What, Text string
		},
		) (jsontext.Value, error) {
			h.mu.Lock()
			e := h.editors[a.N]
			h.mu.Unlock()
			if e == nil {
				return nil, nil
			}
			fn := e.change
			if a.What == "submit" {
				fn = e.submit
			}
			if fn != nil {
				fn(a.Text)
			}
			return nil, nil
		}),
	}
}

// completionOps are those of what completes the person's text.
func (h *host) completionOps() Table {
	return Table{
		"pi.ui.addAutocompleteProvider": do(h, func(in *instance, a struct{ H int }) error {
			in.x.UI().AddAutocompleteProvider(func(current extension.AutocompleteProvider) extension.AutocompleteProvider {
				own := suggester{completer{in: in}}
				if err := in.function(context.Background(), a.H, &own.completer, in.id, in.completer(current)); err != nil {
					in.report("autocomplete", err)
					return current
				}
				return own
			})
			return nil
		}),
		"pi.ui.suggest": reach(h, toSuggest, func(ctx context.Context, _ *instance, a suggestArg) (*extension.Suggestions, error) {
			p, err := held[extension.AutocompleteProvider](h, a.N)
			if err != nil {
				return nil, err
			}
			found, err := p.Suggest(ctx, a.Lines, a.Line, a.Col, a.Force)
			if ctx.Err() != nil { // the text has changed meanwhile
				return nil, nil
			}
			return found, err
		}),
		"pi.ui.applyCompletion": onHeld(h, func(_ *instance, p extension.AutocompleteProvider, a struct {
			N         int
			Lines     []string
			Line, Col int
			Item      extension.AutocompleteItem
			Prefix    string
		},
		) (any, error) {
			lines, line, col := p.Apply(a.Lines, a.Line, a.Col, a.Item, a.Prefix)
			return map[string]any{"lines": lines, "cursorLine": line, "cursorCol": col}, nil
		}),
		"pi.ui.triggersFiles": onHeld(h, func(_ *instance, p extension.AutocompleteProvider, a struct {
			N         int
			Lines     []string
			Line, Col int
		},
		) (bool, error) {
			return p.TriggersFiles(a.Lines, a.Line, a.Col), nil
		}),
	}
}

// editor makes an editor component of a function of the machine.
func (in *instance) editor(fn int, screen extension.Screen, theme extension.Theme, keys extension.Keybindings) extension.EditorComponent {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n, err := in.makeNumber(ctx, "editor.make", fn, []any{in.screenArg(screen), themeArg(theme), map[string]any{"keys": in.host.hold(keys)}})
	if err != nil {
		in.report("editor", err)
		return nil
	}
	e := &editor{component: component{in: in, n: n}}
	e.screen.Store(&screen)
	h := in.host
	h.mu.Lock()
	defer h.mu.Unlock()
	h.editors[n] = e
	return e
}

// suggestArg asks the program's own completion.
type suggestArg struct {
	N         int
	Lines     []string
	Line, Col int
	Force     bool
}

// toSuggest are the folders whose files may be named: the session's, and one that the text
// before the cursor names.
func toSuggest(in *instance, a *suggestArg) []Access {
	list := []Access{{Kind: Read, Subject: in.x.CWD()}}
	if a.Line < 0 || a.Line >= len(a.Lines) {
		return list
	}
	words := strings.FieldsFunc(a.Lines[a.Line], func(r rune) bool { return strings.ContainsRune(" \t@\"'=", r) })
	for _, word := range words {
		if rest, ok := strings.CutPrefix(word, "~"); ok {
			home, _ := os.UserHomeDir()
			word = home + string(filepath.Separator) + rest
		}
		if dir := filepath.Dir(word); dir != "." {
			list = append(list, Access{Kind: Read, Subject: in.host.system.path(dir)})
		}
	}
	return list
}
