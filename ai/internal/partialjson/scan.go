package partialjson

import (
	"errors"
	"fmt"
	"strings"
)

// maxDepth bounds the nesting, so that a snapshot of what is open stays cheap.
const maxDepth = 1000

// state says what the scanner expects next.
type state uint8

const (
	atStart     state = iota // the root object
	atFirstName              // a name or }
	atName
	atColon
	atFirstElem // a value or ]
	atValue
	atComma // a comma or the end of the container
	inName
	inString
	inNumber
	inLiteral
	atEnd  // the root object is complete
	failed // the rest is not looked at
)

// scanner reads a text from left to right and keeps what it has read in the containers
// that are open. It can stop at any byte and go on when there are more.
type scanner struct {
	build // how values are made

	text  string
	pos   int // everything before is read
	state state
	open  []container
	root  any  // once complete
	dirty bool // the object so far has changed

	token   int    // where the string (after its quote), number or literal begins
	decoded []byte // the string so far, if it is not a piece of the text
	escaped bool   // decoded holds it
	literal string

	reason string // why it failed, at pos
}

// build makes values: numbers, and containers that are complete.
type build interface {
	number(text string) any
	close(c *container) any
}

// container is an object or array that is open.
type container struct {
	array   bool
	name    string // of the member that is being read
	members map[string]any
	names   []string // of members, in order
	elems   []any
}

func (c *container) add(v any) {
	if c.array {
		c.elems = append(c.elems, v)
		return
	}
	if _, again := c.members[c.name]; !again {
		c.names = append(c.names, c.name)
	}
	if c.members == nil {
		c.members = make(map[string]any)
	}
	c.members[c.name] = v
}

// run reads the rest of the text as far as it can be read.
func (s *scanner) run() {
	for more := true; more && s.pos < len(s.text); {
		switch s.state {
		case inName, inString:
			more = s.readString()
		case inNumber:
			s.readNumber()
		case inLiteral:
			s.readLiteral()
		case failed:
			return
		default:
			s.readPunctuation(s.text[s.pos])
		}
	}
}

func (s *scanner) readPunctuation(c byte) {
	if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
		s.pos++
		return
	}
	switch s.state {
	case atStart:
		s.expect(c == '{', "a JSON object", s.openContainer)
	case atFirstName:
		if c == '}' {
			s.closeContainer()
			return
		}
		s.expect(c == '"', `a name in quotes or "}"`, s.beginString)
	case atName:
		s.expect(c == '"', "a name in quotes", s.beginString)
	case atColon:
		s.expect(c == ':', `":"`, func() { s.next(atValue) })
	case atFirstElem:
		if c == ']' {
			s.closeContainer()
			return
		}
		s.beginValue(c)
	case atValue:
		s.beginValue(c)
	case atComma:
		s.readComma(c)
	case atEnd:
		s.fail("expected nothing after the object, found " + s.found())
	}
}

// expect does what follows if ok, or else fails.
func (s *scanner) expect(ok bool, what string, then func()) {
	if !ok {
		s.fail("expected " + what + ", found " + s.found())
		return
	}
	then()
}

func (s *scanner) next(st state) {
	s.pos++
	s.state = st
}

func (s *scanner) top() *container { return &s.open[len(s.open)-1] }

func (s *scanner) readComma(c byte) {
	array := s.top().array
	switch {
	case c == ',' && array:
		s.next(atValue)
	case c == ',':
		s.next(atName)
	case c == ']' && array, c == '}' && !array:
		s.closeContainer()
	case array:
		s.fail(`expected "," or "]", found ` + s.found())
	default:
		s.fail(`expected "," or "}", found ` + s.found())
	}
}

func (s *scanner) beginValue(c byte) {
	switch {
	case c == '{' || c == '[':
		s.openContainer()
	case c == '"':
		s.beginString()
	case c == '-' || '0' <= c && c <= '9':
		s.token, s.state = s.pos, inNumber
	case c == 't':
		s.beginLiteral("true")
	case c == 'f':
		s.beginLiteral("false")
	case c == 'n':
		s.beginLiteral("null")
	default:
		s.fail("expected a value, found " + s.found())
	}
}

func (s *scanner) openContainer() {
	if len(s.open) == maxDepth {
		s.fail(fmt.Sprintf("nested more than %d deep", maxDepth))
		return
	}
	array := s.text[s.pos] == '['
	s.open = append(s.open, container{array: array})
	s.dirty = true
	if array {
		s.next(atFirstElem)
	} else {
		s.next(atFirstName)
	}
}

