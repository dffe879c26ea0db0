package tui

import (
	"time"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/screen"
	"github.com/rondo-agent/rondo/mode/tui/view"
)

// paint draws a frame, unless the terminal still takes the one before.
func (a *app) paint() {
	if a.end.away || a.conv.Width == 0 || !a.frames.start() {
		return
	}
	a.conv.ThinkingLabel = a.t.ui.ThinkingLabel()
	a.conv.StartFrame()
	f := a.picture()
	if f == nil { // an extension has not drawn yet what is to be seen
		a.frames.again(spinTime)
		return
	}
	f.Releases, f.Images = a.t.ui.WantsReleases(), a.conv.Shown()
	if p, _ := a.t.ui.Images().Protocol(); f.Clear {
		f.First = p.Forget()
	}
	a.frames.draw(f)
	if a.moves() || a.conv.Pending() {
		a.frames.again(spinTime)
	}
}

// moves reports whether something on the screen changes with time.
func (a *app) moves() bool { return a.Busy() || a.dialogs.Ends() }

// picture makes the next frame: the overlays, if any is seen, or else what is below them.
func (a *app) picture() *screen.Frame {
	full := a.fullScreen()
	behind := func() []string {
		if full {
			return a.whole().Live
		}
		return a.conv.Behind(a.bottom())
	}
	if lines, ok := a.t.ui.Over(a.conv, behind); ok {
		a.conv.Cover()
		return &screen.Frame{Live: lines[:min(len(lines), a.conv.Height)], X: -1, Full: true, Wheel: full}
	}
	if full {
		return a.whole()
	}
	a.conv.Uncover()
	return a.conv.Frame(a.bottom())
}

// whole is the frame of the full screen.
func (a *app) whole() *screen.Frame {
	toEnd := ""
	if keys := a.t.opts.Keys.Keys("tui.altScreen.bottom"); len(keys) > 0 {
		toEnd = keys[0]
	}
	return a.conv.Whole(a.bottom(), toEnd)
}

// bottom is what stands below the conversation.
func (a *app) bottom() view.Bottom {
	p := &a.conv.Painter
	if a.alone() {
		if d := a.dialogs.Top(); d != nil {
			lines, x, y := d.Draw(p.Ink, p.Width, p.Height)
			return view.Bottom{Lines: lines, X: x, Y: y}
		}
		return view.Bottom{X: -1}
	}
	lines := a.above()
	footer := a.footer()
	box, x, y := a.box(max(p.Height-len(lines)-len(footer), 3))
	y += len(lines)
	lines = append(lines, box...)
	lines = append(lines, a.t.ui.Beside(p, true)...)
	lines = append(lines, footer[:min(len(footer), max(p.Height-len(lines), 0))]...)
	if over := len(lines) - p.Height; over > 0 {
		first := min(over, y) // the cursor's line stays
		lines, y = lines[first:], y-first
	}
	return view.Bottom{Lines: lines[:min(len(lines), p.Height)], X: x, Y: y}
}

// above is what stands between the conversation and the editor.
func (a *app) above() []string {
	p, st := &a.conv.Painter, a.conv.Chat.Status()
	lines := text.Strings(p.Queued(st))
	lines = append(lines, a.t.ui.Beside(p, false)...)
	lines = append(lines, text.Strings(p.Working(st, a.t.ui.WorkingMessage(), a.t.ui.Indicator(time.Now()), a.since))...)
	if len(lines) == 0 || lines[0] != "" {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// box is the editor, or what has taken its place.
func (a *app) box(room int) (lines []string, x, y int) {
	p := &a.conv.Painter
	if d := a.dialogs.Top(); d != nil {
		return d.Draw(p.Ink, p.Width, room)
	}
	if lines, ok := a.t.ui.DrawEditor(p, room); ok {
		return lines, -1, 0
	}
	a.input.Rows = a.t.opts.Completions
	return a.input.Draw(p.Ink, p.Width, p.Height, room)
}

// footer is the status line: where, and what it has taken.
func (a *app) footer() []string {
	p := &a.conv.Painter
	if lines, ok := a.t.ui.Footer(p); ok {
		return lines
	}
	lines := []string{p.StatusLine(&a.status, a.hint), p.Numbers(&a.status, a.modelName())}
	if s := a.t.ui.StatusLine(); s != "" {
		lines = append(lines, p.Foreign(s, p.Width))
	}
	return lines
}

// last is what has to be written before the region is removed: what is final but was kept below
// a header, and at the end what was shown in full screen.
func (a *app) last(atEnd bool) []byte {
	full := a.fullScreen()
	switch {
	case a.end.crash != nil || a.conv.Width == 0:
		return nil
	case full && (!atEnd || a.t.opts.Leaves), !full && a.conv.Header() == nil:
		return nil
	}
	if f := a.conv.Last(a.bottom(), atEnd); f != nil {
		return a.frames.screen.Draw(f)
	}
	return nil
}
