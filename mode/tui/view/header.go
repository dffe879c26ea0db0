package view

import (
	"time"

	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// Header is what an extension shows above what follows. It is drawn again for as long as all
// from it on is on the screen, and is written into the scrollback as it was last.
type Header interface {
	// Draw returns the newest lines for a screen of a size, and asks for others if they may be
	// out of date.
	Draw(columns, rows int) []string
	// Drawn returns the newest lines; nil if there are none yet.
	Drawn() []string
	// Dispose ends the header.
	Dispose()
}

type header struct {
	Header
	block *chat.Block
	since time.Time
}

// drawLimit is how long a header is waited for, before what follows is written without it.
const drawLimit = 500 * time.Millisecond

// drawn reports whether there are lines of the header, unless it takes too long.
func (h *header) drawn() bool { return h.Drawn() != nil || time.Since(h.since) > drawLimit }

// SetHeader puts a header, or nil for none, in the place of one that can be drawn again, or else
// at the end.
func (c *Conversation) SetHeader(h Header) {
	before := c.header
	if before != nil {
		before.Dispose()
	}
	switch {
	case h == nil && before != nil:
		c.Chat.Withdraw(before.block)
		c.header = nil
	case h != nil && before != nil:
		c.header = &header{h, before.block, time.Now()}
	case h != nil:
		c.header = &header{h, c.Chat.Foreign(), time.Now()}
	}
}

// Header returns the header that can be drawn again; nil if there is none.
func (c *Conversation) Header() Header {
	if c.header == nil {
		return nil
	}
	return c.header.Header
}

// SettleHeader leaves the header as it is.
func (c *Conversation) SettleHeader() {
	if c.header == nil {
		return
	}
	h := c.header
	c.header = nil
	c.Chat.Settle(h.block, h.Drawn())
	h.Dispose()
}

// Last makes the frame that is written before the region is removed: what is final but was kept
// below a header, and in the other screen. end says that nothing is waited for any more. It is
// nil if an extension has yet to draw something.
func (c *Conversation) Last(bottom Bottom, end bool) *screen.Frame {
	c.ending = end
	c.Uncover()
	c.SettleHeader()
	c.StartFrame()
	f := c.Frame(bottom)
	if f != nil {
		f.Images = c.images
	}
	return f
}
