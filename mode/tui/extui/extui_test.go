package extui_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loop is a terminal without a screen: a goroutine that owns a model.
type loop struct {
	calls chan func(extui.Model)
	ended chan struct{}

	mu      sync.Mutex
	notices []string

	ui       *extui.UI
	box      input.Box
	dialogs  dialog.Stack
	conv     *view.Conversation
	pressed  []string
	released int
}

func (l *loop) Later(fn func(extui.Model)) (<-chan struct{}, bool) {
	select {
	case <-l.ended:
		return nil, false
	default:
		l.calls <- fn
		return l.ended, true
	}
}

func (l *loop) Notify(_ chat.Level, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notices = append(l.notices, message)
}

func (l *loop) told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.notices, "|")
}

func (l *loop) Refresh()                         {}
func (l *loop) Stopped() <-chan struct{}         { return l.ended }
func (l *loop) Size() (columns, rows int)        { return 40, 20 }
func (l *loop) Input() *input.Box                { return &l.box }
func (l *loop) Dialogs() *dialog.Stack           { return &l.dialogs }
func (l *loop) Conversation() *view.Conversation { return l.conv }
func (l *loop) Press(k tea.KeyPressMsg)          { l.pressed = append(l.pressed, k.String()) }
func (l *loop) Submit()                          { l.box.Editor.Clear() }
func (l *loop) SetTitle(string)                  {}
func (l *loop) Recolour(*theme.Theme)            {}
func (l *loop) Release()                         { l.released++ }
func (l *loop) Resume()                          { l.released-- }

// do does something with the model and waits for it.
func (l *loop) do(fn func()) {
	done := make(chan struct{})
	l.calls <- func(extui.Model) {
		defer close(done)
		fn()
	}
	<-done
}

// bubble runs a test with the UI of a loop that runs.
func bubble(t *testing.T, fn func(t *testing.T, l *loop, ui *extui.UI)) {
	synctest.Test(t, func(t *testing.T) {
		p := prefs.Preferences{ImageProtocol: "none"}
		p.Complete()
		l := &loop{calls: make(chan func(extui.Model), 100), ended: make(chan struct{})}
		l.ui = extui.New(l, extui.Options{Plain: true, Providers: func() int { return 2 }, Preferences: p})
		l.dialogs.Focus = l.ui.Layers()
		l.conv = view.NewConversation(l.painter())
		l.conv.Drawer = l.ui.NewDrawer(func() *extension.Runner { return nil }, func() string { return "" })
		go func() {
			for {
				select {
				case fn := <-l.calls:
					fn(l)
				case <-l.ended:
					return
				}
			}
		}()
		fn(t, l, l.ui)
		close(l.ended)
		synctest.Wait()
	})
}

func (l *loop) painter() view.Painter {
	return view.Painter{Ink: theme.Ink{Theme: theme.New(false), Measure: ansi.GraphemeWidth}, Width: 40, Height: 20, Images: l.ui.Images()}
}

func (l *loop) beside(below bool) string {
	p := l.painter()
	l.ui.Beside(&p, below)
	synctest.Wait() // components draw on goroutines of their own
	return ansi.Strip(strings.Join(l.ui.Beside(&p, below), "\n"))
}

// label is a component.
type label struct {
	mu      sync.Mutex
	text    string
	heard   []string
	focused bool
	gone    bool
	stuck   chan struct{} // if set, drawing waits for it
}

func (c *label) Render(int) []string {
	if c.stuck != nil {
		<-c.stuck
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return []string{c.text}
}

func (c *label) HandleInput(data string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, data)
}

func (c *label) Invalidate() {}
func (c *label) Dispose()    { c.gone = true }

func (c *label) SetFocused(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.focused = on
}

func (c *label) saw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.heard, " ")
}

