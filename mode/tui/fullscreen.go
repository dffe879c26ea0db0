package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// view is what of the conversation is seen in full screen.
type view struct {
	// top is the block at the top of the screen, from its line on; nil follows the end.
	top  *chat.Block
	line int
	rows int // of the newest drawing
}

// wheelLines is how far the mouse's wheel goes.
const wheelLines = 3

// wholeScreen reports whether the whole screen is taken.
func (a *app) wholeScreen() bool { return a.opts.FullScreen && !a.alone }

// whole draws the conversation as far as there is room for it, and what stands below it at the
// bottom of the screen.
func (a *app) whole() *screen.Frame {
	bottom, x, y := a.bottom()
	a.view.rows = max(a.height-len(bottom), 0)
	lines := a.seen()
	for len(lines) < a.view.rows {
		lines = append(lines, "")
	}
	f := &screen.Frame{X: x, Y: len(lines) + y, Full: true, Wheel: true}
	f.Live = a.illustrated(append(lines, bottom...))
	return f
}

// seen draws what is seen of the conversation.
func (a *app) seen() []string {
	blocks := a.transcript.Blocks()
	from := slices.Index(blocks, a.view.top)
	if from < 0 {
		a.view.top = nil
		return a.tail(blocks, len(blocks), a.view.rows)
	}
	lines := text.Strings(a.spaced(blocks, from))
	lines = lines[min(a.view.line, len(lines)):]
	for i := from + 1; i < len(blocks) && len(lines) <= a.view.rows; i++ {
		lines = append(lines, text.Strings(a.spaced(blocks, i))...)
	}
	if len(lines) <= a.view.rows { // the end is seen
		a.view.top = nil
		return a.tail(blocks, len(blocks), a.view.rows)
	}
	lines = lines[:a.view.rows]
	if n := len(lines); n > 1 {
		hint := "── more below "
		if keys := a.opts.Keys.Keys("tui.altScreen.bottom"); len(keys) > 0 {
			hint += "(" + keys[0] + ") "
		}
		hint += strings.Repeat("─", max(a.width-text.Width(hint, a.measure), 0))
		lines[n-1] = text.Plain(hint, a.theme.Style(theme.Dim)).Cut(a.width, "", a.measure).String()
	}
	return lines
}

// scroll goes n lines down, or up.
func (a *app) scroll(n int) {
	blocks := a.transcript.Blocks()
	at := slices.Index(blocks, a.view.top)
	if at < 0 {
		if n >= 0 {
			return
		}
		at, a.view.line = len(blocks), -a.view.rows
	}
	a.view.line += n
	for a.view.line < 0 && at > 0 {
		at--
		a.view.line += len(a.spaced(blocks, at))
	}
	for at < len(blocks) && a.view.line >= len(a.spaced(blocks, at)) {
		a.view.line -= len(a.spaced(blocks, at))
		at++
	}
	a.view.line = max(a.view.line, 0)
	a.view.top = nil
	if at < len(blocks) {
		a.view.top = blocks[at]
	}
}

// toPrompt goes to a message of the person above the top of the screen, or below it.
func (a *app) toPrompt(step int) {
	blocks := a.transcript.Blocks()
	at := slices.Index(blocks, a.view.top)
	if at < 0 {
		a.scroll(-1) // finds the top
		if at = slices.Index(blocks, a.view.top); at < 0 {
			return
		}
	}
	if step < 0 && a.view.line > 0 {
		at++ // of a message that is seen in part, the beginning
	}
	for at += step; at >= 0 && at < len(blocks); at += step {
		if blocks[at].Kind == chat.User {
			a.view.top, a.view.line = blocks[at], 0
			return
		}
	}
	if step > 0 {
		a.view.top = nil
	}
}

// scrolls are what keys do with the conversation in full screen.
var scrolls = map[string]func(*app){
	"tui.altScreen.pageUp":         func(a *app) { a.scroll(-max(a.view.rows-1, 1)) },
	"tui.altScreen.pageDown":       func(a *app) { a.scroll(max(a.view.rows-1, 1)) },
	"tui.altScreen.halfPageUp":     func(a *app) { a.scroll(-max(a.view.rows/2, 1)) },
	"tui.altScreen.halfPageDown":   func(a *app) { a.scroll(max(a.view.rows/2, 1)) },
	"tui.altScreen.lineUp":         func(a *app) { a.scroll(-1) },
	"tui.altScreen.lineDown":       func(a *app) { a.scroll(1) },
	"tui.altScreen.previousPrompt": func(a *app) { a.toPrompt(-1) },
	"tui.altScreen.nextPrompt":     func(a *app) { a.toPrompt(1) },
	"tui.altScreen.top":            func(a *app) { a.scroll(-1 << 30) },
	"tui.altScreen.bottom":         func(a *app) { a.view.top = nil },
}

// wheel scrolls by the mouse.
func (a *app) wheel(m tea.MouseWheelMsg) {
	switch {
	case !a.wholeScreen():
	case m.Button == tea.MouseWheelUp:
		a.scroll(-wheelLines)
	case m.Button == tea.MouseWheelDown:
		a.scroll(wheelLines)
	}
}
