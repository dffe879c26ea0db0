package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
)

// connectUI returns a client and what asks it.
func connectUI(t *testing.T) (*client, *rpc.UI) {
	t.Helper()
	got := make(chan *rpc.UI, 1)
	c := connect(t, open(t, scripted.New().Stream, session.Options{}), &rpc.Options{UI: func(ui *rpc.UI) { got <- ui }})
	return c, <-got
}

// asked returns the id of the next dialog and checks its line, without type and id.
func (c *client) asked(want string) string {
	c.t.Helper()
	lines := c.until("extension_ui_request")
	line := lines[len(lines)-1]
	var request struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(line), &request); err != nil || request.ID == "" {
		c.t.Fatalf("%v in %s", err, line)
	}
	if got := strings.Replace(line, fmt.Sprintf(`"id":%q,`, request.ID), "", 1); got != `{"type":"extension_ui_request",`+want+`}` {
		c.t.Errorf("asked is %s, want %s", got, want)
	}
	return request.ID
}

func TestDialogs(t *testing.T) {
	c, ui := connectUI(t)
	ctx := t.Context()
	for _, d := range []struct {
		ask                    func() string
		request, answer, value string
	}{
		{func() string { return fmt.Sprint(ui.Select(ctx, "Which?", []string{"red", "blue"}, 0)) }, `"method":"select","title":"Which?","options":["red","blue"]`, `"value":"blue"`, "bluetrue"},
		{func() string { return fmt.Sprint(ui.Select(ctx, "Which?", []string{"red"}, 0)) }, `"method":"select","title":"Which?","options":["red"]`, `"value":"green"`, "greenfalse"},
		{func() string { return fmt.Sprint(ui.Select(ctx, "Which?", []string{"red"}, 0)) }, `"method":"select","title":"Which?","options":["red"]`, `"confirmed":true`, "false"},
		{func() string { return fmt.Sprint(ui.Confirm(ctx, "Sure?", "It is final.", time.Minute)) }, `"method":"confirm","title":"Sure?","message":"It is final.","timeout":60000`, `"confirmed":true`, "true"},
		{func() string { return fmt.Sprint(ui.Confirm(ctx, "", "", 0)) }, `"method":"confirm","title":"","message":""`, `"value":"yes"`, "false"},
		{func() string { return fmt.Sprint(ui.Confirm(ctx, "Sure?", "x", 0)) }, `"method":"confirm","title":"Sure?","message":"x"`, `"confirmed":7`, "false"},
		{func() string { return fmt.Sprint(ui.Input(ctx, "Name?", "your name", 0)) }, `"method":"input","title":"Name?","placeholder":"your name"`, `"value":"Ann"`, "Anntrue"},
		{func() string { return fmt.Sprint(ui.Input(ctx, "Name?", "", 0)) }, `"method":"input","title":"Name?"`, `"value":""`, "true"},
		{func() string { return fmt.Sprint(ui.Input(ctx, "Name?", "", 0)) }, `"method":"input","title":"Name?"`, `"cancelled":true,"value":"x"`, "false"},
		{func() string { return fmt.Sprint(ui.Editor(ctx, "Text?", "first")) }, `"method":"editor","title":"Text?","prefill":"first"`, `"value":"a\nb"`, "a\nbtrue"},
	} {
		result := make(chan string, 1)
		go func() { result <- d.ask() }()
		id := c.asked(d.request)
		c.send(`{"type":"extension_ui_response","id":"other","value":"ignored"}`)
		c.send(`{"type":"extension_ui_response","id":7}`)
		c.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,%s}`, id, d.answer))
		c.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"value":"too late"}`, id))
		if got := <-result; got != d.value {
			t.Errorf("%s: %q, want %q", d.request, got, d.value)
		}
	}
	if lines := c.end(); len(lines) != 0 {
		t.Errorf("answers get responses: %q", lines)
	}
}