func TestDialogs(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		keys, _ := input.NewKeys(nil)
		answers := make(chan string, 1)
		go func() {
			s, _ := ui.Select(t.Context(), "Which?\nbelow", []string{"red", "green"}, 0)
			answers <- s
		}()
		synctest.Wait()
		l.do(func() { l.dialogs.Key(l.dialogs.Top(), keys, tea.KeyPressMsg{Code: tea.KeyDown}) })
		l.do(func() { l.dialogs.Key(l.dialogs.Top(), keys, tea.KeyPressMsg{Code: tea.KeyEnter}) })
		if got := <-answers; got != "green" {
			t.Errorf("chosen: %q", got)
		}
		if ui.Confirm(t.Context(), "Sure?", "", time.Second) {
			t.Error("a question whose time is over is answered")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, ok := ui.Input(ctx, "Name", "", 0); ok {
			t.Error("a question that is given up is answered")
		}
		synctest.Wait()
		l.do(func() {
			if l.dialogs.Top() != nil {
				t.Error("a dialog is left")
			}
		})
	})
}

func TestWidgets(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		ui.SetWidget("lines", &extension.Widget{Lines: []string{"one", "\x1b[2Jtwo"}})
		c := &label{text: "drawn"}
		made := func(extension.Screen, extension.Theme) extension.Component { return c }
		ui.SetWidget("component", &extension.Widget{Component: made, Placement: "belowEditor"})
		synctest.Wait()
		if got := l.beside(false); got != "one\ntwo" {
			t.Errorf("above: %q", got)
		}
		if got := l.beside(true); got != "drawn" {
			t.Errorf("below: %q", got)
		}
		ui.SetWidget("component", nil)
		synctest.Wait()
		if got := l.beside(true); got != "" || !c.gone {
			t.Errorf("below, afterwards: %q", got)
		}
		ui.Reset()
		if got := l.beside(false); got != "" {
			t.Errorf("in another session: %q", got)
		}
	})
}

// TestStuckComponent: a component that does not return from drawing holds up nothing but itself.
func TestStuckComponent(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		c := &label{text: "at last", stuck: make(chan struct{})}
		ui.SetWidget("stuck", &extension.Widget{Component: func(extension.Screen, extension.Theme) extension.Component { return c }})
		ui.SetWidget("other", &extension.Widget{Lines: []string{"other"}})
		synctest.Wait()
		if got := l.beside(false); got != "other" {
			t.Errorf("while it is stuck: %q", got)
		}
		close(c.stuck)
		if got := l.beside(false); got != "at last\nother" {
			t.Errorf("afterwards: %q", got)
		}
	})
}

func TestPanicOfAComponent(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		ui.SetWidget("bug", &extension.Widget{Component: func(extension.Screen, extension.Theme) extension.Component { panic("a bug") }})
		synctest.Wait()
		if got := l.told(); got != "A component of an extension has failed." {
			t.Errorf("told: %q", got)
		}
	})
}

// TestCustom: a component in the place of the editor has the focus, gets what is typed and gives
// the focus back.
func TestCustom(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		c := &label{text: "custom"}
		var done func(any)
		results := make(chan any, 1)
		go func() {
			v, _ := ui.Custom(t.Context(), func(_ extension.Screen, _ extension.Theme, _ extension.Keybindings, d func(any)) (extension.Component, error) {
				done = d
				return c, nil
			}, nil)
			results <- v
		}()
		synctest.Wait()
		if ui.Writing() || !c.focused {
			t.Error("it does not have the focus")
		}
		keys, _ := input.NewKeys(nil)
		l.do(func() { l.dialogs.Key(l.dialogs.Top(), keys, tea.KeyPressMsg{Code: tea.KeyUp}) })
		l.do(func() { l.dialogs.Top().Paste("two\nlines") })
		synctest.Wait()
		if got := c.saw(); got != "\x1b[A \x1b[200~two\nlines\x1b[201~" {
			t.Errorf("it got %q", got)
		}
		done(42)
		if got := <-results; got != 42 || !ui.Writing() {
			t.Errorf("result %v, writing %v", got, ui.Writing())
		}
		synctest.Wait()
		if !c.gone {
			t.Error("it is not disposed of")
		}
	})
}

