package dialog_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/layer"
)

var keys, _ = input.NewKeys(nil)

func draw(d dialog.Dialog, width, height int) string {
	lines, _, _ := d.Draw(theme.Ink{Theme: theme.New(false), Measure: ansi.GraphemeWidth}, width, height)
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimRight(ansi.Strip(l), " "))
	}
	return strings.Join(out, "\n")
}

// press gives keys to a dialog; ended says that the last one has ended it.
func press(d dialog.Dialog, typed ...tea.KeyPressMsg) (ended bool) {
	for _, k := range typed {
		if then := d.Key(keys, k); then != nil {
			then()
			return true
		}
	}
	return false
}

func text(s string) (typed []tea.KeyPressMsg) {
	for _, r := range s {
		typed = append(typed, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return typed
}

var (
	enter  = tea.KeyPressMsg{Code: tea.KeyEnter}
	escape = tea.KeyPressMsg{Code: tea.KeyEscape}
	down   = tea.KeyPressMsg{Code: tea.KeyDown}
	up     = tea.KeyPressMsg{Code: tea.KeyUp}
)

func colours(chosen *string) *dialog.List {
	l := &dialog.List{Title: "Which colour?", Chosen: func(it dialog.Item) { *chosen = it.Value.(string) }, Dropped: func() { *chosen = "none" }}
	for _, c := range []string{"red", "green", "dark green", "blue"} {
		l.Items = append(l.Items, dialog.Item{Label: c, Value: c, Marked: c == "green"})
	}
	return l
}

func TestList_ChoosesWithKeys(t *testing.T) {
	var chosen string
	l := colours(&chosen)
	if got := draw(l, 40, 20); !strings.Contains(got, "→ green ✓\n") {
		t.Errorf("it does not begin at the present one:\n%s", got)
	}
	if press(l, down, down, down) || !strings.Contains(draw(l, 40, 20), "→ red\n") { // round at the end
		t.Errorf("after three steps:\n%s", draw(l, 40, 20))
	}
	if !press(l, up, enter) || chosen != "blue" {
		t.Errorf("chosen: %q", chosen)
	}
}

func TestList_Searches(t *testing.T) {
	var chosen string
	l := colours(&chosen)
	press(l, text("gree")...)
	if got := draw(l, 40, 20); !strings.Contains(got, "/ gree\n→ green ✓\n  dark green\n↑↓") {
		t.Errorf("what fits:\n%s", got)
	}
	press(l, text("x")...)
	if got := draw(l, 40, 20); !strings.Contains(got, "nothing fits") || press(l, enter) {
		t.Errorf("what fits nothing:\n%s", got)
	}
	l.Paste("\n")
	if !press(l, escape) || chosen != "none" {
		t.Errorf("left: %q", chosen)
	}
}

// TestList_Plain: without a search, an item is chosen by its number, and what is pasted means
// nothing.
func TestList_Plain(t *testing.T) {
	var chosen string
	l := colours(&chosen)
	l.Plain = true
	l.Paste("blue")
	if press(l, text("9")...) || !press(l, text("3")...) || chosen != "dark green" {
		t.Errorf("chosen: %q", chosen)
	}
}

// TestList_OwnKeys do something with the selected item, and the list stays.
func TestList_OwnKeys(t *testing.T) {
	var chosen, marked string
	l := colours(&chosen)
	l.Keys = map[string]func(dialog.Item){"ctrl+b": func(it dialog.Item) { marked = it.Label }}
	if press(l, tea.KeyPressMsg{Code: 'b', Mod: tea.ModCtrl}) || marked != "green" || chosen != "" {
		t.Errorf("marked %q, chosen %q", marked, chosen)
	}
}

func TestList_ShowsAPartOfManyItems(t *testing.T) {
	l := &dialog.List{Title: "Many", Hint: "ctrl+b label"}
	for i := range 50 {
		l.Items = append(l.Items, dialog.Item{Label: strings.Repeat("x", i+1)})
	}
	got := draw(l, 60, 30)
	if n := strings.Count(got, "\n  x") + strings.Count(got, "→ x"); n != dialog.Rows {
		t.Errorf("%d items are seen:\n%s", n, got)
	}
	if !strings.Contains(got, "esc leave · 1 of 50 · ctrl+b label") {
		t.Errorf("help:\n%s", got)
	}
}

func TestPrompt_Lines(t *testing.T) {
	var given string
	p := dialog.NewPrompt("Its text", "first", func(s string) { given = s })
	p.Multi = true
	if !press(p, append(append([]tea.KeyPressMsg{{Code: 'j', Mod: tea.ModCtrl}}, text("second")...), enter)...) || given != "first\nsecond" {
		t.Errorf("given: %q", given)
	}
	p = dialog.NewPrompt("Its name", "", func(s string) { given = s })
	p.Placeholder = "a name"
	if got := draw(p, 40, 10); !strings.Contains(got, "Its name\na name\n") {
		t.Errorf("without a text:\n%s", got)
	}
	p.Paste("one\nline")
	if !press(p, tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}, enter) || given != "one line" {
		t.Errorf("given: %q", given)
	}
}

func TestPrompt_SecretIsNotShown(t *testing.T) {
	var given string
	p := dialog.NewPrompt("Key", "", func(s string) { given = s })
	p.Secret = true
	press(p, text("sk-1")...)
	if got := draw(p, 40, 10); !strings.Contains(got, "••••\n") || strings.Contains(got, "sk") {
		t.Errorf("shown:\n%s", got)
	}
	if !press(p, enter) || given != "sk-1" {
		t.Errorf("given: %q", given)
	}
}

// TestTimed: what ends by itself shows how long it will wait.
func TestTimed(t *testing.T) {
	var chosen string
	l := colours(&chosen)
	if l.Ends() {
		t.Error("it ends by itself")
	}
	l.Limit(time.Now().Add(90 * time.Second))
	if got := draw(l, 40, 20); !l.Ends() || !strings.Contains(got, "Which colour? (90s)") {
		t.Errorf("shown:\n%s", got)
	}
}

// TestStack: the newest dialog has what is typed; one that is taken away from below leaves it so.
func TestStack(t *testing.T) {
	var focus layer.Stack
	focus.Ground(layer.Editor{})
	s := dialog.Stack{Focus: &focus}
	var first, second, third string
	one, two, three := colours(&first), colours(&second), colours(&third)
	s.Push(one)
	s.Push(two)
	s.Push(three)
	if s.Top() != three || focus.Focus() != layer.Target(three) {
		t.Error("the newest is not on top")
	}
	s.Remove(two)
	if s.Top() != three || focus.Focus() != layer.Target(three) {
		t.Error("the newest has lost the focus")
	}
	s.Key(three, keys, enter)
	if third != "green" || s.Top() != one || focus.Focus() != layer.Target(one) {
		t.Errorf("chosen %q", third)
	}
	s.Cancel()
	if first != "none" || second != "" {
		t.Errorf("cancelled: %q, %q", first, second)
	}
	s.Remove(one)
	if s.Top() != nil || focus.Focus() != layer.Target(layer.Editor{}) {
		t.Error("the editor does not have the focus")
	}
}
