package jsonl

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// scanner looks at one line of a session file after another, in pieces of any size, and
// keeps nothing of it but its head: so lines of any length take no memory, and nothing is
// decoded that nobody has asked for.
//
// It knows what is certainly an entry. It gives up on anything else, such as escapes in an
// id, which may be an entry all the same: see transcript.DecodeHead.
type scanner struct {
	state  state
	rest   string // of a literal
	digits int    // of an escape that are still to come
	depth  int
	arrays uint64 // a bit for each level that is an array
	name   bool   // the string is a name
	field  field  // whose value comes, on the first level
	text   []byte // the string, as far as it matters
	taking bool

	pos        int64 // in the line
	begin, end int64 // of the object
	typ        []byte
	id, parent []byte
}

// state is what the scanner expects.
type state uint8

const (
	atBegin   state = iota // the object
	atEnd                  // nothing more
	atValue                // a value
	atElement              // a value or the end of the array
	atMember               // a name or the end of the object
	atName                 // a name
	atColon                // the colon behind a name
	atNext                 // a comma, or the end of the object or array
	inString
	inEscape
	inDigits
	inLiteral
	inMinus // what of a number has been seen
	inZero
	inInteger
	inPoint
	inFraction
	inE
	inSign
	inExponent
	unsure
)

// field is a member of an entry that its head consists of.
type field uint8

const (
	other field = iota
	fieldType
	fieldID
	fieldParent
)

const (
	maxDepth = 64
	// maxText is how much of a name or an id is looked at.
	maxText = 200
)

// reset begins a line.
func (s *scanner) reset() {
	*s = scanner{text: s.text[:0], typ: s.typ[:0], id: s.id[:0], parent: s.parent[:0]}
}

// found reports whether the line is an entry.
func (s *scanner) found() bool { return s.state == atEnd && len(s.typ) > 0 }

// feed takes the next piece of the line.
func (s *scanner) feed(piece []byte) {
	for i := 0; i < len(piece) && s.state != unsure; {
		if s.state == inString {
			if i += s.inside(piece[i:]); i == len(piece) {
				break
			}
		}
		if s.step(piece[i], s.pos+int64(i)) {
			i++
		}
	}
	s.pos += int64(len(piece))
}

// step takes the byte at pos; false means that the byte has ended a number and is to be
// looked at again.
func (s *scanner) step(c byte, pos int64) bool {
	switch s.state {
	case inString:
		s.special(c)
	case inEscape:
		s.escape(c)
	case inDigits:
		s.digit(c)
	case inLiteral:
		s.literal(c)
	case inMinus, inZero, inInteger, inPoint, inFraction, inE, inSign, inExponent:
		return s.number(c)
	default:
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			s.structure(c, pos)
		}
	}
	return true
}

// structure takes a byte that belongs to no value but begins one or stands between two.
func (s *scanner) structure(c byte, pos int64) {
	switch {
	case s.state == atBegin && c == '{':
		s.begin = pos
		s.open(false)
	case s.state == atColon && c == ':':
		s.state = atValue
	case s.state == atNext && c == ',':
		s.state = atName
		if s.inArray() {
			s.state = atValue
		}
	case (s.state == atNext || s.state == atMember) && c == '}' && !s.inArray(),
		(s.state == atNext || s.state == atElement) && c == ']' && s.inArray():
		s.close(pos)
	case (s.state == atMember || s.state == atName) && c == '"':
		s.startString(true)
	case s.state == atValue || s.state == atElement:
		s.value(c)
	default:
		s.state = unsure
	}
}

func (s *scanner) inArray() bool { return s.arrays&(1<<s.depth) != 0 }

func (s *scanner) open(array bool) {
	if s.depth++; s.depth == maxDepth {
		s.state = unsure
		return
	}
	s.arrays &^= 1 << s.depth
	s.state = atMember
	if array {
		s.arrays |= 1 << s.depth
		s.state = atElement
	}
}

func (s *scanner) close(pos int64) {
	s.state = atNext
	if s.depth--; s.depth == 0 {
		s.state, s.end = atEnd, pos+1
	}
}