// TestEditorText is what extensions have written, at once, and what the user has written then.
func TestEditorText(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		ui.SetEditorText("one ")
		ui.PasteToEditor("two")
		if got := ui.EditorText(); got != "one two" {
			t.Errorf("at once: %q", got)
		}
		l.do(func() {
			l.box.Editor.Insert("!")
			ui.Match(&l.box)
		})
		if got := ui.EditorText(); got != "one two!" {
			t.Errorf("then: %q", got)
		}
	})
}

func TestToolsExpanded(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		ui.SetToolsExpanded(true)
		ui.MatchExpanded(false) // the model does not know yet
		if !ui.ToolsExpanded() {
			t.Error("what was asked for is not seen")
		}
		synctest.Wait()
		l.do(func() { ui.MatchExpanded(l.conv.Expanded) })
		if !ui.ToolsExpanded() {
			t.Error("the model was not told")
		}
	})
}

// TestIntercept: keys pass the handlers in order, are changed or consumed, and reach the model.
func TestIntercept(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		a := tea.KeyPressMsg{Code: 'a', Text: "a"}
		if ui.Intercept(a) {
			t.Error("a key is taken without handlers")
		}
		off := ui.OnTerminalInput(func(data string) (string, bool) { return strings.ToUpper(data), data == "x" })
		for _, k := range []tea.KeyPressMsg{a, {Code: 'x', Text: "x"}, {Code: tea.KeyLeft}} {
			if !ui.Intercept(k) {
				t.Errorf("%v is not taken", k)
			}
		}
		synctest.Wait()
		l.do(func() {
			if got := strings.Join(l.pressed, " "); got != "A left" {
				t.Errorf("pressed: %q", got)
			}
		})
		off()
		if ui.Intercept(a) {
			t.Error("a key is taken by a handler that is gone")
		}
	})
}

// TestAfterTheEnd: nothing waits for a terminal that has ended.
func TestAfterTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		open := make(chan bool)
		go func() {
			_, ok := ui.Editor(context.Background(), "open at the end", "")
			open <- ok
		}()
		synctest.Wait()
		close(l.ended)
		if <-open {
			t.Error("a question of a terminal that has ended is answered")
		}
		if _, ok := ui.Input(context.Background(), "after the end", "", 0); ok {
			t.Error("a question after the end is answered")
		}
		ui.PasteToEditor("x")
		ui.SetToolsExpanded(true)
		_ = ui.EditorText()
		synctest.Wait()
		l.ended = make(chan struct{}) // for the end of the test
	})
}

func TestFooterData(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, ui *extui.UI) {
		fine := "fine"
		ui.SetStatus("b", &fine)
		ui.SetStatus("a", &fine)
		var data extension.FooterData
		ui.SetFooter(func(_ extension.Screen, _ extension.Theme, d extension.FooterData) extension.Component {
			data = d
			return &label{text: "my footer"}
		})
		synctest.Wait()
		changed := make(chan string, 1)
		off := data.OnBranchChange(func() { changed <- data.GitBranch() })
		ui.SetBranch("main")
		if got := <-changed; got != "main" || data.AvailableProviderCount() != 2 || len(data.ExtensionStatuses()) != 2 {
			t.Errorf("branch %q, %d providers, %v", got, data.AvailableProviderCount(), data.ExtensionStatuses())
		}
		off()
		ui.SetBranch("other")
		synctest.Wait()
		p := l.painter()
		ui.Footer(&p)
		synctest.Wait()
		if rows, ok := ui.Footer(&p); !ok || ansi.Strip(rows[0]) != "my footer" || ui.StatusLine() != "fine fine" {
			t.Errorf("footer %q, status line %q", rows, ui.StatusLine())
		}
	})
}
