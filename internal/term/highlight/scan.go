package highlight

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner walks through code once, from left to right. What it has passed without saying
// what it is becomes plain.
type scanner struct {
	lang  *Language
	code  string
	pos   int  // what is before it has been looked at
	done  int  // what is before it has been yielded
	value bool // the piece before pos may be the end of a value, so that / divides
	yield func(Kind, string) bool
	over  bool // there is no reader any more
}

// flush yields what is left before end as plain.
func (s *scanner) flush(end int) {
	if s.done < end && !s.over {
		s.over = !s.yield(Plain, s.code[s.done:end])
	}
	s.done = end
}

// take yields the code from pos to end as a piece and goes on behind it.
func (s *scanner) take(k Kind, end int) {
	if k != Plain && end > s.pos {
		s.flush(s.pos)
		if !s.over {
			s.over = !s.yield(k, s.code[s.pos:end])
		}
		s.done = end
	}
	s.pos = end
}

func (s *scanner) rest() string { return s.code[s.pos:] }

// at reports whether the code goes on with text.
func (s *scanner) at(text string) bool { return strings.HasPrefix(s.rest(), text) }

// find returns where text is next at or after from and before limit, or else limit.
func (s *scanner) find(text string, from, limit int) int {
	if i := strings.Index(s.code[from:limit], text); i >= 0 {
		return from + i
	}
	return limit
}

// lineEnd returns where the line that from is in ends.
func (s *scanner) lineEnd(from int) int { return s.find("\n", from, len(s.code)) }

