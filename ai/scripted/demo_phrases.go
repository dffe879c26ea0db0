package scripted

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// kind is what the demo model can be asked for.
type kind int

const (
	doRead kind = iota + 1
	doList
	doFind
	doSearch
	doRun
	doRunFile
	doWrite
	doReplace
	doMake
	sayHello
	sayHelp
	sayWho
	sayThanks
)

// talks reports whether no tool is needed.
func (k kind) talks() bool { return k >= sayHello }

// plain reports whether a request names files at most.
func (k kind) plain() bool { return k == doRead || k == doList || k == doFind || k == doRunFile }

// task is one thing that the demo model is asked for.
type task struct {
	kind kind
	path string // the file or folder
	text string // the content, pattern, command or old text
	with string // what replaces the old text
}

// phrase is a form of words.
type phrase struct {
	kind kind
	// exact says that the end of the sentence belongs to the request, such as the dots
	// of a command.
	exact bool
	form  *regexp.Regexp // its groups path, text and with fill the task
	// check, if set, rejects or completes a task.
	check func(*task) bool
}

// Parts of forms.
const (
	quotedForm = `"[^"]*"|'[^']*'|` + "`[^`]*`" + `|“[^”]*”`
	pathForm   = `(?P<path>` + quotedForm + `|\S+)`
	inForm     = `(?:\s+(?:in|under|inside)\s+(?:the\s+)?(?:(?:folder|directory|file)\s+)?` + pathForm + `)?`
	newForm    = `(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?`
)

// phrases are tried in order.
var phrases = sync.OnceValue(func() []phrase {
	form := func(k kind, form string, check func(*task) bool) phrase {
		return phrase{kind: k, form: regexp.MustCompile(`(?is)^` + form + `$`), check: check}
	}
	exact := func(k kind, pattern string, check func(*task) bool) phrase {
		p := form(k, pattern, check)
		p.exact = true
		return p
	}
	return []phrase{
		form(sayHello, `(?:hi|hello|hey|good\s+(?:morning|afternoon|evening))(?:[ ,]+(?:there|rondo|you|world))?`, nil),
		form(sayHelp, `(?:show\s+)?(?:help|\?)(?:\s+me)?|what\s+(?:can|do)\s+you\s+(?:do|understand|know)|how\s+do(?:es)?\s+(?:this|it|you)\s+work`, nil),
		form(sayWho, `(?:who|what)\s+are\s+you|are\s+you\s+(?:an?\s+)?(?:real|ai|human|bot|model|llm)\b.*|(?:what|which)\s+model\b.*`, nil),
		form(sayThanks, `(?:many\s+)?(?:thanks|thank\s+you|thx|great|good|nice|cool)(?:\s+(?:a\s+lot|so\s+much|very\s+much|work|job))?`, nil),

		exact(doRun, `(?:run|execute|bash|shell)\s*:\s*(?P<text>.+)`, nil),
		exact(doRun, `\$\s+(?P<text>.+)`, nil),
		form(doMake, `(?:make|create|write|build)\s+(?:me\s+)?(?P<text>.+?),?\s+and\s+(?:then\s+)?(?:test|try|run|execute|check)\s+(?:it|them|that)`, isProgram),
		form(doReplace, `(?:replace|change)\s+(?P<text>`+quotedForm+`|.+?)\s+(?:with|by|to|into)\s+(?P<with>`+quotedForm+`|.*?)\s+in\s+(?:the\s+)?(?:file\s+)?`+pathForm, isReplacement),
		exact(doWrite, `(?:write|create|make|save)\s+`+newForm+`(?P<path>`+quotedForm+`|[^\s:]+)\s*:[ \t]*\n?(?P<text>.*)`, isFileText),
		exact(doWrite, `(?:write|create|make|save)\s+`+newForm+pathForm+`\s+with\s+(?:the\s+)?(?:(?:contents?|text|lines?):?\s+)?(?P<text>.+)`, isFile),
		form(doWrite, `(?:write|save|put)\s+(?P<text>.+?)\s+(?:to|into|in)\s+(?:the\s+|a\s+)?(?:new\s+)?(?:file\s+)?`+pathForm, isFile),
		form(doRunFile, `(?:run|execute|test|try)\s+(?:the\s+)?(?:(?:file|script|program)\s+)?`+pathForm, isRunnable),
		exact(doRun, `(?:run|execute)\s+(?:the\s+command\s+)?(?P<text>.+)`, isCommand),

		form(doList, `(?:show\s+(?:me\s+)?|what\s+|which\s+)(?:all\s+)?(?:the\s+)?files(?:\s+(?:are|do\s+you\s+see|do\s+i\s+have))?(?:\s+(?:here|there))?`+inForm, nil),
		form(doList, `(?:list|ls)\b\s*(?:(?:all\s+)?(?:the\s+)?(?:files\s+and\s+folders|files|folders|entries|contents)\b)?\s*(?:(?:in|of|under|inside)\b)?\s*(?:the\s+)?(?:(?:folder|directory)\b)?\s*`+pathForm+`?`, nil),
		form(doSearch, `search\s+in\s+(?:the\s+)?(?:(?:folder|directory|file)\s+)?`+pathForm+`\s+for\s+(?P<text>.+)`, nil),
		form(doSearch, `(?:search|grep|look\s+for)\s+(?:for\s+)?(?:the\s+)?(?:(?:text|word)\s+)?(?P<text>`+quotedForm+`|.+?)`+inForm, nil),
		form(doFind, `find\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files?\s+)?(?:(?:named|called|like|matching)\s+)?(?P<text>`+quotedForm+`|\S+)`+inForm, nil),
		form(doRead, `(?:read|show|open|cat|print|display|view|look\s+at)\s+(?:me\s+)?(?:what(?:'s|\s+is)\s+in\s+)?(?:the\s+)?(?:contents?\s+of\s+)?(?:(?:the|my|this|that)\s+)?(?:file\s+)?(?P<path>`+quotedForm+`|.+)`, isReadable),
		form(doRead, `what(?:'s|\s+is)\s+in\s+(?:the\s+)?(?:(?:file|folder|directory)\s+)?`+pathForm, readOrList),
	}
})

