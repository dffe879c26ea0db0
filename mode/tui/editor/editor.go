// Package editor is a text that a user writes: several lines, a cursor that goes by what a
// reader sees as one character, history, undo and large pastes. It draws itself for a width
// and knows no terminal.
package editor

import (
	"fmt"
	"strings"

	"github.com/rondo-agent/rondo/internal/term/text"
)

// Editor is the text and the cursor in it. The zero value is empty.
type Editor struct {
	Measure text.Measure

	value string
	pos   int // in bytes, between two characters
	goal  int // the column that Up and Down keep; -1 if none
	width int // of the newest drawing, for Up and Down

	history []string
	at      int    // in history; len(history) is the text that is being written
	draft   string // that text, while history is shown

	undo  []state
	typed bool // the newest change was typing, which is undone by the word
	kill  string

	pastes map[string]string // by marker
	count  int
}

type state struct {
	value string
	pos   int
}

// Value returns the text as it is shown, with markers for large pastes.
func (e *Editor) Value() string { return e.value }

// Text returns the text with all pastes in full.
func (e *Editor) Text() string {
	s := e.value
	for marker, paste := range e.pastes {
		s = strings.ReplaceAll(s, marker, paste)
	}
	return s
}

// Empty reports whether nothing has been written.
func (e *Editor) Empty() bool { return e.value == "" }

// Before returns the text before the cursor.
func (e *Editor) Before() string { return e.value[:e.pos] }

// Set replaces the text; the cursor goes to its end.
func (e *Editor) Set(s string) {
	e.save(false)
	e.value = text.Clean(s)
	e.moveTo(len(e.value))
	e.at = len(e.history)
}

// SetAt replaces the text and puts the cursor into a line, behind so many code points; both
// count from 0.
func (e *Editor) SetAt(s string, line, column int) {
	e.Set(s)
	pos := 0
	for i, l := range strings.Split(e.value, "\n") {
		if i == line {
			pos += len(string([]rune(l)[:min(max(column, 0), len([]rune(l)))]))
			break
		}
		pos += len(l) + 1
	}
	e.moveTo(min(pos, len(e.value)))
}

// Clear empties the editor, also of pastes.
func (e *Editor) Clear() {
	e.Set("")
	e.pastes, e.undo = nil, nil
}

// Insert puts text at the cursor.
func (e *Editor) Insert(s string) {
	s = text.Clean(s)
	if s == "" {
		return
	}
	e.save(len(s) == 1 && s != " " && s != "\n")
	e.value = e.value[:e.pos] + s + e.value[e.pos:]
	e.moveTo(e.pos + len(s))
}

// ReplaceBefore puts text in the place of the n bytes before the cursor.
func (e *Editor) ReplaceBefore(n int, s string) {
	e.save(false)
	n = min(n, e.pos)
	s = text.Clean(s)
	e.value = e.value[:e.pos-n] + s + e.value[e.pos:]
	e.moveTo(e.pos - n + len(s))
}

// What is larger is shown as a marker when it is pasted.
const (
	pasteLines = 10
	pasteBytes = 1000
)

