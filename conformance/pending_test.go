package conformance_test

import (
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/conformance"
)

func TestParsePending(t *testing.T) {
	pending, err := conformance.ParsePending(strings.NewReader(`
# a comment
retry            # waits for the session
extensions       # waits for the host
loop/one         # waits for prices
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, scenario, reason string }{
		{"retry/any", `{}`, "waits for the session"},
		{"loop/one", `{}`, "waits for prices"},
		{"loop/other", `{"extensions": {"a.ts": ""}}`, "waits for the host"},
		{"loop/other", `{"extensions": {}}`, ""},
		{"retrying/x", `{}`, ""},
	} {
		s, err := conformance.ParseScenario(c.name, []byte(c.scenario))
		if err != nil {
			t.Fatal(err)
		}
		reason := ""
		if line := pending.Find(s); line != nil {
			reason = line.Reason
		}
		if reason != c.reason {
			t.Errorf("%s %s: got %q, want %q", c.name, c.scenario, reason, c.reason)
		}
	}
}

func TestParsePending_RefusesWhatGivesNoReason(t *testing.T) {
	for text, complaint := range map[string]string{
		"retry":                    `line 1: "retry" needs a reason`,
		"\nretry #":                `line 2: "retry" needs a reason`,
		"loop/one # differs a bit": `begin the reason of "loop/one" with "waits for "`,
	} {
		if _, err := conformance.ParsePending(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: got %v, want %q", text, err, complaint)
		}
	}
}

func FuzzParsePending(f *testing.F) {
	f.Add("a # b\n#c\n\nx/y # waits for z")
	f.Fuzz(func(t *testing.T, text string) {
		pending, err := conformance.ParsePending(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, line := range pending {
			if line.Name == "" || line.Reason == "" || line.Line < 1 {
				t.Errorf("%q: %+v", text, line)
			}
		}
	})
}