// polite matches what may stand before a request.
var polite = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please|ok|okay|now|and|also|then|first|just|(?:can|could|would|will)\s+you|let'?s|i\s+want\s+you\s+to)[,:]?\s+`)
})

// closing matches what may stand behind a request: a path such as ../.. keeps its dots.
var closing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i),?\\s+please[.!?]*$|([\\pL\\pN\"'`”*)])[.!?]+$")
})

// joints matches what joins two requests; its group is a mere "and".
var joints = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s*(?:[,;]|\s+and|\s)\s*\bthen[,:]?\s+|(,?\s+and\s+)`)
})

// maxJoints bounds how many steps a request is taken apart into.
const maxJoints = 8

// aboutIt matches a request about the file of the one before it.
var aboutIt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\w+\s+it[.!?]*$`)
})

// understand returns what a text asks for, step by step; nothing if it is not understood.
// lastFile is what "it" stands for.
func understand(text, lastFile string) []task {
	found := joints().FindAllStringSubmatchIndex(text, maxJoints+1)
	if len(found) > maxJoints {
		found = nil
	}
	for _, joint := range found {
		tasks := understandTwo(text[:joint[0]], text[joint[1]:], joint[2] >= 0, lastFile)
		if len(tasks) > 0 {
			return tasks
		}
	}
	if t, ok := understandOne(text, lastFile); ok {
		return []task{t}
	}
	return nil
}

// understandTwo reads a request and those that follow it. A mere "and" is more likely part
// of the first one if that has text of its own.
func understandTwo(text, rest string, and bool, lastFile string) []task {
	first, ok := understandOne(text, lastFile)
	if !ok || first.kind.talks() || and && !first.kind.plain() && !aboutIt().MatchString(rest) {
		return nil
	}
	if first.path != "" {
		lastFile = first.path
	}
	tasks := understand(rest, lastFile)
	if len(tasks) == 0 || tasks[0].kind.talks() {
		return nil
	}
	return append([]task{first}, tasks...)
}

