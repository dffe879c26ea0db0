package input

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// encodedKey matches a key as terminals write it that encode all keys: kitty's form, and that of
// xterm's modifyOtherKeys.
var encodedKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b\[(?:(\d+)(?:;(\d+))?u|27;(\d+);(\d+)~)`)
})

// Pasted returns the text of a paste. tmux encodes the control characters of a paste as keys where
// it encodes keys (extended-keys-format csi-u), so that a line break comes as enter or ctrl+j.
func Pasted(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	return encodedKey().ReplaceAllStringFunc(s, func(seq string) string {
		m := encodedKey().FindStringSubmatch(seq)
		code, mod := m[1], m[2]
		if code == "" {
			code, mod = m[4], m[3]
		}
		return typed(code, mod)
	})
}

// typed is the character that a key types; empty if it types none.
func typed(code, mod string) string {
	n, err := strconv.Atoi(code)
	if err != nil || n > 0x10ffff {
		return ""
	}
	switch {
	case mod == "5" && n >= 'a' && n <= 'z': // ctrl and a letter stand for a control character
		n &= 0x1f
	case mod != "" && mod != "1" && mod != "2": // a key with another modifier is no text
		return ""
	}
	switch {
	case n == '\r' || n == '\n':
		return "\n"
	case n == '\t' || n >= ' ' && n != 0x7f:
		return string(rune(n))
	}
	return ""
}
