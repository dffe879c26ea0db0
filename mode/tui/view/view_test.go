package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/view"
	"github.com/rondo-agent/rondo/tools"
	"github.com/rondo-agent/rondo/toolview"
)

// views are those of the built-in tools, and of one that no frontend knows.
var views = tools.Views(append(tools.Builtin("/", nil), tools.Definition{Tool: &agent.Tool{Name: "deploy"}, View: &toolview.View{
	Subject: []toolview.Part{{Arg: "service"}},
	Notes:   []toolview.Part{{Arg: "region", Before: "to ", Or: "everywhere"}},
	Input:   toolview.Block{Kind: toolview.Code, Arg: "manifest", Language: "json"},
	Output:  toolview.Block{Kind: toolview.Diff, Detail: "change"},
}}))

func painter(width int) view.Painter {
	return view.Painter{
		Ink:   theme.Ink{Theme: theme.New(true), Measure: ansi.GraphemeWidth},
		Width: width, Height: 10, ThinkingLabel: "Thinking:", ImageWidth: 60, Images: new(graphics.Store),
		ToolView: func(name string) *toolview.View { return views[name] },
	}
}

func lines(block []text.Line) string {
	var out []string
	for _, l := range block {
		out = append(out, strings.TrimRight(l.Text(), " "))
	}
	return strings.Join(out, "\n")
}

// styled marks the spans of a style.
func styled(block []text.Line, style text.Style) string {
	var b strings.Builder
	for _, l := range block {
		for _, s := range l {
			if s.Style == style {
				b.WriteString(s.Text + "|")
			}
		}
	}
	return b.String()
}

func TestPainter_Thinking(t *testing.T) {
	p := painter(40)
	b := &chat.Block{Kind: chat.Thinking, Final: true, Text: "First **bold** words.\n\n- a point"}
	if got, want := lines(p.Block(b)), "∴ Thinking: First **bold** words."; got != want {
		t.Errorf("folded: %s", got)
	}
	p.Unfolded = true
	if got, want := lines(p.Block(b)), "∴ First bold words.\n\n  • a point"; got != want {
		t.Errorf("unfolded:\n%s\nwant\n%s", got, want)
	}
}

func result(output string) *agent.ToolResult {
	return &agent.ToolResult{Content: ai.Content{&ai.Text{Text: output}}}
}

// TestPainter_FailedCommand: of a failed command the output is not red, but what says how it failed.
func TestPainter_FailedCommand(t *testing.T) {
	p := painter(60)
	call := &chat.Call{Name: "bash", Args: jsontext.Value(`{"command":"make"}`), IsError: true, Result: result("line one\nline two\n\nCommand exited with code 2")}
	block := p.Block(&chat.Block{Kind: chat.Tool, Final: true, Call: call})
	if got := styled(block, p.Style(theme.Error)); got != "● |Command exited with code 2|" {
		t.Errorf("red: %s", got)
	}
	if got := styled(block, p.Style(theme.Output)); !strings.HasPrefix(got, "line one|line two|") {
		t.Errorf("output: %s", got)
	}
	call = &chat.Call{Name: "read", Args: jsontext.Value(`{"path":"x"}`), IsError: true, Result: result("no such\nfile")}
	if got := styled(p.Block(&chat.Block{Kind: chat.Tool, Final: true, Call: call}), p.Style(theme.Error)); got != "● |no such|file|" {
		t.Errorf("red of another tool: %s", got)
	}
}

// TestPainter_CommandThatRuns: it has a sign, also when it has written something.
func TestPainter_CommandThatRuns(t *testing.T) {
	p := painter(60)
	b := &chat.Block{Kind: chat.Bash, Shell: &chat.Shell{Command: "make", Output: "cc x.c\n", Running: true}}
	if got, want := lines(p.Block(b)), "! make\n  cc x.c\n  runs… (esc ends it)"; got != want {
		t.Errorf("%s", got)
	}
	two := 2
	b.Shell.Running, b.Shell.ExitCode = false, &two
	if got, want := lines(p.Block(b)), "! make\n  cc x.c\n  exit code 2"; got != want {
		t.Errorf("%s", got)
	}
}

func TestPainter_Folds(t *testing.T) {
	var out strings.Builder
	for i := range 12 {
		fmt.Fprintf(&out, "line %d\n", i+1)
	}
	p := painter(60)
	b := &chat.Block{Kind: chat.Tool, Final: true, Call: &chat.Call{Name: "bash", Args: jsontext.Value(`{"command":"seq"}`), Result: result(out.String())}}
	if got := lines(p.Block(b)); !strings.Contains(got, "… 7 more lines (ctrl+o shows them)\n  line 8") || strings.Contains(got, "line 7\n") {
		t.Errorf("folded:\n%s", got)
	}
	p.Expanded = true
	if got := lines(p.Block(b)); !strings.Contains(got, "line 1\n") || strings.Contains(got, "more lines") {
		t.Errorf("in full:\n%s", got)
	}
}

// none lets the terminal draw all blocks.
type none struct{ forgotten int }

func (*none) Draw(*chat.Block, *view.Painter) ([]string, bool) { return nil, true }
func (n *none) Forget(*chat.Block)                             { n.forgotten++ }

func conversation(width, height int) *view.Conversation {
	c := view.NewConversation(painter(0))
	c.Drawer = new(none)
	c.Resize(width, height)
	return c
}

func say(c *view.Conversation, texts ...string) {
	for _, s := range texts {
		c.Chat.Load(&ai.UserMessage{Content: ai.Content{&ai.Text{Text: s}}})
	}
}

