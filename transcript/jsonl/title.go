package jsonl

import "strings"

// Title is what a session is called, or else what it begins with, on one line.
func (s *Summary) Title() string {
	text := strings.Join(strings.Fields(s.Name), " ")
	if text == "" {
		text = strings.Join(strings.Fields(s.First), " ")
	}
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:59]) + "…"
	}
	return text
}
