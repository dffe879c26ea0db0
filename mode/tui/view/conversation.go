// Package view draws a session: the blocks of its conversation, what is seen of them on a screen
// or goes into the scrollback, and the lines around the editor. It knows what is shown, neither
// the keys nor the session.
package view

import (
	"slices"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/graphics"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// Drawer draws blocks in the place of the terminal.
type Drawer interface {
	// Draw returns the lines of a block, nil if the terminal is to draw it. ready is false while
	// they are not those of its newest state.
	Draw(b *chat.Block, p *Painter) (lines []string, ready bool)
	// Forget ends the drawing of a block.
	Forget(b *chat.Block)
}

// Bottom is what stands below the conversation, with the cursor's place in it; a negative X is
// no cursor.
type Bottom struct {
	Lines []string
	X, Y  int
}

// Conversation is the blocks of a session on a screen. Final blocks are written above the live
// region once; the others are drawn again with each frame. It belongs to one goroutine.
type Conversation struct {
	Painter
	Chat   chat.Transcript
	Drawer Drawer

	cache   map[*chat.Block]drawing
	printed int // blocks that are in the scrollback
	redraw  redraw
	covered bool // the other screen is shown
	// unready says that a final block of the frame has yet to be drawn by an extension, or its
	// images; pending that any has.
	unready, pending bool
	ending           bool // what is not drawn by now is not waited for
	header           *header
	images           graphics.Shown // of the frame
	at               position
}

// redraw says what is written again on an empty screen.
type redraw int

const (
	redrawNothing redraw = iota
	redrawScreen         // as much as the screen shows, since its size is another one
	redrawTurn           // all since the user's last message, since it looks different
)

// keptBlocks is how many blocks are kept for drawing them again.
const keptBlocks = 400

// drawing is a block as it was drawn.
type drawing struct {
	version int
	lines   []text.Line
}

// NewConversation returns an empty one.
func NewConversation(p Painter) *Conversation {
	return &Conversation{Painter: p, cache: make(map[*chat.Block]drawing)}
}

// Resize draws the screen again, also where the size is that of before: the terminal may have
// had another one meanwhile, and lost what did not fit.
func (c *Conversation) Resize(width, height int) {
	first := c.Width == 0
	c.Width, c.Height = width, height
	clear(c.cache)
	if !first {
		c.RedrawScreen()
	}
}

// SetMeasure says how wide the terminal shows characters.
func (c *Conversation) SetMeasure(m text.Measure) {
	c.Measure = m
	clear(c.cache)
}

// RedrawScreen writes what the screen shows again.
func (c *Conversation) RedrawScreen() { c.redraw = max(c.redraw, redrawScreen) }

// RedrawTurn writes all since the user's last message again, which looks different now.
func (c *Conversation) RedrawTurn() {
	clear(c.cache)
	c.redraw = redrawTurn
}

// KeepScreen leaves on the screen what another program has written.
func (c *Conversation) KeepScreen() { c.redraw = redrawNothing }

// Expand shows results in full, or folds them.
func (c *Conversation) Expand(on bool) {
	if c.Expanded != on {
		c.Expanded = on
		c.RedrawTurn()
	}
}

// Unfold shows thinking in full, or folds it.
func (c *Conversation) Unfold(on bool) {
	if c.Unfolded != on {
		c.Unfolded = on
		c.RedrawTurn()
	}
}

// SetTheme draws with other colours.
func (c *Conversation) SetTheme(t *theme.Theme) {
	c.Theme = t
	c.RedrawTurn()
}

// StartFrame forgets what the frame before needed.
func (c *Conversation) StartFrame() { c.images, c.pending = nil, false }

// Shown returns the images of the frame.
func (c *Conversation) Shown() graphics.Shown { return c.images }

// Pending reports whether something of the frame has yet to be drawn by an extension.
func (c *Conversation) Pending() bool { return c.pending }

// Cover tells that the other screen is shown.
func (c *Conversation) Cover() { c.covered = true }

// Uncover forgets what was drawn for the other screen.
func (c *Conversation) Uncover() {
	if c.covered {
		c.covered = false
		clear(c.cache)
		for _, b := range c.Chat.Blocks()[:c.printed] {
			c.Drawer.Forget(b)
		}
	}
}

// Behind is what overlays lie on: the end of the conversation, and what stands below it.
func (c *Conversation) Behind(bottom Bottom) []string {
	blocks := c.Chat.Blocks()
	return c.Resolve(append(c.tail(blocks, len(blocks), c.Height-len(bottom.Lines)), bottom.Lines...), false)
}

// Frame makes the next frame: blocks that are final go above the region. It is nil if one of
// them is still to be drawn again by an extension.
func (c *Conversation) Frame(bottom Bottom) *screen.Frame {
	c.unready = false
	f := &screen.Frame{X: bottom.X, Clear: c.redraw != redrawNothing}
	blocks := c.Chat.Blocks()
	next := c.printed
	for next < len(blocks) && blocks[next].Final && c.ready(blocks[next]) {
		next++
	}
	room := max(c.Height-len(bottom.Lines), 0)
	var live []text.Line
	for i := next; i < len(blocks); i++ {
		live = append(live, c.spaced(blocks, i)...)
	}
	if over := len(live) - room; over > 0 {
		if c.header != nil { // it goes off the screen
			if !c.header.drawn() {
				return nil
			}
			c.SettleHeader()
			return c.Frame(bottom)
		}
		live = live[over:]
	}
	var ok bool
	if f.Print, ok = c.print(next, room-len(live)); !ok {
		return nil
	}
	c.redraw = redrawNothing
	c.printed = next
	f.Print = c.Resolve(f.Print, true)
	f.Live = c.Resolve(append(text.Strings(live), bottom.Lines...), false)
	f.Y = len(live) + bottom.Y
	c.forget()
	return f
}

// print returns the lines that go above the region, up to block next; false if an extension has
// yet to draw some of them. room is what the screen has for lines that are there already.
func (c *Conversation) print(next, room int) ([]string, bool) {
	blocks := c.Chat.Blocks()
	switch c.redraw {
	case redrawScreen:
		lines := c.tail(blocks, next, room)
		return lines, !c.unready
	case redrawTurn:
		from := turnStart(blocks[:next])
		if slices.ContainsFunc(blocks[from:next], func(b *chat.Block) bool { return !c.ready(b) }) {
			return nil, false
		}
		return c.lines(from, next), true
	}
	return c.lines(c.printed, next), true
}

// forget drops blocks that were printed long ago.
func (c *Conversation) forget() {
	if n := c.printed - 2*keptBlocks; n > 0 {
		c.Chat.Drop(n + keptBlocks)
		c.printed -= n + keptBlocks
	}
}

// turnStart returns the index of the user's last message.
func turnStart(blocks []*chat.Block) int {
	for i := len(blocks) - 1; i > 0; i-- {
		if blocks[i].Kind == chat.User {
			return i
		}
	}
	return 0
}

// lines draws final blocks.
func (c *Conversation) lines(from, to int) []string {
	blocks := c.Chat.Blocks()
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, text.Strings(c.spaced(blocks, i))...)
		delete(c.cache, blocks[i])
		c.Drawer.Forget(blocks[i])
	}
	return lines
}

