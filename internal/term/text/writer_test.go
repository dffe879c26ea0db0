package text_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/internal/term/text"
)

// attacks are texts that command a terminal, or turn the direction of writing.
var attacks = []string{
	"\x1b]52;c;cm0gLXJm\a", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "\x1bc", "\x1b[2J\x1b[31m", "\u009b31m", "\u009d52;c;x\u009c",
	"abc\u202edcba", "\u2066x\u2069", "\x07\x08\x7f", "\x1b", "\x9b31m", "\x1bP1$q\x1b\\",
}

func TestWriterLetsNothingCommandTheTerminal(t *testing.T) {
	for _, attack := range attacks {
		var b strings.Builder
		w := text.NewWriter(&b)
		for _, part := range []string{"before\t" + attack + "\nafter é 你\n", attack[:len(attack)/2], attack[len(attack)/2:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("Write: %d, %v", n, err)
			}
		}
		got := b.String()
		if strings.ContainsAny(got, "\x1b\x07\x08\x7f\u009b\u009d\u009c\u202e\u2066\u2069") {
			t.Errorf("%q became %q", attack, got)
		}
		if !strings.HasPrefix(got, "before\t") || !strings.Contains(got, "after é 你\n") {
			t.Errorf("%q became %q, and lost what is around it", attack, got)
		}
	}
}

func TestJSONWriterKeepsTheMeaning(t *testing.T) {
	for _, attack := range attacks {
		if strings.Contains(attack, "\x9b") && !strings.Contains(attack, "\u009b") {
			continue // no UTF-8, and so no JSON
		}
		line, err := json.Marshal(map[string]string{"text": attack + " é 你"})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if n, err := text.NewJSONWriter(&b).Write(append(line, '\n')); n != len(line)+1 || err != nil {
			t.Errorf("Write: %d, %v", n, err)
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got["text"] != attack+" é 你" {
			t.Errorf("%q became %q: %v", attack, got["text"], err)
		}
		if strings.ContainsAny(b.String(), "\x1b\x7f\u009b\u009d\u009c\u202e\u2066\u2069") {
			t.Errorf("%q is written as %q", attack, b.String())
		}
	}
}
