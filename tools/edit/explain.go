package edit

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/tools/internal/truncate"
)

// notFound explains to a model why its oldText is not in the file, so that it can send a
// better one. Nothing here finds a place for an edit.
type notFound struct {
	*document
	match
}

func (n notFound) explain() error {
	if n.text == "" {
		return errors.New("oldText is not in the file: the file is empty")
	}
	parts := []string{"oldText is not in the file"}
	if cause := n.cause(); cause != "" {
		parts = append(parts, cause)
	}
	if nearest := n.nearest(); nearest != "" {
		parts = append(parts, nearest)
	}
	return errors.New(strings.Join(append(parts, "read the file again and copy the text exactly"), "; "))
}

// cause names what is likely to be wrong, or is empty.
func (n notFound) cause() string {
	switch {
	case n.isIn(unescape(n.oldText)):
		return `it has escape sequences (such as \n, \" or \u2019) where the file has the characters themselves`
	case strings.Contains(unescape(n.text), unescape(n.oldText)):
		return fmt.Sprintf(`it has characters that the file writes as escape sequences (such as \u2019 or \n)%s`, n.escapedAs())
	case n.isIn(lineNumbers().ReplaceAllString(n.oldText, "")):
		return "its lines begin with line numbers, which are not part of the file"
	}
	if line, b := n.undecoded(); line > 0 {
		return fmt.Sprintf("the file is not UTF-8: line %d has the byte 0x%02X, which read shows as U+FFFD; leave such characters out of oldText, or change the file with a command", line, b)
	}
	if line := n.madeBefore(); line > 0 {
		return fmt.Sprintf("newText is there already (line %d), so the edit may have been made before", line)
	}
	if line := n.lineWithout(isSpace); line > 0 {
		return fmt.Sprintf("the text in line %d differs only in spaces, tabs or line breaks", line)
	}
	if line := n.lineWithout(isSpace, unicode.ToLower); line > 0 {
		return fmt.Sprintf("the text in line %d differs in upper and lower case", line)
	}
	return ""
}

// undecoded returns the line of the first byte that is not UTF-8 in what oldText stands for, and
// that byte; 0 if such bytes are not the cause. A model has seen U+FFFD in their place, or knows
// the character of Latin-1.
func (n notFound) undecoded() (line int, b byte) {
	if utf8.ValidString(n.text) {
		return 0, 0
	}
	for _, decode := range []func(byte) rune{
		func(byte) rune { return utf8.RuneError },
		func(b byte) rune { return rune(b) },
	} {
		text, places := respell(n.text, decode)
		at := strings.Index(text, n.oldText)
		if at < 0 {
			continue
		}
		for _, p := range places {
			if p.at >= at && p.at < at+len(n.oldText) {
				return 1 + strings.Count(text[:p.at], "\n"), p.was
			}
		}
	}
	return 0, 0
}

// respelled is a byte that is not UTF-8 and the place of what stands for it.
type respelled struct {
	at  int
	was byte
}

// respell replaces the bytes of a text that are not UTF-8.
func respell(text string, decode func(byte) rune) (string, []respelled) {
	var out strings.Builder
	var places []respelled
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			places = append(places, respelled{out.Len(), text[0]})
			r = decode(text[0])
		}
		out.WriteRune(r)
		text = text[size:]
	}
	return out.String(), places
}

// isIn says whether a variant of oldText would be found.
func (n notFound) isIn(variant string) bool {
	return variant != n.oldText && strings.TrimSpace(variant) != "" && strings.Contains(n.text, variant)
}

// madeBefore returns the line at which newText fills whole lines; 0 if it does not.
func (n notFound) madeBefore() int {
	i := strings.Index(n.text, n.newText)
	if i < 0 || strings.TrimSpace(n.newText) == "" {
		return 0
	}
	before, after := n.text[:i], n.text[i+len(n.newText):]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	if !strings.HasSuffix(n.newText, "\n") && strings.TrimSpace(after) != "" || strings.TrimSpace(before) != "" {
		return 0
	}
	return n.line(i)
}

// lineNumbers are what a listing of a file puts before its lines.
var lineNumbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ *\d+(?:[:|→\t]|\s*[|│→]) ?`) })

var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|[nrt"'\\])`) })

// unescape replaces the escape sequences that are common in source code.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escapes().ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'u':
			code, _ := strconv.ParseUint(e[2:], 16, 16)
			return string(rune(code))
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		}
		return e[1:]
	})
}

