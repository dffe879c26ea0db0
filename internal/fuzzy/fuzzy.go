// Package fuzzy finds texts by what a user types: characters in order, in any case.
package fuzzy

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Match is how well a text matches what was typed to find it.
type Match struct {
	OK    bool
	Score float64 // lower is better
}

// What a match earns and costs, in the numbers of Pi, so that lists have the same order.
const (
	exactBonus      = 100
	boundaryBonus   = 10
	runBonus        = 5 // times the length of the run so far
	gapCost         = 2
	positionCost    = 0.1
	swappedCost     = 5
	boundaryLetters = " -_./:"
)

// Text matches query with text: its characters must appear in order, in any case. A query of
// letters and digits also matches the other way round, "5gpt" finds "gpt-5".
func Text(query, text string) Match {
	query, text = strings.ToLower(query), strings.ToLower(text)
	if m := subsequence([]rune(query), []rune(text)); m.OK {
		return m
	}
	if swapped := swap(query); swapped != "" {
		if m := subsequence([]rune(swapped), []rune(text)); m.OK {
			m.Score += swappedCost
			return m
		}
	}
	return Match{}
}

func subsequence(query, text []rune) Match {
	if len(query) == 0 {
		return Match{OK: true}
	}
	score := 0.0
	next, last, run := 0, -1, 0
	for i := 0; i < len(text) && next < len(query); i++ {
		if text[i] != query[next] {
			continue
		}
		switch {
		case last == i-1:
			run++
			score -= float64(run * runBonus)
		case last >= 0:
			run = 0
			score += float64((i - last - 1) * gapCost)
		}
		if i == 0 || strings.ContainsRune(boundaryLetters, text[i-1]) {
			score -= boundaryBonus
		}
		score += float64(i) * positionCost
		last = i
		next++
	}
	if next < len(query) {
		return Match{}
	}
	if slices.Equal(query, text) {
		score -= exactBonus
	}
	return Match{OK: true, Score: score}
}

// swap exchanges the letters and the digits of a query that is one after the other.
func swap(query string) string {
	i := strings.IndexFunc(query, unicode.IsDigit)
	if i < 0 {
		return ""
	}
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' }
	if i == 0 {
		i = strings.IndexFunc(query, letter)
	}
	if i <= 0 {
		return ""
	}
	head, tail := query[:i], query[i:]
	only := func(s string, ok func(rune) bool) bool {
		return strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) < 0
	}
	if only(head, letter) && only(tail, unicode.IsDigit) || only(head, unicode.IsDigit) && only(tail, letter) {
		return tail + head
	}
	return ""
}

// Words matches every word of query, between spaces and slashes, and adds the scores.
func Words(query, text string) Match {
	total := Match{OK: true}
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return unicode.IsSpace(r) || r == '/' }) {
		m := Text(word, text)
		if !m.OK {
			return Match{Score: math.Inf(1)}
		}
		total.Score += m.Score
	}
	return total
}
