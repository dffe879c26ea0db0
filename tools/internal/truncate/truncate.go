// Package truncate keeps the output of tools within a number of lines and bytes, so that
// one call cannot fill a model's context.
//
// A line is what ends with a newline, as wc -l counts, and what is left after the last
// newline. The newline that ends a text makes no further line and counts towards no
// limit. Nothing is ever cut inside a UTF-8 sequence.
package truncate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of every tool (Pi 0.85).
const (
	DefaultMaxLines = 2000
	DefaultMaxBytes = 50 * 1024
)

// Limit names the limit that cut a text.
type Limit string

// The limits. Where both would cut, the one that leaves less is named.
const (
	ByLines Limit = "lines"
	ByBytes Limit = "bytes"
)

// Result is a text within limits, and what was cut. Its JSON form is the "truncation" in
// the details of a tool result (Pi 0.85).
type Result struct {
	// Content is what is kept. If something was cut, it has no final newline.
	Content   string `json:"content"`
	Truncated bool   `json:"truncated"`
	// TruncatedBy is empty if nothing was cut.
	TruncatedBy Limit `json:"truncatedBy,omitzero"`
	// TotalLines and TotalBytes measure the whole text.
	TotalLines int `json:"totalLines"`
	TotalBytes int `json:"totalBytes"`
	// OutputLines and OutputBytes measure Content.
	OutputLines int `json:"outputLines"`
	OutputBytes int `json:"outputBytes"`
	// LastLinePartial says that [Tail] kept only the end of the last line, because that
	// line alone is above the limit.
	LastLinePartial bool `json:"lastLinePartial"`
	// FirstLineExceedsLimit says that [Head] kept nothing, because the first line alone is
	// above the limit.
	FirstLineExceedsLimit bool `json:"firstLineExceedsLimit"`
	MaxLines              int  `json:"maxLines"`
	MaxBytes              int  `json:"maxBytes"`
}

// Lines counts the lines of text as this package does.
func Lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// Head keeps the complete lines at the beginning of text that fit both limits. A limit
// below 1 stands for its default.
func Head(text string, maxLines, maxBytes int) Result {
	r, body, fits := measure(text, maxLines, maxBytes)
	if fits {
		return r
	}
	end, next, lines := 0, 0, 0 // next is where the next line begins
	for lines < r.MaxLines && next <= len(body) {
		stop := lineEnd(body, next)
		if stop > r.MaxBytes {
			r.TruncatedBy = ByBytes
			break
		}
		end, next = stop, stop+1
		lines++
	}
	r.FirstLineExceedsLimit = lines == 0
	return r.keep(body[:end], lines)
}

// lineEnd is the end of the line that begins at start.
func lineEnd(body string, start int) int {
	if i := strings.IndexByte(body[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(body)
}

// Tail keeps the complete lines at the end of text that fit both limits; if not even the
// last line does, it keeps the end of that. A limit below 1 stands for its default.
func Tail(text string, maxLines, maxBytes int) Result {
	r, body, fits := measure(text, maxLines, maxBytes)
	if fits {
		return r
	}
	start, lines := len(body)+1, 0
	for lines < r.MaxLines && start > 0 {
		next := strings.LastIndexByte(body[:start-1], '\n') + 1
		if len(body)-next > r.MaxBytes {
			r.TruncatedBy = ByBytes
			break
		}
		lines++
		start = next
	}
	if lines == 0 {
		r.LastLinePartial = true
		return r.keep(Suffix(body, r.MaxBytes), 1)
	}
	return r.keep(body[start:], lines)
}

// measure fills in what does not depend on the side that is cut. Body is text without its
// final newline.
func measure(text string, maxLines, maxBytes int) (r Result, body string, fits bool) {
	if maxLines < 1 {
		maxLines = DefaultMaxLines
	}
	if maxBytes < 1 {
		maxBytes = DefaultMaxBytes
	}
	r = Result{MaxLines: maxLines, MaxBytes: maxBytes, TotalLines: Lines(text), TotalBytes: len(text)}
	body = strings.TrimSuffix(text, "\n")
	if r.TotalLines <= maxLines && len(body) <= maxBytes {
		r.Content, r.OutputLines, r.OutputBytes = text, r.TotalLines, len(text)
		return r, body, true
	}
	r.Truncated, r.TruncatedBy = true, ByLines
	return r, body, false
}

func (r Result) keep(content string, lines int) Result {
	r.Content, r.OutputLines, r.OutputBytes = content, lines, len(content)
	return r
}

// Line cuts s to its first maxRunes characters and reports whether anything was cut. A
// byte that is not UTF-8 counts as one character.
func Line(s string, maxRunes int) (string, bool) {
	if len(s) <= maxRunes {
		return s, false
	}
	n := 0
	for i := range s {
		if n == maxRunes {
			return s[:i], true
		}
		n++
	}
	return s, false
}

// prefixLen is the largest length up to limit at which s can be cut between characters.
func prefixLen(s string, limit int) int {
	if len(s) <= limit {
		return len(s)
	}
	start := limit
	for start > 0 && limit-start < utf8.UTFMax && !utf8.RuneStart(s[start]) {
		start--
	}
	if _, size := utf8.DecodeRuneInString(s[start:]); start+size > limit {
		return start
	}
	return limit // between stray bytes, which are characters of their own
}

// Prefix is the longest beginning of s of at most maxBytes bytes that ends between two
// characters.
func Prefix(s string, maxBytes int) string { return s[:prefixLen(s, max(maxBytes, 0))] }

// Suffix is the longest end of s of at most maxBytes bytes that begins with a character.
func Suffix(s string, maxBytes int) string {
	cut := len(s) - maxBytes
	if cut <= 0 {
		return s
	}
	if start := prefixLen(s, cut); start < cut {
		_, size := utf8.DecodeRuneInString(s[start:])
		cut = start + size
	}
	return s[cut:]
}

// Size formats a number of bytes for people and models: 900B, 50.0KB, 1.2MB.
func Size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%dB", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(bytes)/(1<<10))
	case bytes < 1<<30:
		return fmt.Sprintf("%.1fMB", float64(bytes)/(1<<20))
	default:
		return fmt.Sprintf("%.1fGB", float64(bytes)/(1<<30))
	}
}
