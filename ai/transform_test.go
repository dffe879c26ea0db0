package ai_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
)

// outline writes messages in short, one a line.
func outline(messages []ai.Message) string {
	var lines []string
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			lines = append(lines, "user "+blocks(m.Content))
		case *ai.AssistantMessage:
			lines = append(lines, "assistant "+blocks(m.Content))
		case *ai.ToolResultMessage:
			line := fmt.Sprintf("result %s %s", m.ToolCallID, blocks(m.Content))
			if m.IsError {
				line += " error"
			}
			lines = append(lines, line)
		case *ai.SystemMessage:
			lines = append(lines, "system "+m.Content)
		default:
			lines = append(lines, m.Role())
		}
	}
	return strings.Join(lines, "\n")
}

func blocks(content ai.Content) string {
	var parts []string
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			parts = append(parts, fmt.Sprintf("%q", b.Text)+b.Signature)
		case *ai.Thinking:
			parts = append(parts, fmt.Sprintf("think %q %s", b.Thinking, b.Signature))
		case *ai.Image:
			parts = append(parts, "image")
		case *ai.ToolCall:
			parts = append(parts, "call "+b.ID+b.ThoughtSignature)
		}
	}
	return strings.Join(parts, ", ")
}

var (
	own   = &ai.Model{ID: "m", Provider: "p", API: "a", Input: []string{ai.InputText, ai.InputImage}}
	blind = &ai.Model{ID: "m", Provider: "p", API: "a", Input: []string{ai.InputText}}
)

func user(blocks ...ai.Block) ai.Message { return &ai.UserMessage{Content: blocks} }

func text(s string) *ai.Text { return &ai.Text{Text: s} }

func call(id string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: "f", Arguments: jsontext.Value("{}")}
}

func result(id, s string) ai.Message {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: "f", Content: ai.TextContent(s)}
}

// answer is of the model own; foreign is of another model.
func answer(blocks ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{Model: "m", Provider: "p", API: "a", StopReason: ai.StopEnd, Content: blocks}
}

func foreign(blocks ...ai.Block) *ai.AssistantMessage {
	m := answer(blocks...)
	m.Model = "other"
	return m
}

func failed(reason ai.StopReason, blocks ...ai.Block) *ai.AssistantMessage {
	m := answer(blocks...)
	m.StopReason = reason
	return m
}

const (
	noTrace   = `"No result of this call is recorded. It may or may not have run: check before repeating it." error`
	noteImage = `"(image left out: this model is sent text only)"`
	noteTool  = `"(image of the tool left out: this model is sent text only)"`
)

