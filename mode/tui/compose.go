package tui

import (
	"time"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
	"github.com/rondo-agent/rondo/mode/tui/extui"
	"github.com/rondo-agent/rondo/mode/tui/input"
	"github.com/rondo-agent/rondo/mode/tui/prefs"
	"github.com/rondo-agent/rondo/mode/tui/screen"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// composer makes frames of the parts that have lines: the conversation, the editor or a dialog in
// its place, and what extensions show. It changes nothing but what these know of their drawing.
type composer struct {
	conv    *view.Conversation
	input   *input.Box
	dialogs *dialog.Stack
	ui      *extui.UI
	meter   *meter
	prefs   *prefs.Preferences
	alone   bool // there is only a question
}

// compose makes the next frame; nil if an extension has yet to draw something of it.
func (c *composer) compose() *screen.Frame {
	c.conv.ThinkingLabel = c.ui.ThinkingLabel()
	c.conv.StartFrame()
	f := c.picture()
	if f == nil {
		return nil
	}
	f.Releases, f.Images = c.ui.WantsReleases(), c.conv.Shown()
	if p, _ := c.ui.Images().Protocol(); f.Clear {
		f.First = p.Forget()
	}
	return f
}

// fullScreen reports whether the whole screen is taken.
func (c *composer) fullScreen() bool { return c.prefs.FullScreen && !c.alone }

// picture makes the next frame: the overlays, if any is seen, or else what is below them.
func (c *composer) picture() *screen.Frame {
	full := c.fullScreen()
	behind := func() []string {
		if full {
			return c.whole().Live
		}
		return c.conv.Behind(c.bottom())
	}
	if lines, ok := c.ui.Over(c.conv, behind); ok {
		c.conv.Cover()
		return &screen.Frame{Live: lines[:min(len(lines), c.conv.Height)], X: -1, Full: true, Wheel: full}
	}
	if full {
		return c.whole()
	}
	c.conv.Uncover()
	return c.conv.Frame(c.bottom())
}

// whole is the frame of the full screen.
func (c *composer) whole() *screen.Frame {
	toEnd := ""
	if keys := c.prefs.Keys.Keys("tui.altScreen.bottom"); len(keys) > 0 {
		toEnd = keys[0]
	}
	return c.conv.Whole(c.bottom(), toEnd)
}

// bottom is what stands below the conversation.
func (c *composer) bottom() view.Bottom {
	p := &c.conv.Painter
	if c.alone {
		if d := c.dialogs.Top(); d != nil {
			lines, x, y := d.Draw(p.Ink, p.Width, p.Height)
			return view.Bottom{Lines: lines, X: x, Y: y}
		}
		return view.Bottom{X: -1}
	}
	lines := c.above()
	footer := c.footer()
	box, x, y := c.box(max(p.Height-len(lines)-len(footer), 3))
	y += len(lines)
	lines = append(lines, box...)
	lines = append(lines, c.ui.Beside(p, true)...)
	lines = append(lines, footer[:min(len(footer), max(p.Height-len(lines), 0))]...)
	if over := len(lines) - p.Height; over > 0 {
		first := min(over, y) // the cursor's line stays
		lines, y = lines[first:], y-first
	}
	return view.Bottom{Lines: lines[:min(len(lines), p.Height)], X: x, Y: y}
}

// above is what stands between the conversation and the editor.
func (c *composer) above() []string {
	p, st := &c.conv.Painter, c.conv.Chat.Status()
	lines := text.Strings(p.Queued(st))
	lines = append(lines, c.ui.Beside(p, false)...)
	lines = append(lines, text.Strings(p.Working(st, c.ui.WorkingMessage(), c.ui.Indicator(time.Now()), c.meter.since))...)
	if len(lines) == 0 || lines[0] != "" {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// box is the editor, or what has taken its place.
func (c *composer) box(room int) (lines []string, x, y int) {
	p := &c.conv.Painter
	if d := c.dialogs.Top(); d != nil {
		return d.Draw(p.Ink, p.Width, room)
	}
	if lines, ok := c.ui.DrawEditor(p, room); ok {
		return lines, -1, 0
	}
	c.input.Rows = c.prefs.Completions
	return c.input.Draw(p.Ink, p.Width, p.Height, room)
}

// footer is the status line: where, and what it has taken.
func (c *composer) footer() []string {
	p := &c.conv.Painter
	if lines, ok := c.ui.Footer(p); ok {
		return lines
	}
	lines := []string{p.StatusLine(&c.meter.status, c.meter.hint), p.Numbers(&c.meter.status, c.meter.modelName())}
	if s := c.ui.StatusLine(); s != "" {
		lines = append(lines, p.Foreign(s, p.Width))
	}
	return lines
}
