package view

import (
	"slices"
	"strings"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// position is what of the conversation is seen in full screen.
type position struct {
	// top is the block at the top of the screen, from its line on; nil follows the end.
	top  *chat.Block
	line int
	rows int // of the newest drawing
}

// Whole draws the conversation as far as there is room for it, and what stands below it at the
// bottom of the screen. toEnd names the key that leads to the end; it may be empty.
func (c *Conversation) Whole(bottom Bottom, toEnd string) *screen.Frame {
	c.covered, c.redraw = true, redrawNothing
	c.at.rows = max(c.Height-len(bottom.Lines), 0)
	lines := c.seen(toEnd)
	for len(lines) < c.at.rows {
		lines = append(lines, "")
	}
	f := &screen.Frame{X: bottom.X, Y: len(lines) + bottom.Y, Full: true, Wheel: true}
	f.Live = c.Resolve(append(lines, bottom.Lines...), false)
	return f
}

// seen draws what is seen of the conversation.
func (c *Conversation) seen(toEnd string) []string {
	blocks := c.Chat.Blocks()
	from := slices.Index(blocks, c.at.top)
	if from < 0 {
		c.at.top = nil
		return c.tail(blocks, len(blocks), c.at.rows)
	}
	lines := text.Strings(c.spaced(blocks, from))
	lines = lines[min(c.at.line, len(lines)):]
	for i := from + 1; i < len(blocks) && len(lines) <= c.at.rows; i++ {
		lines = append(lines, text.Strings(c.spaced(blocks, i))...)
	}
	if len(lines) <= c.at.rows { // the end is seen
		c.at.top = nil
		return c.tail(blocks, len(blocks), c.at.rows)
	}
	lines = lines[:c.at.rows]
	if n := len(lines); n > 1 {
		lines[n-1] = c.more(toEnd)
	}
	return lines
}

// more says that the end is below.
func (c *Conversation) more(toEnd string) string {
	hint := "── more below "
	if toEnd != "" {
		hint += "(" + toEnd + ") "
	}
	hint += strings.Repeat("─", max(c.Width-c.Ink.Width(hint), 0))
	return c.Dim(hint).Cut(c.Painter.Width, "", c.Measure).String()
}

// Scroll goes n lines down, or up.
func (c *Conversation) Scroll(n int) {
	blocks := c.Chat.Blocks()
	at := slices.Index(blocks, c.at.top)
	if at < 0 {
		if n >= 0 {
			return
		}
		at, c.at.line = len(blocks), -c.at.rows
	}
	c.at.line += n
	for c.at.line < 0 && at > 0 {
		at--
		c.at.line += len(c.spaced(blocks, at))
	}
	for at < len(blocks) && c.at.line >= len(c.spaced(blocks, at)) {
		c.at.line -= len(c.spaced(blocks, at))
		at++
	}
	c.at.line = max(c.at.line, 0)
	c.at.top = nil
	if at < len(blocks) {
		c.at.top = blocks[at]
	}
}

// ScrollPrompt goes to a message of the user above the top of the screen, or below it.
func (c *Conversation) ScrollPrompt(step int) {
	blocks := c.Chat.Blocks()
	at := slices.Index(blocks, c.at.top)
	if at < 0 {
		c.Scroll(-1) // finds the top
		if at = slices.Index(blocks, c.at.top); at < 0 {
			return
		}
	}
	if step < 0 && c.at.line > 0 {
		at++ // of a message that is seen in part, the beginning
	}
	for at += step; at >= 0 && at < len(blocks); at += step {
		if blocks[at].Kind == chat.User {
			c.at.top, c.at.line = blocks[at], 0
			return
		}
	}
	if step > 0 {
		c.at.top = nil
	}
}

// scrolls are what actions of keys do with the conversation in full screen.
var scrolls = map[string]func(*Conversation){
	"tui.altScreen.pageUp":         func(c *Conversation) { c.Scroll(-max(c.at.rows-1, 1)) },
	"tui.altScreen.pageDown":       func(c *Conversation) { c.Scroll(max(c.at.rows-1, 1)) },
	"tui.altScreen.halfPageUp":     func(c *Conversation) { c.Scroll(-max(c.at.rows/2, 1)) },
	"tui.altScreen.halfPageDown":   func(c *Conversation) { c.Scroll(max(c.at.rows/2, 1)) },
	"tui.altScreen.lineUp":         func(c *Conversation) { c.Scroll(-1) },
	"tui.altScreen.lineDown":       func(c *Conversation) { c.Scroll(1) },
	"tui.altScreen.previousPrompt": func(c *Conversation) { c.ScrollPrompt(-1) },
	"tui.altScreen.nextPrompt":     func(c *Conversation) { c.ScrollPrompt(1) },
	"tui.altScreen.top":            func(c *Conversation) { c.Scroll(-1 << 30) },
	"tui.altScreen.bottom":         func(c *Conversation) { c.at.top = nil },
}

// Act scrolls as an action of the keybindings says; false if it is none for scrolling.
func (c *Conversation) Act(action string) bool {
	fn := scrolls[action]
	if fn == nil {
		return false
	}
	fn(c)
	return true
}