func TestTransform(t *testing.T) {
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}
	withImages := func(id string, blocks ...ai.Block) ai.Message {
		return &ai.ToolResultMessage{ToolCallID: id, Content: blocks}
	}
	tests := []struct {
		name  string
		model *ai.Model
		in    []ai.Message
		want  []string
	}{
		{"Report_LOOP02_CrashBeforeTheResult", own, []ai.Message{user(text("hi")), answer(call("A"))}, []string{
			`user "hi"`, `assistant call A`, `result A ` + noTrace,
		}},
		{"Report_LOOP02_ThenTheUserGoesOn", own, []ai.Message{answer(call("A"), call("B")), result("A", "ok"), user(text("go on"))}, []string{
			`assistant call A, call B`, `result A "ok"`, `result B ` + noTrace, `user "go on"`,
		}},
		{"Report_LOOP04_AnAbortKeepsItsOwnResult", own, []ai.Message{answer(call("A")), result("A", "aborted by the user")}, []string{
			`assistant call A`, `result A "aborted by the user"`,
		}},
		{"Report_LOOP05_ResultOfADroppedCall", own, []ai.Message{
			user(text("a")), failed(ai.StopError, call("X")), result("X", "r"), user(text("b")),
		}, []string{`user "a"`, `user "b"`}},
		{"Report_LOOP05_UnlessAnotherAnswerOwnsIt", own, []ai.Message{
			failed(ai.StopError, call("X")), answer(call("X")), result("X", "r"),
		}, []string{`assistant call X`, `result X "r"`}},
		{"Report_LOOP06_NoResultForADroppedCall", own, []ai.Message{
			user(text("a")), failed(ai.StopAborted, text("half"), call("Y")), user(text("go on")),
		}, []string{`user "a"`, `user "go on"`}},
		{"Report_LOOP07_CutAnswerKeepsBoth", own, []ai.Message{failed(ai.StopLength, call("Z")), result("Z", "send again")}, []string{
			`assistant call Z`, `result Z "send again"`,
		}},
		{"Report_LOOP07_CallWithoutItsAnswerLosesBoth", own, []ai.Message{user(text("a")), result("Z", "send again")}, []string{`user "a"`}},
		{"Report_HND14_MessagesBetweenCallAndResult", own, []ai.Message{
			answer(call("A"), call("B")), result("B", "b"), user(text("note")), &ai.SystemMessage{Content: "s"}, result("A", "a"),
		}, []string{`assistant call A, call B`, `result A "a"`, `result B "b"`, `user "note"`, `system s`}},
		{"Report_HND14_NothingLeftOfAnAnswer", own, []ai.Message{
			&ai.SystemMessage{Content: "s"}, answer(text(" ")), user(text("a")), &ai.SystemMessage{Content: "\n"},
		}, []string{`system s`, `user "a"`}},
		{"SecondResultOfACall", own, []ai.Message{answer(call("A")), result("A", "1"), result("A", "2")}, []string{
			`assistant call A`, `result A "1"`,
		}},
		{"IdsThatStartAnew", own, []ai.Message{
			answer(call("call_0")), result("call_0", "1"), answer(call("call_0")), result("call_0", "2"),
		}, []string{`assistant call call_0`, `result call_0 "1"`, `assistant call call_0_2`, `result call_0_2 "2"`}},
		{"OneIdTwiceInOneAnswer", own, []ai.Message{answer(call("A"), call("A")), result("A", "1"), result("A", "2")}, []string{
			`assistant call A, call A_2`, `result A "1"`, `result A_2 "2"`,
		}},
		{"Report_HND03_SignaturesOfTheSameModel", own, []ai.Message{
			answer(
				&ai.Thinking{Thinking: "t", Signature: "S"}, &ai.Thinking{Signature: "R", Redacted: true}, &ai.Thinking{Thinking: "unsigned"},
				&ai.Text{Text: "x", Signature: "T"}, &ai.Text{Signature: "E"},
				&ai.ToolCall{ID: "A", ThoughtSignature: "C"}), result("A", "ok"),
		}, []string{`assistant think "t" S, think "" R, think "unsigned" , "x"T, ""E, call AC`, `result A "ok"`}},
		{"Report_HND03_SignaturesOfAnotherModel", own, []ai.Message{
			foreign(
				&ai.Thinking{Thinking: "t", Signature: "S"}, &ai.Thinking{Thinking: "r", Signature: "R", Redacted: true}, &ai.Thinking{Signature: "Z"},
				&ai.Text{Text: "x", Signature: "T"}, &ai.Text{Signature: "E"},
				&ai.ToolCall{ID: "A", ThoughtSignature: "C"}), result("A", "ok"),
		}, []string{`assistant "t", "x", call A`, `result A "ok"`}},
		{"Report_HND11_BlankTexts", own, []ai.Message{
			user(text(""), image), user(text(" ")), answer(text(""), text("x"), text("\n")), answer(call("A")), result("A", "\r\n"),
		}, []string{`user image`, `user "(empty message)"`, `assistant "x"`, `assistant call A`, `result A "(no output)"`}},
		{"ImagesForAModelWithoutEyes", blind, []ai.Message{
			user(text("look"), image, image, text("and"), image), answer(call("A"), call("B")),
			withImages("A", text("one"), image, text(" "), image), withImages("B", image),
		}, []string{
			`user "look", ` + noteImage + `, "and", ` + noteImage, `assistant call A, call B`,
			`result A "one", ` + noteTool, `result B ` + noteTool,
		}},
		{"ImagesForAModelWithEyes", own, []ai.Message{answer(call("A")), withImages("A", image)}, []string{`assistant call A`, `result A image`}},
		{"AI72_TextThatIsNoUnicode", own, []ai.Message{user(text("a\xffb"))}, []string{"user \"a\uFFFDb\""}},
		{"KindsThatNobodyKnows", own, []ai.Message{unknownMessage(t), user(text("a"), unknownBlock(t))}, []string{`user "a"`}},
		{"Nothing", own, nil, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := marshal(t, test.in)
			got := ai.Transform(test.model, test.in, nil)
			if diff := cmp.Diff(strings.Join(test.want, "\n"), outline(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if after := marshal(t, test.in); before != after {
				t.Errorf("the transcript was changed to %s", after)
			}
		})
	}
}