func plain(rows []string) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimRight(ansi.Strip(r), " "))
	}
	return strings.Join(out, "\n")
}

var bottom = view.Bottom{Lines: []string{"", "editor"}, X: 3, Y: 1}

// TestConversation_FinalBlocksAreWrittenOnce above the live region, and again after a change of the
// size as far as the screen shows them.
func TestConversation_FinalBlocksAreWrittenOnce(t *testing.T) {
	c := conversation(20, 10)
	say(c, "one", "two")
	f := c.Frame(bottom)
	if got := plain(f.Print); got != "\n❯ one\n\n❯ two" {
		t.Errorf("written: %q", got)
	}
	if got := plain(f.Live); got != "\neditor" || f.X != 3 || f.Y != 1 {
		t.Errorf("live: %q, cursor %d,%d", got, f.X, f.Y)
	}
	say(c, "three")
	if got := plain(c.Frame(bottom).Print); got != "\n❯ three" {
		t.Errorf("written next: %q", got)
	}
	if f := c.Frame(bottom); f.Print != nil || f.Clear {
		t.Errorf("written without a change: %q", f.Print)
	}
	c.Resize(30, 6)
	if f := c.Frame(bottom); !f.Clear || plain(f.Print) != "\n❯ two\n\n❯ three" {
		t.Errorf("after a change of the size: %q", plain(f.Print))
	}
}

// TestConversation_RedrawsTheTurn: what looks different is written again from the user's last
// message on.
func TestConversation_RedrawsTheTurn(t *testing.T) {
	c := conversation(40, 10)
	say(c, "one", "two")
	c.Frame(bottom)
	c.Expand(true)
	if f := c.Frame(bottom); !f.Clear || plain(f.Print) != "\n❯ two" {
		t.Errorf("written again: %q", plain(f.Print))
	}
}

func TestConversation_Scroll(t *testing.T) {
	c := conversation(20, 6)
	say(c, "one", "two", "three", "four", "five")
	seen := func() string { return plain(c.Whole(bottom, "end").Live) }
	if got := seen(); got != "\n❯ four\n\n❯ five\n\neditor" {
		t.Errorf("at the end: %q", got)
	}
	c.Act("tui.altScreen.top")
	if got := seen(); got != "\n❯ one\n\n── more below (end)\n\neditor" {
		t.Errorf("at the top: %q", got)
	}
	c.ScrollPrompt(1)
	if got := seen(); got != "\n❯ two\n\n── more below (end)\n\neditor" {
		t.Errorf("at the next message: %q", got)
	}
	c.Scroll(1000)
	if got := seen(); got != "\n❯ four\n\n❯ five\n\neditor" {
		t.Errorf("back at the end: %q", got)
	}
	if c.Act("app.exit") {
		t.Error("another action scrolls")
	}
}

// title is a header.
type title struct {
	rows     []string
	disposed bool
}

func (h *title) Draw(int, int) []string { return h.rows }
func (h *title) Drawn() []string        { return h.rows }
func (h *title) Dispose()               { h.disposed = true }

// TestConversation_Header: a header is drawn again until it leaves the screen, and then stays as it
// was last.
func TestConversation_Header(t *testing.T) {
	c := conversation(20, 8)
	h := &title{rows: []string{"== 1 =="}}
	c.SetHeader(h)
	say(c, "one")
	if f := c.Frame(bottom); len(f.Print) > 0 || !strings.Contains(plain(f.Live), "== 1 ==\n\n❯ one") {
		t.Errorf("written %q, live %q", f.Print, plain(f.Live))
	}
	h.rows = []string{"== 2 =="}
	if got := plain(c.Frame(bottom).Live); !strings.Contains(got, "== 2 ==") {
		t.Errorf("it is not drawn again: %q", got)
	}
	say(c, "two", "three")
	f := c.Frame(bottom)
	if got := plain(f.Print); !strings.Contains(got, "== 2 ==\n\n❯ one") || !h.disposed || c.Header() != nil {
		t.Errorf("it has left the screen: %q", got)
	}
}

// A tool is drawn by its view alone: while it runs, when it has ended, and when it has failed.
func TestPainter_ToolView(t *testing.T) {
	p := painter(60)
	call := &chat.Call{Name: "deploy", Args: jsontext.Value(`{"service":"shop\u001b[31m","manifest":"{\"a\": 1}"}`)}
	b := &chat.Block{Kind: chat.Tool, Call: call}
	if got, want := lines(p.Block(b)), "● deploy shop everywhere\n  {\"a\": 1}"; got != want {
		t.Errorf("running:\n%s\nwant\n%s", got, want)
	}
	call.Result = result("Done.")
	call.Result.Details = jsontext.Value(`{"change":"- 1 old\n+ 1 new"}`)
	b.Final = true
	if got, want := lines(p.Block(b)), "● deploy shop everywhere\n  - 1 old\n  + 1 new"; got != want {
		t.Errorf("ended:\n%s\nwant\n%s", got, want)
	}
	call.IsError = true
	if got, want := lines(p.Block(b)), "● deploy shop everywhere\n  Done."; got != want {
		t.Errorf("failed:\n%s\nwant\n%s", got, want)
	}
	call.Name = "unknown"
	if got, want := lines(p.Block(b)), "● unknown"; !strings.HasPrefix(got, want) || !strings.Contains(got, "manifest") {
		t.Errorf("without a view:\n%s", got)
	}
}
