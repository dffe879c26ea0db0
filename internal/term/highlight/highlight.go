// Package highlight divides source code into pieces that are shown in different colours:
// comments, strings, keywords and the like.
//
// It knows a few lexical facts about each language and no grammar. In return it takes time
// linear in the length of the code, whatever that is, since what is shown here has often
// been written by strangers; it costs nothing when the program starts; and it colours a
// hundred times as many bytes a second as libraries with a grammar for each language do,
// so that whole sessions can be exported and streaming text be shown again and again.
package highlight

import (
	"iter"
	"path"
	"strings"
	"sync"
)

// Kind says what a piece of code is.
type Kind uint8

// The kinds of pieces.
const (
	Plain    Kind = iota
	Comment       // also quotations, in Markdown
	String        // also characters, regular expressions, and code in Markdown
	Number        // also colours and lengths, in CSS
	Keyword       // also tags and directives
	Type          // types, constants and functions that the language itself names
	Function      // a name that is called or defined
	Name          // keys, attributes and variables that are marked as such
	Heading       // headings, sections, and the places of hunks
	Inserted      // an added line of a diff
	Deleted       // a removed line of a diff
)

// Language is what is known of a language. Get one from [Named] or [ForFile].
type Language struct {
	name string
	// words are separated by spaces.
	keywords, types string
	// line are the marks that begin a comment up to the end of its line.
	line []string
	// block are the marks around comments.
	block []pair
	// quotes are tried in order.
	quotes []quote
	// letters are characters of names beside letters, digits and _.
	letters string
	// spaced says that the comment mark # counts only at the beginning of a word.
	spaced bool
	// anyCase says that keywords may be written in capitals.
	anyCase bool
	// keys says that a name or string before a colon is a key.
	keys bool
	// variables says that $name and ${name} are variables.
	variables bool
	// regexps says that / begins a regular expression where no value can end.
	regexps bool
	// decorators says that @name stands for a decorator or a rule.
	decorators bool
	// preprocessor says that # at the beginning of a line is a directive.
	preprocessor bool
	// assigned says that a name at the beginning of a line and before = or : is a key,
	// and that a line in brackets is a heading.
	assigned bool
	// style says that # begins a colour and - a name, as in CSS.
	style bool
	// first says that keywords count only at the beginning of a line.
	first bool
	// calls says that a name before ( is a function.
	calls bool
	// scan replaces the scanner for languages that are not made of words.
	scan func(*scanner)

	once  sync.Once
	kinds map[string]Kind
	// starts are the bytes that comments and strings begin with.
	starts [256]bool
}

type pair struct{ open, close string }

// quote is a way to write strings.
type quote struct {
	open, close string
	// lines says that the string may go on over the end of a line.
	lines bool
	// raw says that a backslash is an ordinary character.
	raw bool
	// short says that the string has one character, so that an apostrophe that is not
	// closed soon is none.
	short bool
}

// Name returns the language's usual name in lower case.
func (l *Language) Name() string { return l.name }

// Named returns the language with this name, as after the fence of a code block; nil for an
// unknown one. Capitals do not matter.
func Named(name string) *Language { return byName(strings.ToLower(name)) }

// ForFile returns the language of a file by its name; nil if that does not tell.
func ForFile(name string) *Language {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	switch {
	case name == "makefile" || name == "gnumakefile":
		return byName("makefile")
	case name == "dockerfile" || strings.HasPrefix(name, "dockerfile.") || name == "containerfile":
		return byName("dockerfile")
	case name == "go.mod" || name == "go.work":
		return byName("gomod")
	case name == ".bashrc" || name == ".zshrc" || name == ".profile" || strings.HasPrefix(name, ".env"):
		return byName("bash")
	case name == ".gitconfig" || name == ".editorconfig":
		return byName("ini")
	case name == "gemfile" || name == "rakefile":
		return byName("ruby")
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && dot < len(name)-1 {
		return byName(name[dot+1:])
	}
	return nil
}

// Pieces yields the code piece by piece. The pieces joined are the code.
func (l *Language) Pieces(code string) iter.Seq2[Kind, string] {
	return func(yield func(Kind, string) bool) {
		s := &scanner{lang: l, code: code, yield: yield}
		l.once.Do(l.index)
		if l.scan != nil {
			l.scan(s)
		} else {
			s.words(len(code))
		}
		s.flush(len(code))
	}
}

func (l *Language) index() {
	l.kinds = make(map[string]Kind)
	for word := range strings.FieldsSeq(l.types) {
		l.kinds[word] = Type
	}
	for word := range strings.FieldsSeq(l.keywords) {
		l.kinds[word] = Keyword
	}
	for _, mark := range l.line {
		l.starts[mark[0]] = true
	}
	for _, marks := range l.block {
		l.starts[marks.open[0]] = true
	}
	for _, q := range l.quotes {
		l.starts[q.open[0]] = true
	}
}

// kind returns what a word is by itself.
func (l *Language) kind(word string) Kind {
	if k, ok := l.kinds[word]; ok || !l.anyCase {
		return k
	}
	return l.kinds[strings.ToLower(word)]
}
