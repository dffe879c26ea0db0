package conformance

import (
	"crypto/sha1"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

const uuidForm = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	uuids       = regexp.MustCompile(uuidForm)
	wholeUUID   = regexp.MustCompile(`^` + uuidForm + `$`)
	wholeID     = regexp.MustCompile(`^[0-9a-f]{8}$`)
	sessionSlug = regexp.MustCompile(`--[A-Za-z0-9_.-]*lab-[A-Za-z0-9_.-]*--`)
	// isoTime is a time as it stands in events, or in the name of a file.
	isoTime = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}[-:][0-9]{2}[-:][0-9]{2}[-.][0-9]{3}Z`)
	// outputFile is where a program keeps the whole output of a command.
	outputFile = regexp.MustCompile(`(?:/tmp|` + regexp.QuoteMeta(strings.TrimSuffix(os.TempDir(), "/")) + `)/[A-Za-z0-9_-]*(?:bash|output)[A-Za-z0-9_./-]*`)
)

var (
	idMembers     = set("id", "parentId", "firstKeptEntryId", "targetId", "fromId", "leafId", "entryId", "oldLeafId", "newLeafId", "sessionId")
	callIDMembers = set("id", "toolCallId", "tool_call_id", "tool_use_id", "call_id")
	timeMembers   = set("timestamp", "labelTimestamp", "durationMs", "lastActivity", "createdAt", "modifiedAt")
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// longText is the number of characters above which a text is kept as beginning, length,
// hash and end, and textEnd the length of those two.
const (
	longText = 3000
	textEnd  = 60
)

// pathMarks replaces what differs from run to run by what stands for it; the longer of
// two paths wins.
func pathMarks(rec *Recording) *strings.Replacer {
	paths := slices.Clone(rec.paths)
	slices.SortStableFunc(paths, func(a, b place) int { return len(b.real) - len(a.real) })
	var pairs []string
	for _, p := range paths {
		pairs = append(pairs, p.real, p.mark)
	}
	pairs = append(pairs, rec.top, "<top>", ":"+strconv.Itoa(rec.port), ":<port>")
	return strings.NewReplacer(pairs...)
}

// nameOf gives a value a small stable name, by order of first appearance.
func nameOf(table map[string]string, value, format string) string {
	name, ok := table[value]
	if !ok {
		name = fmt.Sprintf(format, len(table)+1)
		table[value] = name
	}
	return name
}

// text replaces paths, times and generated ids within a text.
func (n *normaliser) text(s string) string {
	s = n.paths.Replace(s)
	s = sessionSlug.ReplaceAllLiteralString(s, "<cwd-slug>")
	s = isoTime.ReplaceAllLiteralString(s, "<time>")
	s = outputFile.ReplaceAllLiteralString(s, "<tmpfile>")
	return uuids.ReplaceAllStringFunc(s, func(id string) string { return nameOf(n.ids, id, "#%d") })
}

// walk replaces, everywhere in a value, what differs from run to run. member is the name
// under which the value, or the list it is in, stands.
func (n *normaliser) walk(v any, member string) any {
	switch v := v.(type) {
	case ordered.Object:
		out := make(ordered.Object, 0, len(v))
		for _, m := range v {
			if !timeMembers[m.Name] {
				out = append(out, ordered.Member{Name: m.Name, Value: n.walk(m.Value, m.Name)})
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.walk(v[i], member)
		}
		return out
	case string:
		return n.walkText(v, member)
	case ordered.Number:
		return v.Round()
	}
	return v
}

func (n *normaliser) walkText(s, member string) string {
	if idMembers[member] && wholeID.MatchString(s) {
		return nameOf(n.ids, s, "#%d")
	}
	if n.s.GeneratedCallIDs && callIDMembers[member] && s != "" && !wholeUUID.MatchString(s) {
		if strings.Contains(n.script, s) {
			return s
		}
		return nameOf(n.calls, s, "<call %d>")
	}
	return shorten(n.text(s))
}

// shorten keeps of a long text what is needed to see that it is the same.
func shorten(s string) string {
	length := utf8.RuneCountInString(s)
	if length <= longText {
		return s
	}
	chars := []rune(s)
	return fmt.Sprintf("%s ...<%d characters, sha1 %x>... %s",
		string(chars[:textEnd]), length, sha1.Sum([]byte(s)), string(chars[length-textEnd:]))
}