func understandOne(text, lastFile string) (task, bool) {
	text = strings.TrimSpace(text)
	for polite().MatchString(text) {
		text = polite().ReplaceAllString(text, "")
	}
	clean := strings.TrimSpace(closing().ReplaceAllString(text, "$1"))
	for _, p := range phrases() {
		said := clean
		if p.exact {
			said = text
		}
		if t, ok := p.match(said); ok && t.resolve(lastFile) {
			return t, true
		}
	}
	return task{}, false
}

func (p *phrase) match(text string) (task, bool) {
	groups := p.form.FindStringSubmatch(text)
	if groups == nil {
		return task{}, false
	}
	t := task{kind: p.kind}
	for i, name := range p.form.SubexpNames() {
		switch name {
		case "path":
			t.path = groups[i]
		case "text":
			t.text = groups[i]
		case "with":
			t.with = groups[i]
		}
	}
	if p.check != nil && !p.check(&t) {
		return t, false
	}
	t.path, t.with = unquote(t.path), unquote(t.with)
	if t.kind != doWrite || isQuoted(t.text) {
		t.text = unquote(strings.TrimSpace(t.text))
	}
	return t, true
}

// resolve replaces words that stand for a file or for the working folder.
func (t *task) resolve(lastFile string) bool {
	switch {
	case standsForFile(t.path):
		t.path = lastFile
		return lastFile != "" && (t.kind != doRunFile || programOf(lastFile) != nil)
	case t.path == "here" || t.path == "there":
		t.path = ""
	}
	return true
}

func standsForFile(word string) bool {
	switch strings.ToLower(word) {
	case "it", "that", "this", "them", "file":
		return true
	}
	return false
}

func isQuoted(s string) bool { return unquote(s) != s }

func unquote(s string) string {
	for _, q := range []string{`""`, "''", "``"} {
		if len(s) >= 2 && s[0] == q[0] && s[len(s)-1] == q[1] && strings.Count(s, q[:1]) == 2 {
			return s[1 : len(s)-1]
		}
	}
	if inner, ok := strings.CutPrefix(s, "“"); ok {
		if inner, ok := strings.CutSuffix(inner, "”"); ok {
			return inner
		}
	}
	return s
}

// looksLikeFile reports whether a word is more likely a file than a word.
func looksLikeFile(s string) bool {
	ext := path.Ext(s)
	return isQuoted(s) || strings.Contains(s, "/") || len(ext) > 1 && len(ext) < 10
}

func isFile(t *task) bool { return looksLikeFile(t.path) }

// isFileText rejects a file without content.
func isFileText(t *task) bool {
	return strings.TrimSpace(t.text) != "" && !strings.HasSuffix(t.path, "/")
}

// isProgram leaves "write FILE: … and run it" to the other forms.
func isProgram(t *task) bool {
	return !strings.Contains(t.text, ":") && !strings.Contains(t.text, "\n") && !strings.Contains(t.text, " with ")
}

func isReplacement(t *task) bool { return unquote(t.text) != "" }

// isCommand rejects words about commands, such as "the tests".
func isCommand(t *task) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(t.text)), " ")
	switch first {
	case "the", "a", "an", "all", "my", "our", "your", "some", "every", "this", "that", "it", "them", "something":
		return false
	}
	return true
}

// isRunnable accepts what can be run by its name.
func isRunnable(t *task) bool {
	return standsForFile(t.path) || !isQuoted(t.path) && !strings.Contains(t.path, "/") && programOf(t.path) != nil
}

// isReadable accepts one name: with blanks only if it is quoted or ends like a file's.
func isReadable(t *task) bool {
	blanks := func(s string) bool { return strings.ContainsAny(s, " \t\n") }
	if isQuoted(t.path) || !blanks(t.path) {
		return true
	}
	ext := path.Ext(t.path)
	return ext != "" && !blanks(ext) && !strings.Contains(t.path, " and ") && !strings.Contains(t.path, "\n")
}

// readOrList takes a name without extension for a folder.
func readOrList(t *task) bool {
	if !looksLikeFile(t.path) || strings.HasSuffix(t.path, "/") || path.Ext(unquote(t.path)) == "" {
		t.kind = doList
	}
	return true
}
