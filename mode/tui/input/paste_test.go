package input

import "testing"

func TestPasted(t *testing.T) {
	for encoded, want := range map[string]string{
		"one\x1b[13;1utwo":            "one\ntwo",
		"one\x1b[13utwo":              "one\ntwo",
		"one\x1b[106;5utwo":           "one\ntwo", // ctrl+j
		"one\x1b[109;5utwo":           "one\ntwo", // ctrl+m
		"\x1b[105;5uindented":         "\tindented",
		"one\x1b[27;5;106~two":        "one\ntwo",
		"\x1b[65;2u\x1b[228u":         "Aä",
		"\x1b[27u\x1b[97;3u\x1b[0;5u": "",
		"plain\ntext":                 "plain\ntext",
		"\x1b[31mred":                 "\x1b[31mred",
	} {
		if got := Pasted(encoded); got != want {
			t.Errorf("%q is read as %q, want %q", encoded, got, want)
		}
	}
}