// tail draws the last n lines of the blocks before to.
func (c *Conversation) tail(blocks []*chat.Block, to, n int) []string {
	if n <= 0 {
		return nil
	}
	var parts [][]string
	count := 0
	for i := to - 1; i >= 0 && count < n; i-- {
		part := text.Strings(c.spaced(blocks, i))
		parts = append(parts, part)
		count += len(part)
	}
	slices.Reverse(parts)
	lines := slices.Concat(parts...)
	return lines[max(len(lines)-n, 0):]
}

// spaced draws a block with the empty line before it.
func (c *Conversation) spaced(blocks []*chat.Block, i int) []text.Line {
	lines := c.draw(blocks[i])
	if len(lines) == 0 || blocks[i].Joined {
		return lines
	}
	return append([]text.Line{nil}, lines...)
}

// ready reports whether a block looks as it will: an extension that draws it may need a
// moment, and so may its images.
func (c *Conversation) ready(b *chat.Block) bool {
	lines, ready := c.drawn(b)
	return c.ending || ready && c.pictured(b, lines)
}

// drawn is what an extension draws for a block.
func (c *Conversation) drawn(b *chat.Block) (lines []string, ready bool) {
	lines, ready = c.Drawer.Draw(b, &c.Painter)
	c.pending = c.pending || !ready
	return lines, ready
}

// draw draws a block; an open one again only when it has changed.
func (c *Conversation) draw(b *chat.Block) []text.Line {
	lines, ready := c.drawn(b)
	c.unready = c.unready || b.Final && !(ready && c.pictured(b, lines))
	if c.header != nil && b == c.header.block {
		lines = c.header.Draw(c.Width, c.Height)
	}
	if lines != nil {
		drawn := c.ForeignLines(lines)
		if b.Call != nil { // its images are not the extension's to draw (Pi 0.85)
			drawn = append(drawn, c.imageRows(b.Call)...)
		}
		return drawn
	}
	if d, ok := c.cache[b]; ok && d.version == b.Version {
		return d.lines
	}
	drawn := c.Block(b)
	if !b.Final || c.covered || c.header != nil { // under an overlay, or a header, all is drawn again and again
		c.cache[b] = drawing{b.Version, drawn}
	}
	return drawn
}

// Resolve puts images into lines. final says that the lines are written for good.
func (c *Conversation) Resolve(lines []string, final bool) []string {
	if c.images == nil {
		c.images = make(graphics.Shown)
	}
	return c.Images.Resolve(lines, final, c.Style(theme.Dim).Wrap, c.images)
}
