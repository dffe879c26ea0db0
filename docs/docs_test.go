// Package docs_test checks that what the pages of this folder show is true. Code blocks say
// behind their language what is to be done with them:
//
//	go program           is a complete program or test: it is checked, and run if its output follows
//	go from=FILE         stands, line by line, in a file of this repository that is tested
//	sh run               is run with the built binary; exit=N is the code expected of it, fresh
//	                     begins in an empty folder. Blocks of a page share a folder otherwise
//	sh http              is run beside a rondo serve; API, AUTH, ID and LAST are set as its page says
//	text output          is what the block before it prints
//	ts file=NAME         is an extension in the working folder of the blocks after it
//	json                 parses; several values may follow one another
//	json file=NAME       is a configuration file for the blocks after it; wrong if something in it is to be told
//	json rpc             are commands that a running rondo accepts
//	json response        are the answers to the commands before it; invalid: to a line that is none
//	json event           are events that a run has
//	json script          is a script of the scripted model
//	json rondo           are lines that rondo sends to an extension that is a program
//	json extension       are lines that such an extension sends
//
// In a command, "entryId":"…" and "sessionPath":"…" stand for the message and the file that the
// responses before it have named last.
//
// In what is expected, … stands for anything: a line of its own for any lines, inside of a
// line for any characters, {"…": "…"} for any members, ["…"] for any elements.
package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// page is a Markdown file.
type page struct {
	name   string
	blocks []*block
	prose  string // all lines outside of blocks
}

// block is a code block.
type block struct {
	at    string // page and line
	lang  string
	marks map[string]string
	text  string
}

func (b *block) is(mark string) bool {
	_, ok := b.marks[mark]
	return ok
}

// pages reads the pages that match a pattern.
func pages(t *testing.T, pattern string) []*page {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var all []*page
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsePage(file, string(data)))
	}
	return all
}

var fence = regexp.MustCompile("^(```+)(.*)$")

func parsePage(name, text string) *page {
	p := &page{name: name}
	var open *block
	end := ""
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && line == end:
			open = nil
		case open != nil:
			open.text += line + "\n"
		case m != nil:
			open, end = newBlock(fmt.Sprintf("%s:%d", name, i+1), m[2]), m[1]
			p.blocks = append(p.blocks, open)
		default:
			p.prose += line + "\n"
		}
	}
	return p
}

func newBlock(at, info string) *block {
	b := &block{at: at, marks: make(map[string]string)}
	for i, word := range strings.Fields(info) {
		if i == 0 {
			b.lang = word
			continue
		}
		mark, value, _ := strings.Cut(word, "=")
		b.marks[mark] = value
	}
	return b
}

// output returns the block behind b if it is b's output.
func (p *page) output(b *block) *block {
	i := slices.Index(p.blocks, b) + 1
	if i < len(p.blocks) && p.blocks[i].is("output") {
		return p.blocks[i]
	}
	return nil
}

// known are the marks of each language.
var known = map[string][]string{
	"go":   {"program", "from"},
	"sh":   {"run", "exit", "fresh", "http"},
	"text": {"output"},
	"ts":   {"file"},
	"json": {"file", "wrong", "rpc", "response", "invalid", "event", "script", "rondo", "extension"},
}

func TestBlocks_AreMarked(t *testing.T) {
	for _, p := range pages(t, "*.md") {
		for _, b := range p.blocks {
			marks, ok := known[b.lang]
			if !ok {
				t.Errorf("%s: a block of the unknown language %q", b.at, b.lang)
			}
			for mark := range b.marks {
				if !slices.Contains(marks, mark) {
					t.Errorf("%s: the unknown mark %q", b.at, mark)
				}
			}
			if b.lang == "go" && len(b.marks) == 0 {
				t.Errorf("%s: code that nothing checks; mark it as a program or with from=FILE", b.at)
			}
		}
	}
}

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	inlineCode = regexp.MustCompile("`[^`]*`")
)

func TestLinks_Resolve(t *testing.T) {
	all := append(pages(t, "*.md"), pages(t, "../*.md")...)
	for _, p := range all {
		for _, m := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(p.prose, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := p.name
			if target != "" {
				file = filepath.Join(filepath.Dir(p.name), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads nowhere", p.name, m[1])
				continue
			}
			file = strings.TrimPrefix(file, "../docs/") // as pages of this folder are named
			i := slices.IndexFunc(all, func(other *page) bool { return other.name == file })
			if anchor != "" && (i < 0 || !slices.Contains(all[i].anchors(), anchor)) {
				t.Errorf("%s: the link %s leads to no heading", p.name, m[1])
			}
		}
	}
}

// anchors returns the names that GitHub gives to the headings.
func (p *page) anchors() []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(p.prose, -1) {
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return names
}