func TestTelling(t *testing.T) {
	c, ui := connectUI(t)
	busy := "busy"
	for want, tell := range map[string]func(){
		`"method":"notify","message":"plain"`:                                                              func() { ui.Notify("plain", "") },
		`"method":"notify","message":"bad","notifyType":"error"`:                                           func() { ui.Notify("bad", "error") },
		`"method":"setStatus","statusKey":"s","statusText":"busy"`:                                         func() { ui.SetStatus("s", &busy) },
		`"method":"setStatus","statusKey":"s"`:                                                             func() { ui.SetStatus("s", nil) },
		`"method":"setWidget","widgetKey":"w","widgetLines":["one","two"],"widgetPlacement":"belowEditor"`: func() { ui.SetWidget("w", &extension.Widget{Lines: []string{"one", "two"}, Placement: "belowEditor"}) },
		`"method":"setWidget","widgetKey":"w"`:                                                             func() { ui.SetWidget("w", nil) },
		`"method":"setTitle","title":""`:                                                                   func() { ui.SetTitle("") },
		`"method":"set_editor_text","text":"draft"`:                                                        func() { ui.SetEditorText("draft") },
	} {
		tell()
		c.asked(want)
	}
	ui.ExtensionError(&extension.Error{Path: "/x.ts", Event: "tool_call", Err: errors.New("it broke")})
	lines := c.until("extension_error")
	if got, want := lines[len(lines)-1], `{"type":"extension_error","extensionPath":"/x.ts","event":"tool_call","error":"it broke"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.end()
}

func TestDialogsEndWithoutAnAnswer(t *testing.T) {
	confirm := func(ctx context.Context, ui *rpc.UI, timeout time.Duration) chan bool {
		result := make(chan bool, 1)
		go func() { result <- ui.Confirm(ctx, "Sure?", "", timeout) }()
		return result
	}
	const request = `"method":"confirm","title":"Sure?","message":""`
	t.Run("timeout", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, ui := connectUI(t)
			began := time.Now()
			result := confirm(t.Context(), ui, time.Minute)
			c.asked(request + `,"timeout":60000`)
			if <-result || time.Since(began) != time.Minute {
				t.Errorf("after %v", time.Since(began))
			}
			c.end()
		})
	})
	t.Run("abort", func(t *testing.T) {
		c, ui := connectUI(t)
		ctx, cancel := context.WithCancel(t.Context())
		result := confirm(ctx, ui, 0)
		c.asked(request)
		cancel()
		if <-result {
			t.Error("it was confirmed")
		}
		c.end()
	})
	t.Run("end of input", func(t *testing.T) {
		c, ui := connectUI(t)
		result := confirm(t.Context(), ui, 0)
		c.asked(request)
		c.end()
		if <-result || ui.Confirm(t.Context(), "x", "", 0) {
			t.Error("it was confirmed")
		}
	})
	t.Run("a client without dialogs", func(t *testing.T) {
		c, ui := connectUI(t)
		result := confirm(t.Context(), ui, 0)
		c.asked(request)
		if got := c.ask(`{"type":"set_dialogs","enabled":false}`); !strings.HasSuffix(got, `"success":true}`) {
			t.Errorf("got %s", got)
		}
		if <-result || ui.Confirm(t.Context(), "x", "", 0) {
			t.Error("it was confirmed")
		}
		if got := c.ask(`{"type":"set_dialogs"}`); !strings.Contains(got, "enabled is missing") {
			t.Errorf("got %s", got)
		}
		c.ask(`{"type":"set_dialogs","enabled":true}`)
		result = confirm(t.Context(), ui, 0)
		id := c.asked(request)
		c.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"confirmed":true}`, id))
		if !<-result {
			t.Error("it was declined")
		}
		if lines := c.end(); len(lines) != 0 {
			t.Errorf("asked meanwhile: %q", lines)
		}
	})
}

// A hook that asks before the session is replaced gets its answer, though commands wait.
func TestDialogsPassWhileTheSessionIsReplaced(t *testing.T) {
	var ui *rpc.UI
	c, _ := connectRuntime(t, scripted.New().Stream, &session.RuntimeOptions{
		Before: func(ctx context.Context, _ *session.Change) error {
			if ui.Confirm(ctx, "Leave?", "", 0) {
				return nil
			}
			return session.ErrCancelled
		},
	}, &rpc.Options{UI: func(u *rpc.UI) { ui = u }})
	for answer, want := range map[string]string{"true": `{"cancelled":false}`, "false": `{"cancelled":true}`} {
		c.send(`{"id":"n","type":"new_session"}`, `{"id":"s","type":"get_state"}`)
		id := c.asked(`"method":"confirm","title":"Leave?","message":""`)
		c.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"confirmed":%s}`, id, answer))
		lines := c.until(`"id":"s"`)
		if len(lines) != 2 || !strings.Contains(lines[0], want) {
			t.Errorf("%s: %q", answer, lines)
		}
	}
	c.end()
}
