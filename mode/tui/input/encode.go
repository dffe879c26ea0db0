package input

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/text"
)

// sequences are what terminals send for keys without modifiers.
var sequences = map[rune]string{
	tea.KeyUp: "\x1b[A", tea.KeyDown: "\x1b[B", tea.KeyRight: "\x1b[C", tea.KeyLeft: "\x1b[D",
	tea.KeyHome: "\x1b[H", tea.KeyEnd: "\x1b[F", tea.KeyInsert: "\x1b[2~", tea.KeyDelete: "\x1b[3~",
	tea.KeyPgUp: "\x1b[5~", tea.KeyPgDown: "\x1b[6~",
	tea.KeyF1: "\x1bOP", tea.KeyF2: "\x1bOQ", tea.KeyF3: "\x1bOR", tea.KeyF4: "\x1bOS",
	tea.KeyF5: "\x1b[15~", tea.KeyF6: "\x1b[17~", tea.KeyF7: "\x1b[18~", tea.KeyF8: "\x1b[19~",
	tea.KeyF9: "\x1b[20~", tea.KeyF10: "\x1b[21~", tea.KeyF11: "\x1b[23~", tea.KeyF12: "\x1b[24~",
	tea.KeyEnter: "\r", tea.KeyKpEnter: "\r", tea.KeyTab: "\t", tea.KeyEscape: "\x1b", tea.KeyBackspace: "\x7f", tea.KeySpace: " ",
}

// control is what terminals send for ctrl and a sign.
var control = map[rune]string{'_': "\x1f", '-': "\x1f", '/': "\x1f", ']': "\x1d", '\\': "\x1c", '^': "\x1e", '@': "\x00"}

// Encode returns what a terminal sends for a key: components of extensions read that.
func Encode(k tea.KeyPressMsg) string {
	mod := k.Mod & (tea.ModShift | tea.ModAlt | tea.ModCtrl | tea.ModSuper)
	if k.Text != "" && mod&^tea.ModShift == 0 {
		return k.Text
	}
	seq, special := sequences[k.Code]
	switch {
	case special && mod == 0:
		return seq
	case k.Code == tea.KeyTab && mod == tea.ModShift:
		return "\x1b[Z"
	case special && strings.HasPrefix(seq, "\x1b") && seq != "\x1b":
		return modified(seq, mod)
	case special && mod == tea.ModAlt:
		return "\x1b" + seq
	case !special && mod == tea.ModCtrl && k.Code >= 'a' && k.Code <= 'z':
		return string(k.Code & 0x1f)
	case !special && mod == tea.ModCtrl && control[k.Code] != "":
		return control[k.Code]
	case !special && mod == tea.ModAlt && k.Code < 0x80:
		return "\x1b" + string(k.Code)
	case !special && mod == tea.ModAlt|tea.ModCtrl && k.Code >= 'a' && k.Code <= 'z':
		return "\x1b" + string(k.Code&0x1f)
	}
	code := k.Code
	if special {
		code = []rune(seq)[0]
	}
	return "\x1b[" + strconv.Itoa(int(code)) + ";" + strconv.Itoa(modifier(mod)) + "u" // as kitty writes all others
}

// modified adds modifiers to a sequence.
func modified(seq string, mod tea.KeyMod) string {
	m := strconv.Itoa(modifier(mod))
	last := seq[len(seq)-1:]
	if rest, ok := strings.CutSuffix(seq, "~"); ok {
		return rest + ";" + m + "~"
	}
	return "\x1b[1;" + m + last
}

// modifier is how terminals write modifiers.
func modifier(mod tea.KeyMod) int {
	n := 1
	for _, m := range []struct {
		mod tea.KeyMod
		bit int
	}{{tea.ModShift, 1}, {tea.ModAlt, 2}, {tea.ModCtrl, 4}, {tea.ModSuper, 8}} {
		if mod&m.mod != 0 {
			n += m.bit
		}
	}
	return n
}

// Decode makes a key of what an extension has changed it to; false if it is none.
func Decode(data string) (tea.KeyPressMsg, bool) {
	for code, seq := range sequences {
		if seq == data {
			return tea.KeyPressMsg{Code: code, Text: textOf(seq)}, true
		}
	}
	runes := []rune(data)
	switch {
	case len(runes) == 1 && runes[0] < 0x20:
		return tea.KeyPressMsg{Code: runes[0] + 0x60, Mod: tea.ModCtrl}, true
	case len(runes) == 2 && runes[0] == 0x1b && runes[1] >= 0x20:
		return tea.KeyPressMsg{Code: runes[1], Mod: tea.ModAlt}, true
	case len(runes) > 0 && runes[0] >= 0x20 && runes[0] != 0x7f:
		return tea.KeyPressMsg{Code: runes[0], Text: data}, true
	}
	return tea.KeyPressMsg{}, false
}

func textOf(seq string) string {
	if seq == " " {
		return seq
	}
	return ""
}

// EncodeEvent is [Encode] for something else than a press, as kitty's protocol writes it: 2 is a
// repetition, 3 a release.
func EncodeEvent(k tea.Key, event int) string {
	m := strconv.Itoa(modifier(k.Mod&(tea.ModShift|tea.ModAlt|tea.ModCtrl|tea.ModSuper))) + ":" + strconv.Itoa(event)
	seq, special := sequences[k.Code]
	switch {
	case special && strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "~"):
		return strings.TrimSuffix(seq, "~") + ";" + m + "~"
	case special && len(seq) > 1:
		return "\x1b[1;" + m + seq[len(seq)-1:]
	case special:
		return "\x1b[" + strconv.Itoa(int(seq[0])) + ";" + m + "u"
	}
	return "\x1b[" + strconv.Itoa(int(k.Code)) + ";" + m + "u"
}

// EncodePaste returns what a terminal sends for a paste.
func EncodePaste(s string) string { return "\x1b[200~" + text.Clean(s) + "\x1b[201~" }
