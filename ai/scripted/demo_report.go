package scripted

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// Bounds of what the demo model repeats of a result.
const (
	quoteLines = 40
	quoteBytes = 4000
)

// success reports what all actions of a plan came to.
func (p *plan) success(results []*ai.ToolResultMessage) string {
	var parts []string
	for i, a := range p.actions {
		parts = append(parts, a.report(results[i]))
	}
	if p.stop != "" {
		parts = append(parts, p.stop)
	}
	return strings.Join(parts, "\n\n")
}

// failure reports that action i failed.
func (p *plan) failure(i int, result *ai.ToolResultMessage) string {
	text := p.actions[i].doing + " failed"
	if said := strings.TrimSpace(result.Content.Text()); said != "" {
		text += ":\n\n" + quote(said)
	} else {
		text += " without saying why."
	}
	switch left := len(p.actions) - i - 1; {
	case left > 0:
		text += fmt.Sprintf("\n\nI stop here, with %s left.", count(left, "step"))
	case p.stop != "":
		text += "\n\nI stop here."
	}
	return text
}

// nothing are the texts with which tools say that there is nothing.
var nothing = []string{"(no output)", "(empty directory)", "No files found matching pattern", "No matches found"}

// reportAs reports the text of a result below a line, or that there is none.
func reportAs(some, none string) func(*ai.ToolResultMessage) string {
	return func(r *ai.ToolResultMessage) string {
		said := strings.Trim(r.Content.Text(), "\n")
		if strings.TrimSpace(said) == "" || slices.Contains(nothing, said) {
			return none
		}
		return some + "\n\n" + quote(said)
	}
}

func reportFile(file string, r *ai.ToolResultMessage) string {
	for _, block := range r.Content {
		if _, ok := block.(*ai.Image); ok {
			return file + " is an image. The tool has read it, but I cannot look at images."
		}
	}
	return reportAs("This is "+file+":", file+" is empty.")(r)
}

// reportRun reports whether a program printed what was expected of it.
func reportRun(file, command, expected string, r *ai.ToolResultMessage) string {
	some := file + " works: " + code(command) + " printed:"
	if !strings.Contains(r.Content.Text(), expected) {
		some = fmt.Sprintf("%s ran without an error, but did not print “%s” as it should. %s printed:", file, expected, code(command))
	}
	return reportAs(some, file+" ran without an error and printed nothing.")(r)
}

// quote shows text between fences, or the beginning of it.
func quote(text string) string {
	shown, rest := text, ""
	if cutAt := bounded(text); cutAt < len(text) {
		shown = strings.TrimSuffix(text[:cutAt], "\n")
		rest = fmt.Sprintf("\n(and %s)", count(strings.Count(strings.TrimSuffix(text[cutAt:], "\n"), "\n")+1, "more line"))
	}
	fence := "```"
	for strings.Contains(shown, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(shown, "\n") + "\n" + fence + rest
}

// bounded returns how much of text may be shown, in bytes: whole runes.
func bounded(text string) int {
	lines := 0
	for i, r := range text {
		if i > quoteBytes {
			return i
		}
		if r == '\n' {
			if lines++; lines == quoteLines {
				return i + 1
			}
		}
	}
	return len(text)
}

// code shows a command on one line.
func code(command string) string {
	command = short(command)
	if strings.Contains(command, "`") {
		return "“" + command + "”"
	}
	return "`" + command + "`"
}

// short returns the beginning of text on one line.
func short(text string) string {
	const most = 60
	text = strings.Join(strings.Fields(text), " ")
	if end := byteIndex(text, most); end < len(text) {
		return text[:end] + "…"
	}
	return text
}

func folder(dir string) string {
	if dir == "" || dir == "." {
		return "this folder"
	}
	return dir
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// small answers what needs no tool.
func small(k kind, tools map[string]bool) string {
	switch k {
	case sayHello:
		return "Hello! Say “help” to see what I understand."
	case sayThanks:
		return "You are welcome."
	case sayWho:
		return "I am a script that comes with Rondo: I match phrases and call the tools, which are real. No model is asked and nothing leaves this machine because of me."
	}
	return examples(tools)
}

// example is a phrase and the tools of which it needs one each.
type example struct {
	verbs  []string // that it is the right form for
	phrase string
	needs  [][]string
}

var exampleList = []example{
	{[]string{"read", "show", "open", "cat", "print", "view", "display", "look"}, "read README.md", [][]string{{toolRead, toolBash}}},
	{[]string{"list", "ls", "what", "which"}, "list", [][]string{{toolList, toolBash}}},
	{[]string{"find", "where"}, "find *.go", [][]string{{toolFind, toolBash}}},
	{[]string{"search", "grep"}, "search TODO in src", [][]string{{toolGrep, toolBash}}},
	{[]string{"run", "execute", "test", "start", "build", "install"}, "run: echo hi", [][]string{{toolBash}}},
	{[]string{"write", "create", "save", "put", "add"}, "write notes.txt: buy milk", [][]string{{toolWrite}}},
	{[]string{"replace", "change", "edit", "fix", "rename", "update"}, "replace milk with tea in notes.txt", [][]string{{toolEdit}}},
	{[]string{"make", "implement", "program", "code"}, "make a hello script and test it", [][]string{{toolWrite}, {toolBash}}},
}

func (e *example) possible(tools map[string]bool) bool {
	for _, choice := range e.needs {
		offered := false
		for _, tool := range choice {
			offered = offered || tools[tool]
		}
		if !offered {
			return false
		}
	}
	return true
}

// examples lists the phrases that work with these tools.
func examples(tools map[string]bool) string {
	var list strings.Builder
	for _, e := range exampleList {
		if e.possible(tools) {
			list.WriteString("\n- " + e.phrase)
		}
	}
	if list.Len() == 0 {
		return "I work with tools, and none that I know is offered here. I can only say hello."
	}
	return "I understand phrases like these:\n" + list.String() + "\n\nJoin them with “, then” to do one after another."
}

// unknown answers what is not understood.
func (s *situation) unknown() string {
	var parts []string
	if s.images > 0 {
		parts = append(parts, "I cannot look at images.")
	}
	switch {
	case s.text != "" && s.hint() != "":
		parts = append(parts, s.hint())
	case s.text != "":
		parts = append(parts, fmt.Sprintf("I do not understand “%s”.", short(s.text)))
	}
	return strings.Join(append(parts, examples(s.tools)), " ")
}

// hint says which form a request must have whose verb is known.
func (s *situation) hint() string {
	verb, _, _ := strings.Cut(strings.ToLower(short(s.text)), " ")
	for _, e := range exampleList {
		for _, v := range e.verbs {
			if v == strings.Trim(verb, ",.:;!?") && e.possible(s.tools) {
				return fmt.Sprintf("I do not understand “%s”: say it in the form “%s”.", short(s.text), e.phrase)
			}
		}
	}
	return ""
}
