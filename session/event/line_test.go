package event_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/transcript"
)

// spaced are the ways in which JSON of others breaks a line protocol.
var spaced = []string{
	"{\n  \"path\": \"x\"\n}",
	"{\r\n\"path\":\r\"x\"}",
	"\n\t{\"path\" : [1.50,\n2e3], \"path\": \"\\n \\ud83d\"}\n",
	"\"a text with \xff\"\n",
}

// TestEveryEventIsOneLine puts JSON with line breaks into every raw field that an event of
// any kind carries, however deep.
func TestEveryEventIsOneLine(t *testing.T) {
	for _, text := range spaced {
		filled := 0
		for _, k := range event.Kinds {
			ev := k.New()
			if k.Type == agent.EventMessageUpdate {
				continue // its stream events are those of TestEveryStreamEventIsOneLine
			}
			fill(reflect.ValueOf(ev).Elem(), jsontext.Value(text), &filled, 0)
			line := ev.AppendJSON(nil)
			if bytes.ContainsAny(line, "\n\r") || !jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
				t.Errorf("%s with %q: %q", k.Type, text, line)
			}
		}
		if filled < 10 {
			t.Errorf("only %d raw fields were filled", filled)
		}
	}
}

// TestArgumentsThatAreNoJSONAreWrittenAsText keeps a line whole whatever its call carries.
func TestArgumentsThatAreNoJSONAreWrittenAsText(t *testing.T) {
	for _, text := range []string{"{\n\"path\":", "\n", "}\n{", "{\"a\":1}\n{\"b\":2}"} {
		line := (&agent.ToolExecutionStart{ToolCallID: "c", ToolName: "read", Args: jsontext.Value(text)}).AppendJSON(nil)
		if bytes.ContainsAny(line, "\n\r") || !jsontext.Value(line).IsValid() {
			t.Errorf("%q: %q", text, line)
		}
	}
}

// TestEveryStreamEventIsOneLine does the same for the steps of an answer.
func TestEveryStreamEventIsOneLine(t *testing.T) {
	for _, text := range spaced[:2] {
		call := &ai.ToolCall{ID: "c", Name: "read", Arguments: jsontext.Value(text)}
		m := &ai.AssistantMessage{Content: ai.Content{call}, StopReason: ai.StopToolUse}
		for _, ev := range []ai.StreamEvent{&ai.ToolCallEnd{ToolCall: call}, &ai.Done{Message: m}, &ai.Error{Message: m}} {
			if line := ev.AppendJSON(nil); bytes.ContainsAny(line, "\n\r") || !jsontext.Value(line).IsValid() {
				t.Errorf("%T with %q: %q", ev, text, line)
			}
		}
	}
}

// fill sets the raw fields of v and makes what its pointers, lists and interfaces lack.
func fill(v reflect.Value, raw jsontext.Value, filled *int, depth int) {
	if depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f, of := v.Field(i), v.Type().Field(i)
			if !f.CanSet() || of.Tag.Get("json") == ",embed" {
				continue // what is embedded must be an object without names of the struct
			}
			fill(f, raw, filled, depth+1)
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem(), raw, filled, depth+1)
	case reflect.Interface:
		if some, ok := fillers[fmt.Sprint(v.Type())]; ok {
			made := reflect.ValueOf(some())
			fill(made.Elem(), raw, filled, depth+1)
			v.Set(made)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[jsontext.Value]() {
			v.SetBytes(bytes.Clone(raw))
			*filled++
			return
		}
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), raw, filled, depth+1)
		}
	}
}

// fillers make values for fields that are interfaces.
var fillers = map[string]func() any{
	"ai.Block":         func() any { return &ai.ToolCall{} },
	"agent.Message":    func() any { return &ai.ToolResultMessage{} },
	"ai.Message":       func() any { return &ai.ToolResultMessage{} },
	"transcript.Entry": func() any { return &transcript.CustomMessageEntry{} },
}
