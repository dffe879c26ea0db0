package bedrock_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
)

// sent returns the body of a request.
func sent(t *testing.T, req *ai.Request) (raw string, body map[string]any) {
	t.Helper()
	m, client := listen(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		raw = string(text)
		w.Write(end(t, "end_turn"))
	})
	if req.Model != nil {
		req.Model.BaseURL = m.BaseURL
	} else {
		req.Model = m
	}
	req.Options.Client = client
	if got := ask(t, req); got.Failed() {
		t.Fatal(got.ErrorMessage)
	}
	if err := json.Unmarshal([]byte(raw), &body); err != nil {
		t.Fatal(err)
	}
	return raw, body
}

func TestMembersWithoutANameAreDropped(t *testing.T) {
	m := model()
	for arguments, want := range map[string]string{
		`{"":"x","path":"a"}`:                            `{"path":"a"}`,
		`{"a":[{"":1,"b":""}],"n":12345678901234567890}`: `{"a":[{"b":""}],"n":12345678901234567890}`,
		`{"z":"","a":1}`:                                 `{"z":"","a":1}`,
		`{"a":""}`:                                       `{"a":""}`,
		`[1]`:                                            `{}`,
		``:                                               `{}`,
	} {
		c := &ai.ToolCall{ID: "c", Name: "echo", Arguments: jsontext.Value(arguments)}
		messages := []ai.Message{
			&ai.UserMessage{Content: ai.TextContent("go")},
			&ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: ai.Content{c}},
			&ai.ToolResultMessage{ToolCallID: "c", ToolName: "echo", Content: ai.TextContent("ok")},
		}
		raw, _ := sent(t, &ai.Request{Model: m, Context: ai.Context{Messages: messages}})
		if !strings.Contains(raw, `"input":`+want+`}`) {
			t.Errorf("%s is sent as %s", arguments, raw)
		}
	}
}

func TestSamplingParameters(t *testing.T) {
	m := model()
	m.SamplingParams = map[string]jsontext.Value{"top_k": jsontext.Value("5"), "x": jsontext.Value("1")}
	_, body := sent(t, &ai.Request{Model: m, Options: ai.Options{SamplingParams: map[string]jsontext.Value{"x": jsontext.Value("2")}}})
	fields, _ := body["additionalModelRequestFields"].(map[string]any)
	if fields["top_k"] != 5.0 || fields["x"] != 2.0 {
		t.Errorf("got %v", body)
	}
}

func TestForcedCache(t *testing.T) {
	m := model()
	m.ID = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"
	for _, force := range []string{"", "1"} {
		t.Setenv("AWS_BEDROCK_FORCE_CACHE", force)
		raw, _ := sent(t, &ai.Request{Model: m, Context: ai.Context{SystemPrompt: "S", Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("go")}}}})
		if marks := strings.Count(raw, "cachePoint"); (marks == 2) != (force == "1") {
			t.Errorf("force %q: %d marks", force, marks)
		}
	}
}

// What may not be called is declared only if it was called before, since the service has no
// choice of none.
func TestNoToolChoice(t *testing.T) {
	m := model()
	messages := []ai.Message{
		&ai.UserMessage{Content: ai.TextContent("go")},
		&ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: ai.Content{&ai.ToolCall{ID: "c", Name: "used"}}},
		&ai.ToolResultMessage{ToolCallID: "c", ToolName: "used", Content: ai.TextContent("ok")},
	}
	raw, _ := sent(t, &ai.Request{
		Model: m, Options: ai.Options{ToolChoice: "none"},
		Context: ai.Context{Messages: messages, Tools: []ai.ToolDecl{{Name: "used", Description: "U"}, {Name: "unused", Description: "N"}}},
	})
	if !strings.Contains(raw, `"name":"used","description":"U"`) || strings.Contains(raw, "unused") {
		t.Errorf("got %s", raw)
	}
}

// Claude takes only text in a failed result: its images follow behind all results of the turn.
func TestImagesOfFailedResults(t *testing.T) {
	image := &ai.Image{Data: "QQ==", MIMEType: "image/png"}
	m := model()
	_, body := sent(t, &ai.Request{Model: m, Context: ai.Context{Messages: []ai.Message{
		&ai.UserMessage{Content: ai.TextContent("go")},
		&ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: ai.Content{
			&ai.ToolCall{ID: "a", Name: "shot"}, &ai.ToolCall{ID: "b", Name: "shot"},
		}},
		&ai.ToolResultMessage{ToolCallID: "a", ToolName: "shot", Content: ai.Content{image}, IsError: true},
		&ai.ToolResultMessage{ToolCallID: "b", ToolName: "shot", Content: ai.Content{image}},
		&ai.UserMessage{Content: ai.TextContent("and?")},
	}}})
	turns := body["messages"].([]any)
	var kinds []string
	for _, b := range turns[len(turns)-1].(map[string]any)["content"].([]any) {
		b := b.(map[string]any)
		for _, kind := range []string{"toolResult", "text", "image"} {
			if b[kind] != nil {
				kinds = append(kinds, kind)
			}
		}
		if r, ok := b["toolResult"].(map[string]any); ok && r["status"] == "error" {
			if content := r["content"].([]any); len(content) != 1 || content[0].(map[string]any)["text"] == nil {
				t.Errorf("the failed result holds %v", content)
			}
		}
	}
	if got := strings.Join(kinds, " "); !strings.HasPrefix(got, "toolResult toolResult text image text") {
		t.Errorf("the last turn is %s", got)
	}
}
