package proto_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/mode/remoteui"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

func TestEveryEventOfASessionIsInTheTable(t *testing.T) {
	var want []string
	for _, k := range event.Kinds {
		want = append(want, k.Type)
	}
	want = append(want, new(proto.UIRequest).Type(), remoteui.NewError(&extension.Error{Err: session.ErrBusy}).Type())
	var got []string
	for _, k := range proto.Events() {
		got = append(got, k.Type)
		if made := k.New(); made.Type() != k.Type || made.Raw() != nil {
			t.Errorf("the row %s makes a %s", k.Type, made.Type())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the events of the protocol are\n%q, those of a session and of extensions\n%q", got, want)
	}
}

func TestEveryVariantIsInTheTable(t *testing.T) {
	listed := map[string]bool{"Unknown": true}
	for _, k := range proto.Events() {
		listed[reflect.TypeOf(k.New()).Elem().Name()] = true
	}
	for _, file := range []string{"event.go", "event_session.go", "ui.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "Type" {
				continue
			}
			if name := fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name; !listed[name] {
				t.Errorf("%s has a type, but no row of the table", name)
			}
		}
	}
}

// TestEventsHaveAllMembers writes events with values in every member, reads them, and writes
// them again: nothing may be missing.
func TestEventsHaveAllMembers(t *testing.T) {
	for _, k := range event.Kinds {
		if k.Type == agent.EventMessageUpdate {
			continue // its form depends on a stream; see below
		}
		ev := k.New()
		fill(reflect.ValueOf(ev).Elem(), 0)
		roundTrip(t, ev.AppendJSON(nil))
	}
	model := scripted.New(scripted.Of(scripted.Thinking("hm, ", "yes"), scripted.Text("hel", "lo"), scripted.Call("c1", "read", `{"path":"x"}`)))
	steps := 0
	for ev, err := range model.Stream(context.Background(), &ai.Request{
		Model: scripted.Record(), Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("hi")}}},
	}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch ev.(type) {
		case *ai.Start, *ai.Done, *ai.Error:
		default:
			steps++
			roundTrip(t, (&agent.MessageUpdate{Stream: ev}).AppendJSON(nil))
		}
	}
	if steps < 9 {
		t.Errorf("only %d steps of an answer", steps)
	}
}

// roundTrip reads an event and compares what is written of it.
func roundTrip(t *testing.T, line jsontext.Value) {
	t.Helper()
	ev, err := proto.DecodeEvent(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if _, unknown := ev.(*proto.Unknown); unknown {
		t.Errorf("%s is not known", line)
	}
	if !bytes.Equal(ev.Raw(), line) {
		t.Errorf("the line was %s, kept is %s", line, ev.Raw())
	}
	again, err := proto.Marshal(ev)
	if err != nil {
		t.Fatal(err)
	}
	want, got := members(t, line), members(t, again)
	delete(want, "type")
	delete(got, "type")
	for _, m := range []map[string]any{want, got} { // a text that is empty may be left out
		if step, ok := m["assistantMessageEvent"].(map[string]any); ok {
			maps.DeleteFunc(step, func(_ string, v any) bool { return v == "" })
		}
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("of\n%s\nwas read\n%s", line, again)
	}
}

func members(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return m
}

// fill gives every member of an event a value.
func fill(v reflect.Value, depth int) {
	if depth > 8 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != ",embed" {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Interface:
		fillInterface(v, depth)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[jsontext.Value]() {
			v.SetBytes([]byte(`{"a":[1,"x"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	}
}

func fillInterface(v reflect.Value, depth int) {
	var made any
	switch v.Type() {
	case reflect.TypeFor[agent.Message](), reflect.TypeFor[ai.Message]():
		made = &ai.AssistantMessage{}
	case reflect.TypeFor[ai.Block]():
		made = &ai.Text{}
	case reflect.TypeFor[transcript.Entry]():
		made = &transcript.InfoEntry{}
	default:
		return
	}
	fill(reflect.ValueOf(made).Elem(), depth+1)
	v.Set(reflect.ValueOf(made))
}

func TestDecodeEvent_KeepsWhatItDoesNotKnow(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"of_tomorrow","deep":{"a":[1.50]} }`:               "of_tomorrow",
		`{"more":1,"type":"behind"}`:                                "behind",
		`{"type":"queue_update","steering":[],"followUp":[],"x":1}`: "queue_update",
	} {
		ev, err := proto.DecodeEvent(jsontext.Value(line))
		if err != nil || ev.Type() != want || string(ev.Raw()) != line {
			t.Errorf("%s: %v, %v", line, ev, err)
		}
	}
	ev, err := proto.DecodeEvent(jsontext.Value(`{"type":"queue_update","steering":7}`))
	if _, unknown := ev.(*proto.Unknown); !unknown || err == nil || ev.Type() != "queue_update" {
		t.Errorf("a member of the wrong kind: %v, %v", ev, err)
	}
	for _, line := range []string{`{}`, `[]`, `{"type":7}`, `{"type":`, `"x"`} {
		if ev, err := proto.DecodeEvent(jsontext.Value(line)); ev != nil || err == nil {
			t.Errorf("%s: %v, %v", line, ev, err)
		}
	}
}

func TestMessagesOfSessionsKeepTheirJSON(t *testing.T) {
	line := `{"type":"message_end","message":{"role":"bashExecution","command":"ls","output":"half \ud83d"}}`
	ev, err := proto.DecodeEvent(jsontext.Value(line))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := ev.(*proto.MessageEnd).Message.(*ai.UnknownMessage)
	if !ok || m.Role() != "bashExecution" || !strings.Contains(string(m.Raw), `"command":"ls"`) {
		t.Errorf("the message is %+v", m)
	}
}

func TestWordsAreThoseOfSessions(t *testing.T) {
	for got, want := range map[string]string{
		string(proto.DeliverSteer): string(session.Steer), string(proto.DeliverFollowUp): string(session.FollowUp),
		string(proto.DeliverAbort): string(session.Interrupt), string(proto.OneAtATime): string(agent.OneAtATime), string(proto.All): string(agent.All),
	} {
		if got != want {
			t.Errorf("%q is %q of a session", got, want)
		}
	}
}

func TestUIRequest_IsWrittenWithItsType(t *testing.T) {
	title, text := "Sure?", "x"
	r := &proto.UIRequest{ID: "1", Method: proto.MethodConfirm, Timeout: 5}
	r.Title, r.StatusText, r.WidgetLines = &title, &text, []string{"a"}
	line, err := proto.Marshal(r)
	if want := `{"type":"extension_ui_request","id":"1","method":"confirm","title":"Sure?","statusText":"x","widgetLines":["a"],"timeout":5}`; err != nil || string(line) != want {
		t.Errorf("%s, %v; want %s", line, err, want)
	}
	roundTrip(t, line)
}

// FuzzDecodeEvent: whatever a line has, it is read or refused, and an event keeps it.
func FuzzDecodeEvent(f *testing.F) {
	for _, k := range proto.Events() {
		f.Add([]byte(`{"type":"` + k.Type + `","message":{"role":"assistant","content":[]},"args":{}}`))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if ev, err := proto.DecodeEvent(line); err == nil && !bytes.Equal(ev.Raw(), line) {
			t.Errorf("%q became %q", line, ev.Raw())
		}
	})
}