func (s *scanner) closeContainer() {
	v := s.close(s.top())
	s.open[len(s.open)-1] = container{}
	s.open = s.open[:len(s.open)-1]
	s.pos++
	s.add(v)
}

// add takes a complete value.
func (s *scanner) add(v any) {
	s.dirty = true
	if len(s.open) == 0 {
		s.root, s.state = v, atEnd
		return
	}
	s.top().add(v)
	s.state = atComma
}

func (s *scanner) readNumber() {
	s.dirty = true
	for s.pos < len(s.text) && isNumberByte(s.text[s.pos]) {
		s.pos++
	}
	if s.pos == len(s.text) {
		return
	}
	number := s.text[s.token:s.pos]
	if numberPrefix(number) < len(number) {
		s.pos = s.token
		s.fail("malformed number " + quoteStart(number))
		return
	}
	s.add(s.number(number))
}

func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}

// numberPrefix returns the length of the longest prefix of s that is a JSON number.
func numberPrefix(s string) int {
	digits := func(i int) int {
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	n := digits(i)
	if n == i {
		return 0
	}
	if s[i] == '0' {
		n = i + 1
	}
	if n < len(s) && s[n] == '.' {
		if end := digits(n + 1); end > n+1 {
			n = end
		} else {
			return n
		}
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		i = n + 1
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if end := digits(i); end > i {
			n = end
		}
	}
	return n
}

func (s *scanner) beginLiteral(literal string) {
	s.token, s.state, s.literal, s.dirty = s.pos, inLiteral, literal, true
}

func (s *scanner) readLiteral() {
	for i := s.pos - s.token; s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] != s.literal[i] {
			s.fail(fmt.Sprintf("expected %s, found %s", s.literal, s.found()))
			return
		}
		if i++; i == len(s.literal) {
			s.pos++
			s.add(s.literalValue())
			return
		}
	}
}

func (s *scanner) literalValue() any {
	if s.literal == "null" {
		return nil
	}
	return s.literal == "true"
}

// openValue returns the value that is being read, as far as it has arrived.
func (s *scanner) openValue() (any, bool) {
	switch s.state {
	case inString:
		return s.stringValue(), true
	case inLiteral:
		return s.literalValue(), true
	case inNumber:
		if n := numberPrefix(s.text[s.token:s.pos]); n > 0 {
			return s.number(s.text[s.token : s.token+n]), true
		}
	}
	return nil, false
}

func (s *scanner) fail(reason string) {
	s.state, s.reason, s.dirty = failed, reason, true
}

// found describes what stands at pos.
func (s *scanner) found() string {
	rest := s.text[s.pos:]
	if end := strings.IndexAny(rest, " \n\t\r"); end > 0 {
		rest = rest[:end]
	}
	return quoteStart(rest)
}

// quoteStart quotes the first few characters of s.
func quoteStart(s string) string {
	const most = 20
	n := 0
	for i := range s {
		if n++; n > most {
			return fmt.Sprintf("%q…", s[:i])
		}
	}
	return fmt.Sprintf("%q", s)
}

// problem says what keeps the text from being a complete object; nil if it is one.
func (s *scanner) problem() error {
	switch {
	case s.state == failed:
		return fmt.Errorf("not valid JSON at byte %d of %d: %s", s.pos, len(s.text), s.reason)
	case s.state == atStart:
		return errors.New("not valid JSON: expected a JSON object, found nothing")
	case s.state != atEnd:
		return fmt.Errorf("the JSON is cut short after %d bytes, %s", len(s.text), s.where())
	}
	return nil
}

// where describes the place at which the text ends.
func (s *scanner) where() string {
	switch s.state {
	case inName, atFirstName, atName:
		return "before the end of an object"
	case atComma:
		return fmt.Sprintf("after the value of %q", s.path())
	case atColon:
		return fmt.Sprintf("before the value of %q", s.path())
	}
	return fmt.Sprintf("inside the value of %q", s.path())
}

// path names the member that is being read, from the root.
func (s *scanner) path() string {
	var b strings.Builder
	for i, c := range s.open {
		if c.array {
			fmt.Fprintf(&b, "[%d]", len(c.elems))
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(c.name)
	}
	return b.String()
}
