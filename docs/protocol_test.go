package docs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
)

// relay is an extension whose other end is the test.
func relay(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		conn.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, conn)
}

// protocolSession is what the page's extension acts on.
type protocolSession struct {
	extension.Session
	runner *extension.Runner
}

func (*protocolSession) ToolsChanged() error                                { return nil }
func (*protocolSession) SetName(context.Context, string) error              { return nil }
func (*protocolSession) RegisterProvider(string, *extension.Provider) error { return nil }
func (s *protocolSession) NewSession(ctx context.Context, opts extension.NewSessionOptions) (bool, error) {
	return false, opts.With(ctx, s.runner.CommandContext())
}

// protocolUI agrees to everything, but never chooses.
type protocolUI struct{ extension.NoUI }

func (protocolUI) Confirm(context.Context, string, string, time.Duration) bool { return true }
func (protocolUI) Select(ctx context.Context, _ string, _ []string, _ time.Duration) (string, bool) {
	<-ctx.Done()
	return "", false
}

func (protocolUI) Input(ctx context.Context, _, _ string, _ time.Duration) (string, bool) {
	<-ctx.Done()
	return "", false
}

// talk is the conversation of the page.
type talk struct {
	t       *testing.T
	runner  *extension.Runner
	conn    net.Conn
	lines   *bufio.Reader
	loaded  chan []*extension.Error
	cancel  context.CancelFunc
	pending chan error // of the last thing that was begun
	reports chan string
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dir := filepath.Join(t.TempDir(), "example")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest, err := json.Marshal(map[string]any{"command": []string{os.Args[0], "relay:" + listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "extension.json"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, loaded: make(chan []*extension.Error, 1), reports: make(chan string, 100)}
	k.runner = extension.NewRunner(&extension.Options{
		CWD: "/project", Mode: extension.ModeRPC, UI: protocolUI{},
		Hosts:   []extension.HostKind{{Name: process.Kind, Open: process.Open(&process.Config{Version: "1.0"})}},
		OnError: func(err *extension.Error) { k.reports <- err.Error() },
	})
	go func() {
		k.loaded <- k.runner.Load(context.Background(), extension.Source{Path: dir, Host: process.Kind})
	}()
	if k.conn, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	k.lines = bufio.NewReader(k.conn)
	t.Cleanup(func() {
		k.conn.Close()
		k.runner.Close(context.Background())
	})
	return k
}

func (k *talk) receive() jsontext.Value {
	k.t.Helper()
	if err := k.conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		k.t.Fatal(err)
	}
	line, err := k.lines.ReadBytes('\n')
	if err != nil {
		k.t.Fatalf("rondo sends nothing: %v", err)
	}
	return line
}

// begin does what makes rondo send a message.
func (k *talk) begin(m map[string]any) {
	k.t.Helper()
	starts := slices.Contains([]any{"event", "call_tool", "command", "complete", "shortcut", "shutdown"}, m["type"])
	if k.pending != nil && starts {
		if err := <-k.pending; err != nil {
			k.t.Errorf("before %v: %v", m, err)
		}
		k.pending = nil
	}
	var fn func(ctx context.Context) error
	switch m["type"] {
	case "event":
		fn = k.event(m["event"].(map[string]any))
	case "call_tool":
		fn = func(ctx context.Context) error {
			tool := k.runner.Tools()[0]
			_, err := tool.Execute(ctx, &agent.Call{ID: m["toolCallId"].(string), Tool: tool.Tool.Tool, Args: raw(m["args"])})
			return err
		}
	case "command":
		fn = func(ctx context.Context) error {
			return k.runner.RunCommand(ctx, k.runner.Command(m["command"].(string)), m["args"].(string))
		}
	case "complete":
		fn = func(ctx context.Context) error {
			_, err := k.runner.Command(m["command"].(string)).Completions(ctx, m["prefix"].(string))
			return err
		}
	case "shortcut":
		fn = func(ctx context.Context) error { return k.runner.RunShortcut(ctx, &k.runner.Shortcuts()[0]) }
	case "cancel":
		k.cancel()
		return
	case "shutdown":
		fn = func(context.Context) error { return k.runner.Close(context.Background()) }
	default:
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel, k.pending = cancel, make(chan error, 1)
	go func(pending chan error) { pending <- fn(ctx) }(k.pending)
}

// event sends an event that looks as the page shows it.
func (k *talk) event(e map[string]any) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		switch e["type"] {
		case "tool_call":
			call := &extension.ToolCall{ToolCallID: e["toolCallId"].(string), ToolName: e["toolName"].(string), Input: raw(e["input"])}
			if _, err := k.runner.ToolCall(ctx, call); err != nil && !strings.Contains(err.Error(), "protected files") && ctx.Err() == nil {
				return err
			}
		case "before_provider_headers":
			header := make(http.Header)
			for name, value := range e["headers"].(map[string]any) {
				header.Set(name, value.(string))
			}
			k.runner.Headers(ctx, header)
			if header.Get("X-Team") != "blue" {
				return fmt.Errorf("the headers are %v", header)
			}
		case "message_update":
			model := scripted.New(scripted.Say("Hello."))
			for ev, err := range model.Stream(ctx, &ai.Request{Model: scripted.Record()}).Events() {
				if err != nil {
					return err
				}
				if _, ok := ev.(*ai.TextDelta); ok {
					k.runner.Emit(ctx, &extension.MessageUpdate{Stream: ev})
				}
			}
		default:
			return fmt.Errorf("the test does not know the event %v", e["type"])
		}
		return nil
	}
}

