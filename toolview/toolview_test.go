package toolview_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/toolview"
)

var copied = &toolview.View{
	Aliases: map[string]string{"source": "from"},
	Subject: []toolview.Part{{Arg: "from"}, {Arg: "first", Count: "count", Before: ":"}, {Arg: "to", Before: " to ", Or: " nowhere"}},
	Notes:   []toolview.Part{{Arg: "mode", Before: "with ", After: "!"}, {Arg: "text", Lines: true}},
	Input:   toolview.Block{Kind: toolview.Code, Arg: "text", File: "to"},
}

func TestSubjectAndNotes(t *testing.T) {
	for args, want := range map[string][3]string{
		`{}`:                    {"nowhere", "", ""},
		`{"from":"a","to":"b"}`: {"a to b", "", ""},
		`{"source":"a"}`:        {"a nowhere", "", ""},
		`{"from":"a","source":"b","mode":[1,{"x":2}]}`: {"a nowhere", `with [1,{"x":2}]!`, ""},
		`{"from":"a","first":5,"count":10}`:            {"a:5-14 nowhere", "", ""},
		`{"from":"a","first":5}`:                       {"a:5- nowhere", "", ""},
		`{"from":"a","count":3}`:                       {"a:1-3 nowhere", "", ""},
		`{"from":"a","first":"5"}`:                     {"a nowhere", "", ""},
		`{"from":"a","text":"one\ntwo\n"}`:             {"a nowhere", "", "2 lines"},
		`{"from":"a","text":"one"}`:                    {"a nowhere", "", "1 line"},
		`{"from":null,"to":5}`:                         {"to 5", "", ""},
		`[]`:                                           {"nowhere", "", ""},
		``:                                             {"nowhere", "", ""},
	} {
		s := copied.Show(&toolview.Call{Args: jsontext.Value(args)})
		if got := [3]string{s.Subject, s.Notes, s.Size}; got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestBody(t *testing.T) {
	edit := &toolview.View{
		Input:  toolview.Block{Kind: toolview.Edits, Arg: "edits"},
		Output: toolview.Block{Kind: toolview.Diff, Detail: "diff"},
	}
	const args = `{"edits":[{"oldText":"a\nb\n","newText":"c"},{"newText":"d"},7]}`
	before := toolview.ShownBlock{Kind: toolview.Edits, Text: "- a\n- b\n+ c\n+ d\n"}
	for _, tt := range []struct {
		name          string
		call          toolview.Call
		input, output toolview.ShownBlock
	}{
		{"begun", toolview.Call{Args: jsontext.Value(args)}, before, toolview.ShownBlock{Kind: toolview.Note}},
		{
			"ended",
			toolview.Call{Args: jsontext.Value(args), Content: ai.TextContent("done"), Details: jsontext.Value(`{"diff":"-1 a"}`)},
			toolview.ShownBlock{},
			toolview.ShownBlock{Kind: toolview.Diff, Text: "-1 a"},
		},
		{
			"ended without details",
			toolview.Call{Args: jsontext.Value(args), Content: ai.TextContent("done"), Details: jsontext.Value(`[]`)},
			before,
			toolview.ShownBlock{Kind: toolview.Note, Text: "done"},
		},
		{
			"failed",
			toolview.Call{Args: jsontext.Value(args), Content: ai.TextContent("why"), Details: jsontext.Value(`{"diff":"x"}`), IsError: true},
			before,
			toolview.ShownBlock{Text: "why"},
		},
		{
			"older arguments",
			toolview.Call{Args: jsontext.Value(`{"oldText":"a","newText":"b"}`)},
			toolview.ShownBlock{Kind: toolview.Edits, Text: "- a\n+ b\n"},
			toolview.ShownBlock{Kind: toolview.Note},
		},
	} {
		s := edit.Show(&tt.call)
		if diff := cmp.Diff([]toolview.ShownBlock{tt.input, tt.output}, []toolview.ShownBlock{s.Input, s.Output}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestNoViewShowsEverything(t *testing.T) {
	var none *toolview.View
	s := none.Show(&toolview.Call{Args: jsontext.Value(`{"a":1}`), Content: ai.TextContent("out")})
	if !s.Generic || string(s.Args) != `{"a":1}` || s.Output.Text != "out" {
		t.Errorf("%+v", s)
	}
}

// A view is data: what a browser gets says the same.
func TestViewIsData(t *testing.T) {
	raw, err := json.Marshal(copied)
	if err != nil {
		t.Fatal(err)
	}
	back := new(toolview.View)
	if err := json.Unmarshal(raw, back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(copied, back); diff != "" {
		t.Errorf("after %s (-want +got):\n%s", raw, diff)
	}
}