// escapedAs shows how the file writes the first character of oldText that is not ASCII.
func (n notFound) escapedAs() string {
	for _, r := range n.oldText {
		for _, form := range []string{fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r)} {
			if r > unicode.MaxASCII && strings.Contains(n.text, form) {
				return fmt.Sprintf(": %c is %s", r, form)
			}
		}
	}
	return ""
}

func isSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}

// lineWithout returns the line at which the file has oldText when the characters of both
// are changed in these ways; 0 if it has not.
func (n notFound) lineWithout(ways ...func(rune) rune) int {
	change := func(s string) string {
		for _, way := range ways {
			s = strings.Map(way, s)
		}
		return s
	}
	part := change(foldText(n.oldText, true).text)
	if part == "" {
		return 0
	}
	var all strings.Builder
	var ends []int
	for line := range strings.Lines(n.fold().text) {
		all.WriteString(change(line))
		ends = append(ends, all.Len())
	}
	i := strings.Index(all.String(), part)
	if i < 0 {
		return 0
	}
	return 1 + sort.SearchInts(ends, i+1)
}

// nearest shows where the file comes closest to oldText.
func (n notFound) nearest() string {
	wanted := strings.Split(foldText(n.oldText, true).text, "\n")
	first := 0
	for first < len(wanted)-1 && strings.TrimSpace(wanted[first]) == "" {
		first++
	}
	wanted = wanted[first:]
	lines := strings.Split(n.fold().text, "\n")
	if at, same := longestStart(lines, wanted); same > 0 && same < len(wanted) && at+same < len(lines) {
		return fmt.Sprintf("from line %d on the file agrees with %s of it, but then line %d is %s and not %s",
			at+1, count(same, "line"), at+same+1, quoteLine(n.text, at+same), quoteLine(n.oldText, first+same))
	}
	if at := mostSimilar(lines, wanted[0]); at >= 0 {
		return fmt.Sprintf("the most similar line is line %d: %s", at+1, quoteLine(n.text, at))
	}
	return ""
}

// longestStart finds where most lines in a row are the first of wanted.
func longestStart(lines, wanted []string) (at, same int) {
	if strings.TrimSpace(wanted[0]) == "" {
		return 0, 0
	}
	for i := range lines {
		n := 0
		for n < len(wanted) && i+n < len(lines) && (lines[i+n] == wanted[n] || n == 0 && strings.HasSuffix(lines[i], wanted[0])) {
			n++
		}
		if n > same {
			at, same = i, n
		}
	}
	return at, same
}

// quoteLine shows a line of text as it is: escapes would look like a part of it.
func quoteLine(text string, index int) string {
	const most = 160
	line := strings.Split(text, "\n")[index]
	if cut, isCut := truncate.Line(line, most); isCut {
		line = cut + "…"
	}
	return `"` + line + `"`
}

// The search for a similar line is limited: it only helps to explain.
const (
	maxComparedLines = 50_000
	maxComparedBytes = 400
	minSimilarity    = 0.4
)

// mostSimilar returns the index of the line that shares the most pairs of neighbouring
// characters with wanted, or -1 if none shares many.
func mostSimilar(lines []string, wanted string) int {
	want := pairsOf(wanted)
	best, bestScore := -1, minSimilarity
	for i, line := range lines[:min(len(lines), maxComparedLines)] {
		if score := want.similarity(line, bestScore); score > bestScore {
			best, bestScore = i, score
		}
	}
	return best
}

// pairs counts the pairs of neighbouring bytes of a line.
type pairs struct {
	counts map[[2]byte]int
	total  int
}

func pairsOf(line string) pairs {
	line = shorten(line)
	p := pairs{map[[2]byte]int{}, max(len(line)-1, 0)}
	for i := range p.total {
		p.counts[[2]byte{line[i], line[i+1]}]++
	}
	return p
}

func shorten(line string) string {
	return truncate.Prefix(strings.TrimSpace(line), maxComparedBytes)
}

// similarity is Dice's coefficient, from 0 to 1, or 0 if the lengths alone make it lower
// than atLeast.
func (p pairs) similarity(line string, atLeast float64) float64 {
	if n := len(shorten(line)) - 1; 2*float64(min(n, p.total)) <= atLeast*float64(n+p.total) {
		return 0
	}
	other := pairsOf(line)
	shared := 0
	for pair, n := range other.counts {
		shared += min(n, p.counts[pair])
	}
	return 2 * float64(shared) / float64(p.total+other.total)
}
