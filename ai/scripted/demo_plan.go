package scripted

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// The tools that the demo model knows how to call.
const (
	toolRead  = "read"
	toolWrite = "write"
	toolEdit  = "edit"
	toolBash  = "bash"
	toolList  = "ls"
	toolFind  = "find"
	toolGrep  = "grep"
)

// action is one call of a tool.
type action struct {
	tool string
	args any
	// doing says what is done, such as "Reading notes.txt", and how, if that may surprise.
	doing, how string
	// report says what came out.
	report func(result *ai.ToolResultMessage) string
}

// plan is what the demo model does about a request: actions one after another.
type plan struct {
	tools   map[string]bool
	actions []action
	// stop says why the plan ends before all is done.
	stop string
}

// planFor makes a plan; it depends on nothing but the request and the tools, so that each
// answer of a run makes the same one.
func planFor(tasks []task, tools map[string]bool) *plan {
	p := &plan{tools: tools}
	for _, t := range tasks {
		if p.stop == "" {
			p.add(t)
		}
	}
	return p
}

func (p *plan) add(t task) {
	switch t.kind {
	case doRead:
		p.read(t.path)
	case doList:
		p.list(t.path)
	case doFind:
		p.find(t.text, t.path)
	case doSearch:
		p.search(t.text, t.path)
	case doRun:
		p.run(t.text)
	case doRunFile:
		p.runFile(t.path, "")
	case doWrite:
		p.write(t.path, lines(t.text))
	case doReplace:
		p.replace(t)
	case doMake:
		p.make(t.text)
	case sayHello, sayHelp, sayWho, sayThanks:
	}
}

// lines ends a text as text files end.
func lines(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Arguments of the tools.
type (
	pathArgs struct {
		Path string `json:"path,omitzero"`
	}
	commandArgs struct {
		Command string `json:"command"`
	}
	writeArgs struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	editArgs struct {
		Path  string        `json:"path"`
		Edits []replacement `json:"edits"`
	}
	replacement struct {
		OldText string `json:"oldText"`
		NewText string `json:"newText"`
	}
	patternArgs struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitzero"`
		Literal bool   `json:"literal,omitzero"`
	}
)

func (p *plan) read(file string) {
	p.either(toolRead, action{
		args:   pathArgs{file},
		doing:  "Reading " + file,
		report: func(r *ai.ToolResultMessage) string { return reportFile(file, r) },
	}, "cat "+shellPath(file))
}

func (p *plan) list(dir string) {
	name := folder(dir)
	p.either(toolList, action{
		args:   pathArgs{dir},
		doing:  "Listing " + name,
		report: reportAs("In "+name+" there is:", "There is nothing in "+name+"."),
	}, "ls -A "+shellPath(dir))
}