// lineStart reports whether only white space is before pos on its line.
func (s *scanner) lineStart() bool {
	for i := s.pos - 1; i >= 0; i-- {
		switch s.code[i] {
		case '\n':
			return true
		case ' ', '\t':
			if s.pos-i > maxIndent {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// maxIndent bounds how far the scanner looks back, so that a line of blanks stays cheap.
const maxIndent = 200

// next returns the first character at or after from that is no blank, and where it is; 0 at
// the end of the line, and when that is further than a look ahead goes.
func (s *scanner) next(from int) (byte, int) {
	for i := from; i < len(s.code) && i < from+maxIndent; i++ {
		switch c := s.code[i]; c {
		case ' ', '\t':
		case '\n':
			return 0, i
		default:
			return c, i
		}
	}
	return 0, len(s.code)
}

// words scans languages that are made of words, up to limit.
func (s *scanner) words(limit int) {
	for s.pos < limit && !s.over {
		if s.word(limit) {
			continue
		}
		c := s.code[s.pos]
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			s.value = c == ')' || c == ']' || c == '}'
		}
		s.pos++
	}
	s.pos = limit
}

// word takes the piece at pos; false if nothing special begins there.
func (s *scanner) word(limit int) bool {
	c := s.code[s.pos]
	switch {
	case c == ' ' || c == '\t' || c == '\n':
		return false
	case s.lang.starts[c] && (s.comment(limit) || s.str(limit)):
		return true
	case isDigit(c) || c == '.' && s.pos+1 < limit && isDigit(s.code[s.pos+1]):
		s.take(Number, s.numberEnd(limit))
		s.value = true
		return true
	case c == '#' && (s.lang.preprocessor && s.lineStart() || s.lang.style && s.pos+1 < limit && isHex(s.code[s.pos+1])):
		return s.hash(limit)
	case c == '$' && s.lang.variables:
		return s.variable(limit)
	case c == '@' && s.lang.decorators:
		if end := s.nameEnd(s.pos+1, limit); end > s.pos+1 {
			s.take(Keyword, end)
			return true
		}
	case c == '[' && s.lang.assigned && s.lineStart():
		s.take(Heading, min(s.lineEnd(s.pos), limit))
		return true
	case c == '/' && s.lang.regexps && !s.value:
		return s.regexp(limit)
	}
	return s.name(limit)
}

// comment takes a comment.
func (s *scanner) comment(limit int) bool {
	for _, mark := range s.lang.line {
		if s.at(mark) && (!s.lang.spaced || s.pos == 0 || isBlank(s.code[s.pos-1])) {
			s.take(Comment, min(s.lineEnd(s.pos), limit))
			return true
		}
	}
	for _, marks := range s.lang.block {
		if s.at(marks.open) {
			end := s.find(marks.close, min(s.pos+len(marks.open), limit), limit)
			s.take(Comment, min(end+len(marks.close), limit))
			return true
		}
	}
	return false
}

// str takes a string.
func (s *scanner) str(limit int) bool {
	for i := range s.lang.quotes {
		q := &s.lang.quotes[i]
		if !s.at(q.open) {
			continue
		}
		end, closed := s.strEnd(q, limit)
		if !closed && q.short {
			return false
		}
		kind := String
		if s.lang.keys {
			if c, _ := s.next(end); c == ':' && end < limit {
				kind = Name
			}
		}
		s.take(kind, end)
		s.value = true
		return true
	}
	return false
}

// shortString is how long a character may be written.
const shortString = 12

// strEnd returns where the string at pos ends.
func (s *scanner) strEnd(q *quote, limit int) (end int, closed bool) {
	if q.short {
		limit = min(limit, s.pos+shortString)
	}
	from := s.pos + len(q.open)
	for i := from; i < limit; i++ {
		switch c := s.code[i]; {
		case c == '\\' && !q.raw:
			i++
		case c == '\n' && !q.lines:
			return i, false
		case c == q.close[0] && strings.HasPrefix(s.code[i:limit], q.close):
			one := s.code[from] == '\\' || utf8.RuneCountInString(s.code[from:i]) == 1
			return i + len(q.close), one || !q.short
		}
	}
	return limit, false
}

// numberEnd returns where the number at pos ends; letters and signs of exponents, units and
// bases belong to it.
func (s *scanner) numberEnd(limit int) int {
	i := s.pos + 1
	for i < limit {
		c := s.code[i]
		exponent := (c == '+' || c == '-') && (s.code[i-1]|0x20) == 'e' && !strings.HasPrefix(s.code[s.pos:], "0x")
		dot := c == '.' && i+1 < limit && isDigit(s.code[i+1])
		if !exponent && !dot && c != '_' && c != '%' && !isDigit(c) && !isLetter(c) {
			break
		}
		i++
		if c == '%' {
			break
		}
	}
	return i
}

// hash takes a directive of a preprocessor, or a colour.
func (s *scanner) hash(limit int) bool {
	if !s.lang.preprocessor {
		s.take(Number, s.nameEnd(s.pos+1, limit))
		return true
	}
	_, from := s.next(s.pos + 1)
	s.take(Keyword, max(s.nameEnd(min(from, limit), limit), s.pos+1))
	return true
}

// variable takes $name, ${name}, $(name) and the like.
func (s *scanner) variable(limit int) bool {
	end := s.pos + 1
	if end >= limit {
		return false
	}
	switch c := s.code[end]; {
	case c == '{':
		end = min(s.find("}", end, min(limit, s.lineEnd(end)))+1, limit)
	case c == '(' && s.lang.name == "makefile":
		end = min(s.find(")", end, min(limit, s.lineEnd(end)))+1, limit)
	case strings.IndexByte("@#?*!-$<^", c) >= 0:
		end++
	default:
		end = s.nameEnd(end, limit)
	}
	if end == s.pos+1 {
		return false
	}
	s.take(Name, end)
	s.value = true
	return true
}

// regexp takes a regular expression, which ends on its line.
func (s *scanner) regexp(limit int) bool {
	inClass := false
	for i := s.pos + 1; i < limit; i++ {
		switch s.code[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '\n':
			return false
		case '/':
			if !inClass && i > s.pos+1 {
				s.take(String, s.nameEnd(i+1, limit))
				s.value = true
				return true
			}
		}
		if i > s.pos+maxRegexp {
			return false
		}
	}
	return false
}

// maxRegexp bounds the look ahead for the end of a regular expression.
const maxRegexp = 500

// name takes a name or keyword.
func (s *scanner) name(limit int) bool {
	end := s.nameEnd(s.pos, limit)
	if end == s.pos {
		return false
	}
	word := s.code[s.pos:end]
	kind := s.lang.kind(word)
	if kind == Keyword && s.lang.first && !s.lineStart() {
		kind = Plain
	}
	if s.prefixesString(word, end, limit) {
		return true
	}
	if kind == Plain {
		kind = s.role(end, limit)
	}
	s.value = kind != Keyword || word == "this" || word == "self"
	if kind == Plain {
		s.pos = end
	} else {
		s.take(kind, end)
	}
	return true
}

// prefixesString takes strings such as f"…" in Python and r"…" in Rust.
func (s *scanner) prefixesString(word string, end, limit int) bool {
	if len(word) > 2 || end >= limit || s.code[end] != '"' && s.code[end] != '\'' || strings.Trim(word, "rRbBfFuULc") != "" {
		return false
	}
	start := s.pos
	s.pos = end
	for i := range s.lang.quotes {
		q := s.lang.quotes[i]
		if s.at(q.open) && !q.short {
			q.raw = q.raw || strings.ContainsAny(word, "rR")
			stop, _ := s.strEnd(&q, limit)
			s.pos = start
			s.take(String, stop)
			s.value = true
			return true
		}
	}
	s.pos = start
	return false
}

// role returns what a word is by what follows it.
func (s *scanner) role(end, limit int) Kind {
	if end >= limit {
		return Plain
	}
	c, at := s.next(end)
	switch {
	case c == '(' && s.lang.calls && at == end:
		return Function
	case c == ':' && s.lang.keys && !strings.HasPrefix(s.code[at:], "::") && !strings.HasPrefix(s.code[at:], "://"):
		return Name
	case (c == '=' || c == ':' || c == '+' || c == '?') && s.lang.assigned && s.lineStart():
		return Name
	}
	return Plain
}

// nameEnd returns where the name at from ends; from if there is none.
func (s *scanner) nameEnd(from, limit int) int {
	i := from
	for i < limit {
		c := s.code[i]
		switch {
		case isLetter(c) || c == '_' || i > from && isDigit(c):
			i++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s.code[i:limit])
			if !unicode.IsLetter(r) {
				return i
			}
			i += size
		case strings.IndexByte(s.lang.letters, c) >= 0 && (i > from || c != '-' || s.lang.style):
			i++
		default:
			return i
		}
	}
	return i
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' }
