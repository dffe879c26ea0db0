package transcript_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

func TestRolesAreReadAndWritten(t *testing.T) {
	for _, line := range []string{
		`{"role":"bashExecution","command":"ls","output":"a","exitCode":0,"cancelled":false,"truncated":true,"fullOutputPath":"/o","excludeFromContext":true,"timestamp":1,"new":[1]}`,
		`{"role":"bashExecution","command":"ls","output":"a","cancelled":true,"truncated":false,"timestamp":1}`,
		`{"role":"custom","customType":"x","content":"text","display":true,"timestamp":1}`,
		`{"role":"custom","customType":"x","content":[],"display":false,"details":{"a":1},"timestamp":1}`,
		`{"role":"branchSummary","summary":"s","fromId":"aaaaaaaa","timestamp":1}`,
		`{"role":"compactionSummary","summary":"s","tokensBefore":5,"timestamp":1}`,
	} {
		m, err := agent.DecodeMessage(jsontext.Value(line))
		if err != nil {
			t.Fatal(err)
		}
		if _, unknown := m.(*ai.UnknownMessage); unknown {
			t.Errorf("%s is not known", line)
		}
		raw, err := json.Marshal(m)
		if err != nil || string(raw) != line {
			t.Errorf("%s became %s, %v", line, raw, err)
		}
	}
}

func TestWhatAModelReads(t *testing.T) {
	three, zero := 3, 0
	for _, test := range []struct {
		name string
		m    agent.Message
		want string
	}{
		{"plain", &transcript.BashExecution{Command: "ls", Output: "a.txt", ExitCode: &zero}, "Ran `ls`\n```\na.txt\n```"},
		{"failed", &transcript.BashExecution{Command: "echo hello; exit 3", Output: "hello\n", ExitCode: &three}, "Ran `echo hello; exit 3`\n```\nhello\n\n```\n\nCommand exited with code 3"},
		{"silent", &transcript.BashExecution{Command: "true", ExitCode: &zero}, "Ran `true`\n(no output)"},
		{"cancelled", &transcript.BashExecution{Command: "sleep 9", Cancelled: true}, "Ran `sleep 9`\n(no output)\n\n(command cancelled)"},
		{"cut", &transcript.BashExecution{Command: "seq 9", Output: "9", Truncated: true, FullOutputPath: "/o.log"}, "Ran `seq 9`\n```\n9\n```\n\n[The output above is cut; the whole of it is in /o.log]"},
		{"cut, nothing kept", &transcript.BashExecution{Command: "seq 9", Output: "9", Truncated: true}, "Ran `seq 9`\n```\n9\n```\n\n[The output above is cut.]"},
		{"fence in the output", &transcript.BashExecution{Command: "cat", Output: "```\nx\n```"}, "Ran `cat`\n````\n```\nx\n```\n````"},
		{"custom text", &transcript.CustomMessage{Content: transcript.CustomContent{Text: "t"}}, "t"},
		{"custom blocks", &transcript.CustomMessage{Content: transcript.CustomContent{Blocks: ai.TextContent("b")}}, "b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := transcript.ForModel([]agent.Message{test.m})
			if len(out) != 1 || out[0].Role() != ai.RoleUser {
				t.Fatalf("%d messages", len(out))
			}
			if diff := cmp.Diff(test.want, out[0].(*ai.UserMessage).Content.Text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, m := range []agent.Message{&transcript.BranchSummary{Summary: "LEFT"}, &transcript.CompactionSummary{Summary: "LEFT"}} {
		got := transcript.ForModel([]agent.Message{m})[0].(*ai.UserMessage).Content.Text()
		lead, rest, _ := strings.Cut(got, "\n\n")
		if rest != "<summary>\nLEFT\n</summary>" || strings.Contains(lead, "\n") || lead == "" {
			t.Errorf("%s: %q", m.Role(), got)
		}
	}
}

func TestWhatAModelDoesNotSee(t *testing.T) {
	odd, err := agent.DecodeMessage(jsontext.Value(`{"role":"oddity"}`))
	if err != nil {
		t.Fatal(err)
	}
	user, system := &ai.UserMessage{}, &ai.SystemMessage{}
	got := transcript.ForModel([]agent.Message{&transcript.BashExecution{ExcludeFromContext: true}, odd, user, system})
	if len(got) != 2 || got[0] != ai.Message(user) || got[1] != ai.Message(system) {
		t.Errorf("%v", got)
	}
}
