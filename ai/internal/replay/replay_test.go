package replay

import "testing"

func TestFit(t *testing.T) {
	tests := []struct {
		want, got any
		fits      bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{1.0, 1.0, true},
		{0.3, 0.1 + 0.2, true},
		{1.0, "1", false},
		{nil, nil, true},
		{"<notice>", "(an image)", true},
		{"<notice>", "", false},
		{"<notice>", "two\nlines", false},
		{"<error>", "anything", true},
		{"<error: bad gateway>", "a bad gateway", true},
		{"<error: bad gateway>", "a bad day", false},
		{"<made-up id>", "msg_1", true},
		{"<call 1>", "x", true},
		{"<call 1>", "", false},
		{"<system prompt>", "<system prompt>", true},
		{map[string]any{"a": "<notice>"}, map[string]any{"a": "x"}, true},
		{map[string]any{"a": "x"}, map[string]any{"a": "x", "b": 1.0}, false},
		{[]any{"a"}, []any{"a", "b"}, false},
		{[]any{"a"}, "a", false},
		{map[string]any{"tools": []any{"f"}}, map[string]any{"tools": []any{map[string]any{"name": "f"}}}, true},
		{map[string]any{"tools": []any{"f"}}, map[string]any{"tools": []any{map[string]any{"functionDeclarations": []any{map[string]any{"name": "f"}}}}}, true},
		{map[string]any{"tools": []any{"f"}}, map[string]any{"tools": []any{map[string]any{"name": "g"}}}, false},
	}
	for _, test := range tests {
		if got := differ(test.want, test.got) == ""; got != test.fits {
			t.Errorf("%v and %v: fits is %t", test.want, test.got, got)
		}
	}
}
