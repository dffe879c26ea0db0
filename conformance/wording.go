package conformance

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/rondo-agent/rondo/conformance/ordered"
)

// blank is one character of white space, in the sense of Unicode.
const blank = `[\t-\r\x{1c}-\x{20}\x{85}\p{Z}]`

var (
	turnSummary  = regexp.MustCompile(blank + `*\n---\n+\*\*[^*]*\*\*` + blank + `*`)
	skillNote    = regexp.MustCompile(`(<skill name="[^"]*" location="[^"]*">)\n[^\n]*\n\n`)
	commandNote  = regexp.MustCompile("(?s)^(Ran `.*\n```\n.*\n```)\n\n[^\n]+(\n?)$")
	summaryBlock = regexp.MustCompile(`(?s)<summary>` + blank + `*(.*?)` + blank + `*</summary>`)
	endNotice    = regexp.MustCompile(`\n\n\[[^\]]*\]` + blank + `*$`)
)

// origin is what a text is part of.
type origin struct {
	// tool is the tool whose result it is; empty outside of results, freeTool for a call
	// whose text is wording as a whole.
	tool string
	// failed says that the result is an error.
	failed bool
}

const (
	freeTool = "<free>"
	// someTool stands for the tool of a result whose call is not known.
	someTool = "?"
)

// prose replaces wording that an implementation is free to choose; what the scenario
// scripted stays.
func (n *normaliser) prose(v any) any { return n.proseIn(v, origin{}) }

func (n *normaliser) proseIn(v any, in origin) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = n.proseIn(v[i], in)
		}
		return out
	case ordered.Object:
		return n.proseObject(v, in)
	}
	return v
}

func (n *normaliser) proseObject(v ordered.Object, in origin) ordered.Object {
	if v.Has("isError") {
		in = n.resultOrigin(v, in)
	}
	out := make(ordered.Object, 0, len(v))
	for _, m := range v {
		if m.Name == "details" && in.tool != "" && !n.s.KeepDetails {
			continue
		}
		if text, ok := m.Value.(string); ok {
			m.Value = n.proseText(text, m.Name, v, in)
		} else {
			m.Value = n.proseIn(m.Value, in)
		}
		out = append(out, m)
	}
	return n.proseWhole(out)
}

func (n *normaliser) resultOrigin(v ordered.Object, in origin) origin {
	if v.Has("toolName") {
		in.tool = v.Text("toolName")
	}
	if slices.Contains(n.s.FreeText, v.Text("toolCallId")) {
		in.tool = freeTool
	}
	in.failed = ordered.Truthy(v.Get("isError"))
	return in
}

func (n *normaliser) proseText(text, member string, parent ordered.Object, in origin) string {
	switch {
	case member == "text":
		if in.tool != "" || in.failed {
			text = n.toolWords(text, in)
		}
		return n.summaryWording(text, false)
	case member == "errorMessage" || member == "finalError":
		return marked(text, n.s.ErrorMarks, "error", false)
	case member == "error" && parent.Text("type") == "extension_error" && !strings.Contains(n.script, text):
		return "<error>"
	case member == "summary":
		return n.summaryWording(text, true)
	}
	return text
}

// proseWhole applies the rules that look at an object as a whole.
func (n *normaliser) proseWhole(v ordered.Object) ordered.Object {
	if v.Text("type") == "response" && v.Has("error") {
		v = v.With("error", "<error>")
	}
	if !ordered.Truthy(v.Get("redacted")) && v.Text("type") != "thinking_end" {
		return v
	}
	for _, name := range []string{"thinking", "content"} {
		if text := v.Text(name); strings.HasPrefix(text, "[") && !strings.Contains(n.script, text) {
			v = v.With(name, "<notice>")
		}
	}
	return v
}

// toolWords drops the wording of a tool result that an implementation may choose: error
// texts, confirmations, notices.
func (n *normaliser) toolWords(x string, in origin) string {
	switch {
	case in.failed && n.s.KeepErrorText:
		return x
	case in.failed:
		if end := strings.LastIndex(x, "\n\n"); end >= 0 && n.s.ErrorOutput {
			return x[:end] + "\n\n<error text>"
		}
		return "<error text>"
	case in.tool == freeTool:
		return "<free text>"
	case in.tool == "write" || in.tool == "edit":
		return "<done>"
	}
	notice := ""
	if at := endNotice.FindStringIndex(x); at != nil {
		x, notice = x[:at[0]], "\n\n<notice>"
	}
	if n.s.SortLines {
		lines := strings.Split(x, "\n")
		slices.Sort(lines)
		x = strings.Join(lines, "\n")
	}
	return x + notice
}

// summaryWording keeps what a summary says and drops the sentence around it; a request
// for a summary becomes one mark. whole says that the text is a summary even if it is not
// marked as one.
func (n *normaliser) summaryWording(x string, whole bool) string {
	x = turnSummary.ReplaceAllLiteralString(x, " | ")
	x = skillNote.ReplaceAllString(x, "${1} <note>\n")
	x = commandNote.ReplaceAllString(x, "${1}\n\n<notice>${2}")
	if strings.Contains(x, "<conversation>") {
		return marked(x, n.s.SummaryMarks, "summarization request", false)
	}
	inner, block := x, summaryBlock.FindStringSubmatch(x)
	if block != nil {
		inner = block[1]
	}
	if first := firstOf(inner, n.scripted); first > 0 && (block != nil || whole) {
		separator := " "
		if strings.HasSuffix(inner[:first], " | ") {
			separator = " | "
		}
		inner = "<preamble>" + separator + inner[first:]
	}
	if block != nil {
		return "<summary: " + inner + ">"
	}
	return inner
}

// firstOf returns where the first of the texts begins in x, -1 if none is there.
func firstOf(x string, texts []string) int {
	first := -1
	for _, text := range texts {
		if at := strings.Index(x, text); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// marked replaces a text by its name and those of the marks that it contains, in order.
// With only, it says whether nothing else is there.
func marked(x string, marks []string, name string, only bool) string {
	found := slices.DeleteFunc(slices.Clone(marks), func(mark string) bool { return !strings.Contains(x, mark) })
	if len(found) == 0 {
		return "<" + name + ">"
	}
	if only && containsOnly(x, marks) {
		name += " only"
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Index(x, a), strings.Index(x, b)), cmp.Compare(a, b))
	})
	return "<" + name + ": " + strings.Join(found, " ") + ">"
}

// containsOnly says whether white space is all that x has beside the marks.
func containsOnly(x string, marks []string) bool {
	longest := slices.Clone(marks)
	slices.SortStableFunc(longest, func(a, b string) int { return len(b) - len(a) })
	for _, mark := range longest {
		x = strings.ReplaceAll(x, mark, "")
	}
	return strings.TrimFunc(x, unicode.IsSpace) == ""
}