// Paste puts pasted text at the cursor; a large one is shown as a marker.
func (e *Editor) Paste(s string) {
	s = text.Clean(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
	lines := strings.Count(s, "\n") + 1
	if lines <= pasteLines && len(s) <= pasteBytes {
		e.Insert(s)
		e.typed = false
		return
	}
	if e.pastes == nil {
		e.pastes = make(map[string]string)
	}
	e.count++
	marker := fmt.Sprintf("[paste #%d, %d characters]", e.count, len([]rune(s)))
	if lines > pasteLines {
		marker = fmt.Sprintf("[paste #%d, %d lines]", e.count, lines)
	}
	e.pastes[marker] = s
	e.Insert(marker)
}

// save keeps the state before a change. Typing goes on in the state of its first character.
func (e *Editor) save(typing bool) {
	e.goal = -1
	if typing && e.typed && len(e.undo) > 0 {
		return
	}
	e.typed = typing
	e.undo = append(e.undo, state{e.value, e.pos})
	if len(e.undo) > 200 {
		e.undo = e.undo[1:]
	}
}

// Undo takes the newest change back.
func (e *Editor) Undo() {
	if n := len(e.undo); n > 0 {
		e.value, e.pos = e.undo[n-1].value, e.undo[n-1].pos
		e.undo = e.undo[:n-1]
		e.typed, e.goal = false, -1
	}
}

func (e *Editor) moveTo(pos int) { e.pos, e.goal = pos, -1 }

// move is moveTo for the user: typing after it is another change.
func (e *Editor) move(pos int) {
	e.moveTo(pos)
	e.typed = false
}

// remove takes out the text between two places and keeps it for Yank if kept.
func (e *Editor) remove(from, to int, kept bool) {
	if from >= to {
		return
	}
	e.save(false)
	if kept {
		e.kill = e.value[from:to]
	}
	e.value = e.value[:from] + e.value[to:]
	e.moveTo(from)
}

// Left moves a character to the left.
func (e *Editor) Left() { e.move(e.previous(e.pos)) }

// Right moves a character to the right.
func (e *Editor) Right() { e.move(e.next(e.pos)) }

// Backspace removes the character before the cursor, or the marker of a paste as a whole.
func (e *Editor) Backspace() {
	for marker := range e.pastes {
		if strings.HasSuffix(e.value[:e.pos], marker) {
			e.remove(e.pos-len(marker), e.pos, false)
			return
		}
	}
	e.remove(e.previous(e.pos), e.pos, false)
}

// Delete removes the character at the cursor.
func (e *Editor) Delete() { e.remove(e.pos, e.next(e.pos), false) }

// next returns the place behind the character at pos.
func (e *Editor) next(pos int) int {
	if pos >= len(e.value) {
		return pos
	}
	cluster, _ := text.Cluster(e.value[pos:], e.clusters())
	return pos + len(cluster)
}

// previous returns the place before the character that ends at pos. Characters are found
// from the beginning of the line on, since only then their borders are known.
func (e *Editor) previous(pos int) int {
	if pos == 0 {
		return 0
	}
	start := strings.LastIndexByte(e.value[:pos], '\n') + 1
	if start == pos {
		return pos - 1
	}
	for {
		next := e.next(start)
		if next >= pos {
			return start
		}
		start = next
	}
}

// Home goes to the beginning of the line.
func (e *Editor) Home() { e.move(e.lineStart()) }

// End goes to the end of the line.
func (e *Editor) End() { e.move(e.lineEnd()) }

func (e *Editor) lineStart() int { return strings.LastIndexByte(e.value[:e.pos], '\n') + 1 }
func (e *Editor) lineEnd() int {
	if i := strings.IndexByte(e.value[e.pos:], '\n'); i >= 0 {
		return e.pos + i
	}
	return len(e.value)
}

// WordLeft goes to the beginning of a word.
func (e *Editor) WordLeft() { e.move(e.wordStart()) }

// WordRight goes to the end of a word.
func (e *Editor) WordRight() { e.move(e.wordEnd()) }

func (e *Editor) wordStart() int {
	before := strings.TrimRight(e.value[:e.pos], wordBreaks)
	return strings.LastIndexAny(before, wordBreaks) + 1
}

func (e *Editor) wordEnd() int {
	rest := e.value[e.pos:]
	start := len(rest) - len(strings.TrimLeft(rest, wordBreaks))
	if i := strings.IndexAny(rest[start:], wordBreaks); i >= 0 {
		return e.pos + start + i
	}
	return len(e.value)
}

const wordBreaks = " \n\t.,;:/\\()[]{}<>\"'`=+-*&|!?"

// DeleteWordLeft removes what lies before the cursor up to the beginning of a word. Yank
// brings it back.
func (e *Editor) DeleteWordLeft() { e.remove(e.wordStart(), e.pos, true) }

// DeleteWordRight removes what lies behind the cursor up to the end of a word.
func (e *Editor) DeleteWordRight() { e.remove(e.pos, e.wordEnd(), true) }

// DeleteToStart removes the line up to the cursor.
func (e *Editor) DeleteToStart() { e.remove(e.lineStart(), e.pos, true) }

// DeleteToEnd removes the line from the cursor on or, at its end, the line break.
func (e *Editor) DeleteToEnd() {
	end := e.lineEnd()
	if end == e.pos && end < len(e.value) {
		end++ // an empty rest: the line break
	}
	e.remove(e.pos, end, true)
}

// Yank inserts what was removed last.
func (e *Editor) Yank() { e.Insert(e.kill) }
