package keys

import "strings"

// fixed are sequences that mean one key wherever they come from.
var fixed = map[string][]string{
	"\x1b": {"escape", "ctrl+["}, "\r": {"enter", "ctrl+m"}, "\t": {"tab", "ctrl+i"}, " ": {"space"},
	"\x7f": {"backspace"}, "\b": {"backspace", "ctrl+h"}, "\x00": {"ctrl+space"},
	"\x1c": {"ctrl+\\"}, "\x1d": {"ctrl+]"}, "\x1f": {"ctrl+-", "ctrl+_"},
	"\x1bOM": {"enter"}, "\x1b[Z": {"shift+tab"}, "\x1b[E": {"clear"}, "\x1bOE": {"clear"},
	"\x1b\x7f": {"alt+backspace"}, "\x1b\b": {"alt+backspace", "ctrl+alt+h"},
	"\x1b\x1b": {"ctrl+alt+["},
	"\x1bb":    {"alt+left", "alt+b"}, "\x1bf": {"alt+right", "alt+f"},
	"\x1bp": {"alt+up", "alt+p"}, "\x1bn": {"alt+down", "alt+n"},
}

// cursor are the final bytes of cursor and function keys.
var cursor = map[byte]string{
	'A': "up", 'B': "down", 'C': "right", 'D': "left", 'H': "home", 'F': "end", 'E': "clear",
	'P': "f1", 'Q': "f2", 'R': "f3", 'S': "f4",
}

// tilde are the numbers of sequences that end with a tilde.
var tilde = map[int]string{
	1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
	11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9",
	21: "f10", 23: "f11", 24: "f12",
}

// legacy returns the names of what terminals sent before there were protocols.
func legacy(data string, kitty bool) []string {
	switch {
	case data == "\n" && kitty:
		return []string{"shift+enter", "ctrl+j"}
	case data == "\n":
		return []string{"enter", "ctrl+j"}
	case data == "\x1b\r" && kitty:
		return []string{"shift+enter"}
	case data == "\x1b\r":
		return []string{"alt+enter", "ctrl+alt+m"}
	}
	if names := fixed[data]; names != nil {
		return names
	}
	switch {
	case len(data) == 1:
		return single(data[0])
	case len(data) == 2 && data[0] == 0x1b:
		return withAlt(data[1])
	case strings.HasPrefix(data, "\x1bO") && len(data) == 3:
		return applicationMode(data[2])
	case strings.HasPrefix(data, "\x1b[[") && len(data) == 4 && data[3] >= 'A' && data[3] <= 'E':
		return []string{tilde[11+int(data[3]-'A')]} // Linux console: [[A is F1
	case strings.HasPrefix(data, "\x1b[") && len(data) == 3 && data[2] >= 'a' && data[2] <= 'e':
		return prefixed("shift+", cursor[data[2]-'a'+'A']) // rxvt
	case strings.HasPrefix(data, "\x1b["):
		return rxvtTilde(data[2:])
	}
	return nil
}

// single reads one byte.
func single(b byte) []string {
	switch {
	case b >= 1 && b <= 26:
		return []string{"ctrl+" + string(rune('a'+b-1))}
	case b >= 'A' && b <= 'Z':
		return []string{"shift+" + strings.ToLower(string(rune(b)))}
	case b > ' ' && b < 0x7f:
		return []string{string(rune(b))}
	}
	return nil
}

// withAlt reads what follows an escape.
func withAlt(b byte) []string {
	switch {
	case b >= 'A' && b <= 'Z':
		return nil
	case b == ' ':
		return []string{"alt+space"}
	case b == 0 || b >= 0x1c && b < ' ':
		return prefixed("alt+", first(fixed[string(rune(b))]))
	case b >= 1 && b <= 26:
		return []string{"ctrl+alt+" + string(rune('a'+b-1))}
	case b > ' ' && b < 0x7f:
		return []string{"alt+" + string(rune(b))}
	}
	return nil
}

// applicationMode reads the byte after ESC O.
func applicationMode(b byte) []string {
	if b >= 'a' && b <= 'e' {
		return prefixed("ctrl+", cursor[b-'a'+'A']) // rxvt
	}
	return prefixed("", cursor[b])
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

func prefixed(modifier, base string) []string {
	if base == "" {
		return nil
	}
	return []string{modifier + base}
}

// rxvtTilde reads "3$" (shift) and "3^" (control).
func rxvtTilde(body string) []string {
	if body == "" {
		return nil
	}
	number, ok := atoi(body[:len(body)-1])
	if !ok {
		return nil
	}
	switch body[len(body)-1] {
	case '$':
		return prefixed("shift+", tilde[number])
	case '^':
		return prefixed("ctrl+", tilde[number])
	}
	return nil
}
