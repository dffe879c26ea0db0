package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameChunk compares what the two readers of a chunk make of it.
func sameChunk(t *testing.T, data string) (skimmed bool) {
	t.Helper()
	var quick, full chunk
	if !quick.skim([]byte(data)) {
		return false
	}
	if err := full.decode([]byte(data)); err != nil {
		return true // the quick reader passes over numbers without a look
	}
	type flat struct {
		ID, Model, Object string
		Choices           []choice
		Usage             *usage
	}
	flatten := func(c chunk) flat {
		for i := range c.Choices {
			d := &c.Choices[i].Delta
			if !present(d.ReasoningDetails) {
				d.ReasoningDetails = nil
			}
			if len(d.ToolCalls) == 0 {
				d.ToolCalls = nil
			}
			c.Choices[i].Error = nil // null or absent
		}
		return flat{c.ID.String(), c.Model.String(), c.Object.String(), c.Choices, c.Usage}
	}
	if diff := cmp.Diff(flatten(full), flatten(quick)); diff != "" {
		t.Errorf("%s (-decoded +skimmed):\n%s", data, diff)
	}
	return true
}

var skimmed = []string{
	`{"id":"a","model":"m","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}`,
	` { "choices" : [ { "delta" : { "role" : "assistant" , "content" : "x\n\u00e9\ud83d\ude42" } } ] , "usage" : null } `,
	`{"choices":[{"delta":{"content":"Grüße 🙂"}}],"created":1.5e3,"x":[1,{"y":[true]},"\\"],"z":{}}`,
	`{"choices":[{"delta":{"reasoning_content":"r","content":null,"tool_calls":null}}]}`,
	`{"choices":[{"delta":{"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r","index":0}]}}]}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":"}},{"function":{"arguments":"1}"}}]}}]}`,
	`{"choices":[{"delta":{}}]}`,
	"{\"choices\":[{\"delta\":{\"content\":\"bad \xff byte\"}}]}",
}

var notSkimmed = []string{
	``, `null`, `{}`, `[]`, `{"choices":[]}`, `{"choices":null}`,
	`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}`,
	`{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}`,
	`{"choices":[{"delta":{"content":["x"]}}]}`,
	`{"choices":[{"delta":{}},{"delta":{}}]}`,
	`{"choices":[{"delta":{}}]} x`, `{"choices":[{"delta":{}}]`, `{"choices":[{"delta":{"content":"x}}]}`,
	`{"choices":[{"delta":{"content":"\x"}}]}`, "{\"choices\":[{\"delta\":{\"content\":\"\n\"}}]}",
	`{"choices":[{"delta":{"tool_calls":[{"index":-1}]}}]}`,
	`{"error":{"message":"x"},"choices":[{"delta":{}}]}`,
}

func TestSkim(t *testing.T) {
	for _, data := range skimmed {
		if !sameChunk(t, data) {
			t.Errorf("%s was left to the decoder", data)
		}
	}
	for _, data := range notSkimmed {
		if sameChunk(t, data) {
			t.Errorf("%s was not left to the decoder", data)
		}
	}
}

func FuzzSkim(f *testing.F) {
	for _, data := range append(skimmed, notSkimmed...) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) { sameChunk(t, data) })
}