func raw(v any) jsontext.Value {
	out, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return out
}

// expect compares what rondo sends with the values of a block, which may come in any order.
func (k *talk) expect(b *block, want []jsontext.Value) {
	k.t.Helper()
	for _, v := range want {
		k.begin(plain(k.t, v).(map[string]any))
	}
	for range len(want) {
		line := k.receive()
		got := plain(k.t, line).(map[string]any)
		i := slices.IndexFunc(want, func(v jsontext.Value) bool {
			shown := plain(k.t, v).(map[string]any)
			return shown["id"] == got["id"] && shown["for"] == got["for"] && matchesJSON(shown, got)
		})
		if i < 0 {
			k.t.Fatalf("%s: rondo sends %s", b.at, line)
		}
		want = slices.Delete(slices.Clone(want), i, i+1)
	}
}

// TestProtocolPage_IsHowItGoes plays the page: rondo sends what it shows, and accepts what the
// extension sends there.
func TestProtocolPage_IsHowItGoes(t *testing.T) {
	k := newTalk(t)
	for _, b := range readPage(t, "extension-protocol.md").blocks {
		if !b.is("rondo") && !b.is("extension") {
			continue
		}
		all, err := values(b.text)
		if err != nil {
			t.Fatal(err)
		}
		if b.is("rondo") {
			k.expect(b, all)
			continue
		}
		for _, v := range all {
			if err := v.Compact(); err != nil {
				t.Fatal(err)
			}
			if _, err := k.conn.Write(append(v, '\n')); err != nil {
				t.Fatal(err)
			}
			if m := plain(t, v).(map[string]any); m["type"] == "ready" {
				for _, err := range <-k.loaded {
					t.Fatal(err)
				}
				k.runner.Bind(&protocolSession{runner: k.runner})
			}
		}
	}
	if rest, err := io.ReadAll(k.lines); err != nil || len(rest) > 0 {
		t.Errorf("after shutdown: %q, %v", rest, err)
	}
	k.conn.Close()
	if err := <-k.pending; err != nil {
		t.Error(err)
	}
	close(k.reports)
	for report := range k.reports {
		t.Errorf("reported: %s", report)
	}
}

var actionRow = regexp.MustCompile("(?m)^\\| `([A-Za-z.]+)` \\| (?:`(\\{.*?\\})`)?.*\\|.*\\|$")

// TestProtocolPage_HasEveryAction: the tables of actions list those that there are, with
// parameters that they accept.
func TestProtocolPage_HasEveryAction(t *testing.T) {
	k := newTalk(t)
	var hello struct {
		Capabilities struct {
			Actions []string `json:"actions"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(k.receive(), &hello); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(k.conn, `{"type":"ready","protocol":1}`+"\n"); err != nil {
		t.Fatal(err)
	}
	for _, err := range <-k.loaded {
		t.Fatal(err)
	}
	var shown []string
	for _, row := range actionRow.FindAllStringSubmatch(readPage(t, "extension-protocol.md").section("Actions"), -1) {
		shown = append(shown, row[1])
		if row[2] == "" {
			row[2] = "null"
		}
		fmt.Fprintf(k.conn, `{"type":"action","id":%q,"for":null,"action":%q,"params":%s}`+"\n", row[1], row[1], row[2])
		if row[1] == "ui.select" || row[1] == "ui.input" {
			fmt.Fprintf(k.conn, `{"type":"cancel","id":%q}`+"\n", row[1])
		}
		if answer := string(k.receive()); !strings.Contains(answer, `"id":"`+row[1]+`"`) || strings.Contains(answer, "params") || strings.Contains(answer, "panic") {
			t.Errorf("%s %s: %s", row[1], row[2], answer)
		}
	}
	slices.Sort(shown)
	if !slices.Equal(shown, hello.Capabilities.Actions) {
		t.Errorf("the page shows\n%q\nand there are\n%q", shown, hello.Capabilities.Actions)
	}
}

// TestProtocolPage_HasEveryEvent: the table of events is that of the policies.
func TestProtocolPage_HasEveryEvent(t *testing.T) {
	var rows []string
	for line := range strings.Lines(readPage(t, "extension-protocol.md").section("Events")) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.Contains(cells[1], "`") {
			continue
		}
		mutable, _, _ := strings.Cut(cells[3], ";")
		rows = append(rows, fmt.Sprint(strings.Trim(cells[1], " `*"), " ", strings.Contains(cells[1], "**"), " ", strings.Trim(mutable, " `"), " ", strings.TrimSpace(cells[4])))
	}
	var want []string
	for _, p := range extension.Policies() {
		want = append(want, fmt.Sprint(p.Event, " ", p.FailsClosed, " ", p.Mutable, " ", strconv.Itoa(int(p.Deadline.Seconds()))))
	}
	if strings.Join(rows, "\n") != strings.Join(want, "\n") {
		t.Errorf("the page shows\n%s\nand there are\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}