func unknownMessage(t *testing.T) ai.Message {
	t.Helper()
	m, err := ai.DecodeMessage(jsontext.Value(`{"role":"custom"}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func unknownBlock(t *testing.T) ai.Block {
	t.Helper()
	var content ai.Content
	if err := json.Unmarshal([]byte(`[{"type":"video"}]`), &content); err != nil {
		t.Fatal(err)
	}
	return content[0]
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Images that a provider has refused are left out for this provider alone, and only those that
// it has not answered before.
func TestTransform_RefusedImages(t *testing.T) {
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}
	failing := func(message string) ai.Message {
		m := failed(ai.StopError)
		m.ErrorMessage = message
		return m
	}
	tool := &ai.ToolResultMessage{ToolCallID: "A", ToolName: "f", Content: ai.Content{image}}
	refusals := []string{
		"400 messages.0.content.1.image.source.base64: the image appears to be image/jpeg",
		"400 You uploaded an unsupported image. Please make sure your image has a supported format.",
		"400 Invalid 'input[0].content[1].image_url'. Expected a base64-encoded data URL.",
		"Unable to process input image. Please retry or report.",
		"404 No endpoints found that support image input",
	}
	for _, refusal := range refusals {
		in := []ai.Message{user(text("a"), image), answer(text("seen"), call("A")), tool, user(text("b"), image), failing(refusal), user(text("c"), image)}
		want := `user "a", image` + "\n" + `assistant "seen", call A` + "\n" + `result A "(image left out: the service refused it)"` + "\n" +
			`user "b", "(image left out: the service refused it)"` + "\n" + `user "c", image`
		if diff := cmp.Diff(want, outline(ai.Transform(own, in, nil))); diff != "" {
			t.Errorf("%s\n%s", refusal, diff)
		}
		other := *own
		other.Provider = "q"
		if got := outline(ai.Transform(&other, in, nil)); strings.Contains(got, "refused") {
			t.Errorf("another provider: %s", got)
		}
	}
	for _, other := range []string{"429 too many image requests: rate limit reached", "529 overloaded", "400 prompt is empty"} {
		in := []ai.Message{user(text("a"), image), failing(other), user(text("b"))}
		if got := outline(ai.Transform(own, in, nil)); strings.Contains(got, "refused") {
			t.Errorf("%s: %s", other, got)
		}
	}
}

func TestTransform_WhatNeedsNoChangeIsNotCopied(t *testing.T) {
	in := []ai.Message{user(text("a")), answer(&ai.Thinking{Thinking: "t", Signature: "S"}, call("A")), result("A", "r")}
	out := ai.Transform(own, in, nil)
	if !slices.Equal(in, out) {
		t.Errorf("got %s", outline(out))
	}
}

func TestIdsStayDistinctAfterMapping(t *testing.T) {
	cut := func(id string, _ *ai.AssistantMessage) string { return id[:min(len(id), 64)] }
	long := strings.Repeat("X", 64)
	calls := foreign(call(long+"1"), call(long+"2"), call(long+"3"), call("short"))
	results := []ai.Message{result(long+"3", "3"), result(long+"1", "1"), result("short", "s"), result(long+"2", "2")}
	out := ai.Transform(own, append([]ai.Message{calls}, results...), &ai.TransformOptions{CallID: cut})
	seen := map[string]bool{}
	for i, c := range out[0].(*ai.AssistantMessage).Content.ToolCalls() {
		r := out[i+1].(*ai.ToolResultMessage)
		if len(c.ID) > 64 || seen[c.ID] || r.ToolCallID != c.ID {
			t.Errorf("call %d has the id %s, its result %s", i, c.ID, r.ToolCallID)
		}
		seen[c.ID] = true
		if want := []string{"1", "2", "3", "s"}[i]; r.Content.Text() != want {
			t.Errorf("call %d got the result %q, want %q", i, r.Content.Text(), want)
		}
	}
}

func TestTransform_OwnIdsAreNotMapped(t *testing.T) {
	mapped := func(string, *ai.AssistantMessage) string { return "mapped" }
	out := ai.Transform(own, []ai.Message{answer(call("A")), foreign(call("B"))}, &ai.TransformOptions{CallID: mapped})
	want := "assistant call A\nresult A " + noTrace + "\nassistant call mapped\nresult mapped " + noTrace
	if got := outline(out); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestTransform_AWireMayLeaveIdsOut(t *testing.T) {
	none := func(string, *ai.AssistantMessage) string { return "" }
	out := ai.Transform(own, []ai.Message{foreign(call("A"), call("B")), result("B", "b"), result("A", "a")}, &ai.TransformOptions{CallID: none})
	if got, want := outline(out), "assistant call , call \nresult  \"a\"\nresult  \"b\""; got != want {
		t.Errorf("got\n%s", got)
	}
}

// Every call is followed by exactly one result, whatever the transcript looks like.
func FuzzTransform_LawL6(f *testing.F) {
	f.Add([]byte("uaArBsfAR"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 250, 251, 252})
	f.Fuzz(func(t *testing.T, script []byte) {
		var in []ai.Message
		for i, b := range script {
			id := fmt.Sprintf("c%d", b%3)
			switch b % 8 {
			case 0:
				in = append(in, user(text("u")))
			case 1:
				in = append(in, answer(call(id), call(fmt.Sprintf("c%d", i%3))))
			case 2:
				in = append(in, failed(ai.StopError, call(id)))
			case 3, 4:
				in = append(in, result(id, "r"))
			case 5:
				in = append(in, &ai.SystemMessage{Content: "s"})
			case 6:
				in = append(in, foreign(text(" ")))
			case 7:
				in = append(in, foreign(call(id)))
			}
		}
		checkPairs(t, ai.Transform(own, in, nil))
	})
}

func checkPairs(t *testing.T, out []ai.Message) {
	t.Helper()
	var want []string
	used := map[string]bool{}
	for _, m := range out {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			if len(want) == 0 || want[0] != r.ToolCallID {
				t.Fatalf("result of %s, want %v, in\n%s", r.ToolCallID, want, outline(out))
			}
			want = want[1:]
			continue
		}
		if len(want) > 0 {
			t.Fatalf("no results of %v in\n%s", want, outline(out))
		}
		if a, ok := m.(*ai.AssistantMessage); ok {
			for _, c := range a.Content.ToolCalls() {
				if used[c.ID] {
					t.Fatalf("id %s is used twice in\n%s", c.ID, outline(out))
				}
				used[c.ID] = true
				want = append(want, c.ID)
			}
		}
	}
	if len(want) > 0 {
		t.Fatalf("no results of %v at the end of\n%s", want, outline(out))
	}
}