func (p *plan) find(pattern, dir string) {
	if !strings.ContainsAny(pattern, `*?[{./\`) {
		pattern = "*" + pattern + "*"
	}
	p.either(toolFind, action{
		args:   patternArgs{Pattern: pattern, Path: dir},
		doing:  fmt.Sprintf("Looking for %s in %s", pattern, folder(dir)),
		report: reportAs("Files that match "+pattern+":", "No file matches "+pattern+"."),
	}, fmt.Sprintf("find %s -name %s", shellPath(dir), shellWord(pattern)))
}

func (p *plan) search(text, dir string) {
	p.either(toolGrep, action{
		args:   patternArgs{Pattern: text, Path: dir, Literal: true},
		doing:  fmt.Sprintf("Searching %s for “%s”", folder(dir), short(text)),
		report: reportAs(fmt.Sprintf("Lines with “%s”:", short(text)), fmt.Sprintf("No line holds “%s”.", short(text))),
	}, fmt.Sprintf("grep -rnF -e %s %s || [ $? -eq 1 ]", shellWord(text), shellPath(dir)))
}

func (p *plan) run(command string) {
	p.use(action{
		tool: toolBash, args: commandArgs{command},
		doing:  "Running " + code(command),
		report: reportAs(code(command)+" printed:", code(command)+" printed nothing."),
	})
}

func (p *plan) write(file, content string) {
	p.use(action{
		tool: toolWrite, args: writeArgs{file, content},
		doing: "Writing " + file,
		report: func(*ai.ToolResultMessage) string {
			return fmt.Sprintf("I wrote %s (%s).", file, count(strings.Count(content, "\n"), "line"))
		},
	})
}

func (p *plan) replace(t task) {
	what := fmt.Sprintf("“%s” with “%s” in %s", short(t.text), short(t.with), t.path)
	p.use(action{
		tool: toolEdit, args: editArgs{t.path, []replacement{{t.text, t.with}}},
		doing:  "Replacing " + what,
		report: func(*ai.ToolResultMessage) string { return "I replaced " + what + "." },
	})
}

// greeting is what the programs of the demo model print.
const greeting = "Hello, world!"

// program is a kind of file that the demo model can write and run.
type program struct {
	ext     string
	words   []string // that ask for it
	command string   // that runs it
	source  string
}

// programs are tried in order; the first is made if nothing else is asked for.
var programs = []program{
	{".sh", []string{"shell", "bash", "sh"}, "sh", "#!/bin/sh\n# Says hello.\necho '" + greeting + "'\n"},
	{".py", []string{"python", "python3", "py"}, "python3", "\"\"\"Says hello.\"\"\"\n\nprint(\"" + greeting + "\")\n"},
	{".go", []string{"go", "golang"}, "go run", "// Hello says hello.\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"" + greeting + "\")\n}\n"},
	{".js", []string{"javascript", "js", "node"}, "node", "// Says hello.\nconsole.log(\"" + greeting + "\");\n"},
}

// make writes a program that says hello and runs it.
func (p *plan) make(what string) {
	kind, file := programFor(what)
	if kind == nil {
		p.stop = "I can only make programs that say hello: a .sh, .py, .go or .js file. Try “make a hello script and test it” or “make hello.py and test it”."
		return
	}
	if p.write(file, kind.source); p.stop == "" {
		p.runFile(file, greeting)
	}
}

// programFor finds out what program is meant; nil if it is none that can be made.
func programFor(what string) (kind *program, file string) {
	words := strings.Fields(strings.ToLower(what))
	for word := range strings.FieldsSeq(what) {
		word = unquote(word)
		if ext := path.Ext(word); len(ext) > 1 {
			return programOf(word), word
		}
	}
	for i := range programs {
		if slices.ContainsFunc(programs[i].words, func(w string) bool { return slices.Contains(words, w) }) {
			kind = &programs[i]
			break
		}
	}
	plain := slices.ContainsFunc(words, func(w string) bool { return w == "hello" || w == "script" || w == "program" })
	if kind == nil && plain {
		kind = &programs[0]
	}
	if kind == nil {
		return nil, ""
	}
	return kind, "hello-rondo" + kind.ext // not likely to be a file of the user's
}

// programOf returns the kind of a file by its extension; nil if it is none.
func programOf(file string) *program {
	i := slices.IndexFunc(programs, func(p program) bool { return p.ext == path.Ext(file) })
	if i < 0 {
		return nil
	}
	return &programs[i]
}

// runFile runs a program, which should print this text.
func (p *plan) runFile(file, expected string) {
	kind := programOf(file)
	if kind == nil {
		p.stop = fmt.Sprintf("I do not know how to run %s; give me the command, as in “run: sh %s”.", file, file)
		return
	}
	command := kind.command + " " + shellPath(file)
	p.use(action{
		tool: toolBash, args: commandArgs{checked(kind.command, command)},
		doing:  "Running " + code(command),
		report: func(r *ai.ToolResultMessage) string { return reportRun(file, command, expected, r) },
	})
}

// checked returns a command that says plainly if its program is missing.
func checked(program, command string) string {
	program, _, _ = strings.Cut(program, " ")
	if program == "sh" {
		return command
	}
	return fmt.Sprintf("if command -v %s >/dev/null; then\n  %s\nelse\n  echo '%s is not installed on this machine'\n  exit 127\nfi", program, command, program)
}

// use adds an action if its tool is offered.
func (p *plan) use(a action) {
	if !p.tools[a.tool] {
		p.stop = p.missing(a.tool, a.doing)
		return
	}
	p.actions = append(p.actions, a)
}

// either adds an action of a tool or, where the tool is not offered, a command.
func (p *plan) either(tool string, a action, command string) {
	a.tool = tool
	if !p.tools[tool] && p.tools[toolBash] {
		a.tool, a.args = toolBash, commandArgs{command}
		a.how = fmt.Sprintf(" with bash, since the tool %s is not offered", tool)
	}
	p.use(a)
}

func (p *plan) missing(tool, doing string) string {
	text := fmt.Sprintf("%s needs the tool %s, which is not offered here", doing, tool)
	if len(p.tools) == 0 {
		return text + ": there are no tools."
	}
	return text + ". Offered: " + strings.Join(slices.Sorted(maps.Keys(p.tools)), ", ") + "."
}

// shellWord makes s one word of a shell command.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,%@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shellPath makes a path a word that is no option; the empty path is the working folder.
func shellPath(p string) string {
	switch {
	case p == "":
		return "."
	case p[0] == '-':
		p = "./" + p
	}
	return shellWord(p)
}
