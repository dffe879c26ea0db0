package gitignore

import "strings"

// set is a set of bytes.
type set [4]uint64

func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }

func (s *set) addRange(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s.add(byte(c))
	}
}

func (s *set) negate() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// named are the POSIX classes as ranges of ASCII.
var named = map[string]string{
	"alnum":  "09AZaz",
	"alpha":  "AZaz",
	"blank":  "\t\t  ",
	"cntrl":  "\x00\x1f\x7f\x7f",
	"digit":  "09",
	"graph":  "!~",
	"lower":  "az",
	"print":  " ~",
	"punct":  "!/:@[`{~",
	"space":  "\t\r  ",
	"upper":  "AZ",
	"xdigit": "09AFaf",
}

// parseSet reads a bracket expression at the start of p. The size is 0 if it does not end
// or names a class that does not exist.
func parseSet(p string) (*set, int) {
	s, i := new(set), 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev := -1 // what a range could begin with
	for first := true; i < len(p); first = false {
		if p[i] == ']' && !first {
			if negated {
				s.negate()
			}
			return s, i + 1
		}
		size := s.element(p[i:], &prev)
		if size == 0 {
			return nil, 0
		}
		i += size
	}
	return nil, 0
}

// element adds the byte, range or named class at the start of p and returns its length.
func (s *set) element(p string, prev *int) int {
	if p[0] == '-' && *prev >= 0 && len(p) > 1 && p[1] != ']' {
		to, size := char(p[1:])
		if size > 0 {
			s.addRange(byte(*prev), to)
			*prev = -1
			size++
		}
		return size
	}
	if strings.HasPrefix(p, "[:") {
		end := strings.IndexByte(p[2:], ']')
		if end < 0 {
			return 0
		}
		if name, ok := strings.CutSuffix(p[2:2+end], ":"); ok {
			*prev = -1
			return s.addNamed(name, len("[:]")+end)
		}
	}
	c, size := char(p)
	s.add(c)
	*prev = int(c)
	return size
}

func (s *set) addNamed(name string, size int) int {
	ranges, ok := named[name]
	if !ok {
		return 0
	}
	for i := 0; i < len(ranges); i += 2 {
		s.addRange(ranges[i], ranges[i+1])
	}
	return size
}

// char reads one byte, which a backslash may escape.
func char(p string) (byte, int) {
	switch {
	case p[0] != '\\':
		return p[0], 1
	case len(p) == 1:
		return 0, 0
	}
	return p[1], 2
}