// value begins a value.
func (s *scanner) value(c byte) {
	if s.depth == 1 && s.field != other && c != '"' && (c != 'n' || s.field == fieldType) {
		s.state = unsure // ids are strings or null
		return
	}
	switch {
	case c == '"':
		s.startString(false)
	case c == '{', c == '[':
		s.open(c == '[')
	case c == 't':
		s.state, s.rest = inLiteral, "rue"
	case c == 'f':
		s.state, s.rest = inLiteral, "alse"
	case c == 'n':
		s.state, s.rest = inLiteral, "ull"
		s.setField(nil)
	case c == '-':
		s.state = inMinus
	case c == '0':
		s.state = inZero
	case '1' <= c && c <= '9':
		s.state = inInteger
	default:
		s.state = unsure
	}
}

func (s *scanner) startString(name bool) {
	s.state, s.name, s.text = inString, name, s.text[:0]
	s.taking = s.depth == 1 && (name || s.field != other)
}

// inside passes over what of a string needs no step, and returns how much that is.
func (s *scanner) inside(text []byte) int {
	i := plain(text)
	if s.taking {
		s.text = append(s.text, text[:min(i, maxText+1-len(s.text))]...)
		return i
	}
	for i+1 < len(text) && text[i] == '\\' && isEscape(text[i+1]) {
		i += 2
		i += plain(text[i:])
	}
	return i
}

// isEscape reports whether c behind a backslash is a whole escape.
func isEscape(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// special takes a byte of a string that is not plain.
func (s *scanner) special(c byte) {
	switch {
	case c == '"':
		s.endString()
	case c == '\\' && !s.taking:
		s.state = inEscape
	default:
		s.state = unsure
	}
}

func (s *scanner) endString() {
	if s.state = atNext; s.name {
		s.state = atColon
	}
	if !s.taking {
		return
	}
	if s.name {
		s.field = fieldOf(s.text)
		return
	}
	if len(s.text) > maxText || slices.ContainsFunc(s.text, func(c byte) bool { return c > '~' }) {
		s.state = unsure
		return
	}
	s.setField(s.text)
}

func fieldOf(name []byte) field {
	switch string(name) {
	case "type":
		return fieldType
	case "id":
		return fieldID
	case "parentId":
		return fieldParent
	}
	return other
}

// setField takes the value of a field of the head; the last one counts.
func (s *scanner) setField(value []byte) {
	if s.depth > 1 {
		return
	}
	switch s.field {
	case fieldType:
		s.typ = append(s.typ[:0], value...)
	case fieldID:
		s.id = append(s.id[:0], value...)
	case fieldParent:
		s.parent = append(s.parent[:0], value...)
	case other:
	}
}

func (s *scanner) escape(c byte) {
	switch {
	case isEscape(c):
		s.state = inString
	case c == 'u':
		s.state, s.digits = inDigits, 4
	default:
		s.state = unsure
	}
}

func (s *scanner) digit(c byte) {
	isDigit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	if s.digits--; !isDigit {
		s.state = unsure
	} else if s.digits == 0 {
		s.state = inString
	}
}

func (s *scanner) literal(c byte) {
	if c != s.rest[0] {
		s.state = unsure
		return
	}
	if s.rest = s.rest[1:]; s.rest == "" {
		s.state = atNext
	}
}

// number takes a byte of a number; false means that it is behind it.
func (s *scanner) number(c byte) bool {
	next := unsure
	switch isDigit := '0' <= c && c <= '9'; {
	case s.state == inMinus && c == '0':
		next = inZero
	case (s.state == inMinus || s.state == inInteger) && isDigit:
		next = inInteger
	case (s.state == inPoint || s.state == inFraction) && isDigit:
		next = inFraction
	case (s.state == inE || s.state == inSign || s.state == inExponent) && isDigit:
		next = inExponent
	case (s.state == inZero || s.state == inInteger) && c == '.':
		next = inPoint
	case (s.state == inZero || s.state == inInteger || s.state == inFraction) && (c == 'e' || c == 'E'):
		next = inE
	case s.state == inE && (c == '+' || c == '-'):
		next = inSign
	case s.state == inZero, s.state == inInteger, s.state == inFraction, s.state == inExponent:
		s.state = atNext
		return false
	}
	s.state = next
	return true
}

// plain returns how many bytes of a string come before a quote, a backslash or a control
// character. It looks at eight at a time: most of a session is inside strings.
func plain(text []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if found := ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8 // exact for the lowest
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}
