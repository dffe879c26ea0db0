package script_test

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
)

// renderers shows the messages and entries that were sent, and one of each type besides.
func (tr *trial) renderers() {
	var types []string
	for _, m := range tr.sent {
		if !slices.Contains(types, m.CustomType) {
			types = append(types, m.CustomType)
		}
	}
	for _, typ := range types {
		var list []map[string]any
		for _, m := range tr.sent {
			if m.CustomType == typ {
				list = append(list, messageWords(m))
			}
		}
		list = append(list[max(0, len(list)-3):], map[string]any{"customType": typ, "content": "plain text", "display": true, "details": map[string]any{"level": "warn", "timestamp": 1750000000000}})
		for _, m := range list {
			raw, _ := json.Marshal(with(map[string]any{"role": "custom", "timestamp": 1}, m), lax)
			tr.renderBoth("message "+typ, func(expanded bool) extension.Component {
				return tr.runner.RenderMessage(typ, raw, expanded, tr.Theme())
			})
		}
	}
	tr.entryRenderers()
}

func (tr *trial) entryRenderers() {
	type custom struct {
		Type       string `json:"type"`
		CustomType string `json:"customType"`
	}
	byType := map[string][]jsontext.Value{}
	var types []string
	for _, raw := range tr.canned.Entries {
		if e := read[custom](raw); e.Type == "custom" {
			if byType[e.CustomType] == nil {
				types = append(types, e.CustomType)
			}
			byType[e.CustomType] = append(byType[e.CustomType], raw)
		}
	}
	for _, typ := range types {
		list := byType[typ]
		for _, raw := range list[max(0, len(list)-3):] {
			tr.renderBoth("entry "+typ, func(expanded bool) extension.Component { return tr.runner.RenderEntry(typ, raw, expanded, tr.Theme()) })
		}
	}
}

func (tr *trial) renderBoth(label string, render func(expanded bool) extension.Component) {
	for _, expanded := range []bool{false, true} {
		if c := render(expanded); c != nil {
			tr.show(label, c, 80, 37)
		}
	}
}

// tryParts tries the editor and the completions that were installed.
func (tr *trial) tryParts() {
	if tr.editor != nil {
		tr.useEditor(tr.editor(tr.terminalPerson, tr.Theme(), tr.terminalPerson))
	}
	for _, wrap := range tr.complete {
		tr.useCompletions(wrap(noSuggestions{}))
	}
	tr.complete = nil
}

func (tr *trial) useEditor(e extension.EditorComponent) {
	if e == nil {
		tr.note("render", "editor", "nothing")
		return
	}
	if f, ok := e.(extension.Focuser); ok {
		f.SetFocused(true)
	}
	e.OnSubmit(func(text string) { tr.note("editor.onSubmit", text) })
	tr.show("editor", e, 60, 20)
	list := strings.Split("say ultrathink now", "")
	list = append(list, tr.canned.Keys...)
	list = append(append(list, "line", "\x0a"), strings.Split("more words here", "")...)
	list = append(append(list, "\x1b", "0", "w", "x", "i"), tr.canned.Keys...)
	tr.settle(func() { tr.press("editor", e, list, func() bool { return false }) })
	tr.note("editor text", e.Text())
	e.SetText("first line\nsecond line that is long enough to be wrapped at sixty columns, surely")
	tr.show("editor", e, 60)
	if d, ok := e.(extension.Disposer); ok {
		d.Dispose()
	}
}

func (tr *trial) useCompletions(p extension.AutocompleteProvider) {
	triggers := p.Triggers()
	if triggers == nil {
		triggers = []string{}
	}
	tr.note("triggers", triggers)
	for _, line := range []string{"see #", "see #1", "see #cra", "/he", "nothing"} {
		var found *extension.Suggestions
		tr.settle(func() {
			var err error
			if found, err = p.Suggest(tr.t.Context(), []string{line}, 0, len(line), false); err != nil {
				tr.note("failed", err)
			}
		})
		tr.note("suggested", line, found)
		if found != nil && len(found.Items) > 0 {
			lines, row, col := p.Apply([]string{line}, 0, len(line), found.Items[0], found.Prefix)
			tr.note("completed", map[string]any{"lines": lines, "cursorLine": row, "cursorCol": col})
		}
		tr.note("file completion", p.TriggersFiles([]string{line}, 0, len(line)))
	}
}
