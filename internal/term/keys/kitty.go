package keys

import (
	"strconv"
	"strings"
	"unicode"
)

// keypad are the code points by which the kitty protocol names the keys of the number block.
var keypad = map[int]string{
	57399: "0", 57400: "1", 57401: "2", 57402: "3", 57403: "4", 57404: "5", 57405: "6", 57406: "7",
	57407: "8", 57408: "9", 57409: ".", 57410: "/", 57411: "*", 57412: "-", 57413: "+", 57414: "enter",
	57415: "=", 57416: ",", 57417: "left", 57418: "right", 57419: "up", 57420: "down", 57421: "pageup",
	57422: "pagedown", 57423: "home", 57424: "end", 57425: "insert", 57426: "delete", 57427: "clear",
}

// named are code points whose keys have names.
var named = map[int]string{
	8: "backspace", 9: "tab", 10: "enter", 13: "enter", 27: "escape", 32: "space", 127: "backspace",
}

// parseEscape reads sequences with numbers: kitty's, xterm's with modifiers, modifyOtherKeys.
func parseEscape(data string) (Key, bool) {
	body, ok := strings.CutPrefix(data, "\x1b[")
	if !ok || len(body) < 1 {
		return Key{}, false
	}
	final := body[len(body)-1]
	params := strings.Split(body[:len(body)-1], ";")
	if _, ok := atoi(params[0]); !ok && params[0] != "" && final != 'u' {
		return Key{}, false
	}
	switch {
	case final == 'u':
		return parseUnicode(params)
	case final == '~' && len(params) == 3 && params[0] == "27":
		return parseOther(params)
	case final == '~':
		number, ok := atoi(params[0])
		if !ok {
			return Key{}, false
		}
		return special(tilde[number], params)
	case cursor[final] != "":
		return special(cursor[final], params)
	}
	return Key{}, false
}

// special reads a key which is not a character.
func special(base string, params []string) (Key, bool) {
	bits, event, ok := state(params)
	if base == "" || !ok || len(params) > 2 {
		return Key{}, false
	}
	return key(base, bits, event), true
}

func key(base string, bits int, event Event) Key {
	name := withModifiers(bits, base)
	return Key{Name: display(name), Names: []string{name}, Event: event}
}

// state reads the second parameter: modifiers, and what happened.
func state(params []string) (bits int, event Event, ok bool) {
	if len(params) < 2 {
		return 0, Press, true
	}
	mods, what, _ := strings.Cut(params[1], ":")
	if mods == "" {
		mods = "1"
	}
	n, ok := atoi(mods)
	if !ok || n < 1 {
		return 0, "", false
	}
	switch what {
	case "", "1":
		event = Press
	case "2":
		event = Repeat
	case "3":
		event = Release
	default:
		return 0, "", false
	}
	bits = (n - 1) &^ locks
	return bits, event, bits < 16
}

// parseUnicode reads "code:shifted:base;modifiers:event;text u".
func parseUnicode(params []string) (Key, bool) {
	bits, event, ok := state(params)
	codes := strings.Split(params[0], ":")
	code, isNumber := atoi(codes[0])
	if !ok || !isNumber {
		return Key{}, false
	}
	k := Key{Event: event, Text: typed(codes, code, bits)}
	base := keyOf(code)
	if base == "" && len(codes) > 2 {
		if layout, ok := atoi(codes[2]); ok {
			base = keyOf(layout) // the key that sits there on a Latin keyboard
		}
	}
	if base == "" {
		return k, true
	}
	name := withModifiers(bits, base)
	k.Name, k.Names = display(name), []string{name}
	return k, true
}

// parseOther reads xterm's modifyOtherKeys, "27;modifiers;code~".
func parseOther(params []string) (Key, bool) {
	bits, event, ok := state(params[:2])
	code, isNumber := atoi(params[2])
	if !ok || !isNumber {
		return Key{}, false
	}
	base := keyOf(int(unicode.ToLower(rune(code))))
	if base == "" {
		return Key{}, false
	}
	return key(base, bits, event), true
}

// keyOf names the key of a code point; "" if it is on no Latin keyboard.
func keyOf(code int) string {
	if name := named[code]; name != "" {
		return name
	}
	if name := keypad[code]; name != "" {
		return name
	}
	if code > 32 && code < 127 {
		return strings.ToLower(string(rune(code)))
	}
	return ""
}

// typed returns the character that a key types, with shift at most.
func typed(codes []string, code, bits int) string {
	if bits&^1 != 0 {
		return ""
	}
	if bits&1 != 0 && len(codes) > 1 {
		if shifted, ok := atoi(codes[1]); ok {
			code = shifted
		}
	}
	if name := keypad[code]; name != "" {
		if len(name) == 1 {
			return name
		}
		return ""
	}
	if code < 32 || code == 127 || code >= 0xe000 && code < 0xf900 || code > unicode.MaxRune {
		return ""
	}
	return string(rune(code))
}

// atoi reads digits alone.
func atoi(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && s[0] != '+'
}
