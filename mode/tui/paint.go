package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/internal/term/theme"
	"github.com/rondo-agent/rondo/mode/tui/chat"
	"github.com/rondo-agent/rondo/mode/tui/screen"
)

// frameTime is the shortest time between two frames, and spinTime between two pictures of
// what moves.
const (
	frameTime = 16 * time.Millisecond
	spinTime  = 100 * time.Millisecond
)

// keptBlocks is how many blocks are kept for drawing them again.
const keptBlocks = 400

// drawing is an open block as it was drawn.
type drawing struct {
	version int
	lines   []text.Line
}

// invalidate makes that a frame is drawn soon.
func (a *app) invalidate() {
	a.dirty = true
	if wait := frameTime - time.Since(a.painted); wait > 0 {
		a.after(wait)
	} else {
		a.after(0)
	}
}

func (a *app) after(d time.Duration) {
	if a.scheduled {
		return
	}
	a.scheduled = true
	time.AfterFunc(d, func() { a.prog.Send(frameMsg{}) })
}

// paint draws a frame, unless the terminal still takes the one before.
func (a *app) paint() {
	if !a.dirty || a.away || a.width == 0 || !a.term.idle() {
		return
	}
	a.dirty, a.painted, a.images = false, time.Now(), nil
	f := a.picture()
	if f == nil { // an extension has not drawn yet what is to be seen
		a.dirty = true
		a.after(spinTime)
		return
	}
	f.Releases, f.Images = a.releasesTo != nil, a.images
	if p, _ := a.opts.ui.images.Protocol(); f.Clear {
		f.First = p.Forget()
	}
	if data := a.screen.Draw(f); data != nil {
		a.term.send(data)
	}
	if a.moves() {
		a.dirty = true
		a.after(spinTime)
	}
}

// moves reports whether something on the screen changes with time.
func (a *app) moves() bool {
	st := a.transcript.Status()
	return st.Working || st.Compacting != "" || a.bashes > 0 || a.ends()
}

// picture makes the next frame: the overlays, if any is seen, or else what is below them.
func (a *app) picture() *screen.Frame {
	whole := a.wholeScreen()
	if lines, ok := a.over(a.behind); ok {
		a.covered = true
		return &screen.Frame{Live: lines[:min(len(lines), a.height)], X: -1, Full: true, Wheel: whole}
	}
	if whole {
		a.covered, a.redraw = true, redrawNothing
		return a.whole()
	}
	a.uncover()
	return a.frame()
}

// uncover forgets what was drawn for the other screen.
func (a *app) uncover() {
	if a.covered {
		a.covered = false
		clear(a.cache)
		for _, b := range a.transcript.Blocks()[:a.printed] {
			a.unpaint(b)
		}
	}
}

// behind is what overlays lie on: the end of the conversation, and what stands below it.
func (a *app) behind() []string {
	if a.wholeScreen() {
		return a.whole().Live
	}
	bottom, _, _ := a.bottom()
	blocks := a.transcript.Blocks()
	return a.illustrated(append(a.tail(blocks, len(blocks), a.height-len(bottom)), bottom...))
}

// frame makes the next frame: blocks that are final go above the region. It is nil if one of
// them is still to be drawn again by an extension.
func (a *app) frame() *screen.Frame {
	a.unready = false
	bottom, x, y := a.bottom()
	f := &screen.Frame{X: x, Clear: a.redraw != redrawNothing}
	blocks := a.transcript.Blocks()
	next := a.printed
	for next < len(blocks) && blocks[next].Final && a.ready(blocks[next]) {
		next++
	}
	room := max(a.height-len(bottom), 0)
	var live []text.Line
	for i := next; i < len(blocks); i++ {
		live = append(live, a.spaced(blocks, i)...)
	}
	if over := len(live) - room; over > 0 {
		if a.header != nil { // it goes off the screen
			if !a.header.drawn() {
				return nil
			}
			a.settleHeader()
			return a.frame()
		}
		live = live[over:]
	}
	switch a.redraw {
	case redrawNothing:
		f.Print = a.lines(blocks, a.printed, next)
	case redrawScreen:
		f.Print = a.tail(blocks, next, room-len(live))
		if a.unready {
			return nil
		}
	case redrawTurn:
		from := turnStart(blocks[:next])
		if slices.ContainsFunc(blocks[from:next], func(b *chat.Block) bool { return !a.ready(b) }) {
			return nil
		}
		f.Print = a.lines(blocks, from, next)
	}
	a.redraw = redrawNothing
	a.printed = next
	f.Print = a.resolved(f.Print, true)
	f.Live = a.illustrated(append(text.Strings(live), bottom...))
	f.Y = len(live) + y
	a.forget()
	return f
}

// forget drops blocks that were printed long ago.
func (a *app) forget() {
	if n := a.printed - 2*keptBlocks; n > 0 {
		a.transcript.Drop(n + keptBlocks)
		a.printed -= n + keptBlocks
	}
}

// turnStart returns the index of the person's last message.
func turnStart(blocks []*chat.Block) int {
	for i := len(blocks) - 1; i > 0; i-- {
		if blocks[i].Kind == chat.User {
			return i
		}
	}
	return 0
}

// lines draws final blocks.
func (a *app) lines(blocks []*chat.Block, from, to int) []string {
	var lines []string
	for i := from; i < to; i++ {
		lines = append(lines, text.Strings(a.spaced(blocks, i))...)
		delete(a.cache, blocks[i])
		a.unpaint(blocks[i])
	}
	return lines
}

// tail draws the last n lines of the blocks before to.
func (a *app) tail(blocks []*chat.Block, to, n int) []string {
	if n <= 0 {
		return nil
	}
	var parts [][]string
	count := 0
	for i := to - 1; i >= 0 && count < n; i-- {
		part := text.Strings(a.spaced(blocks, i))
		parts = append(parts, part)
		count += len(part)
	}
	slices.Reverse(parts)
	lines := slices.Concat(parts...)
	return lines[max(len(lines)-n, 0):]
}

// spaced draws a block with the empty line before it.
func (a *app) spaced(blocks []*chat.Block, i int) []text.Line {
	lines := a.draw(blocks[i])
	if len(lines) == 0 || blocks[i].Joined {
		return lines
	}
	return append([]text.Line{nil}, lines...)
}

// ready reports whether a block looks as it will: an extension that draws it may need a
// moment, and so may its images.
func (a *app) ready(b *chat.Block) bool {
	lines, ready := a.paintedBlock(b)
	return a.ending || ready && a.pictured(b, lines)
}

// draw draws a block; an open one again only when it has changed.
func (a *app) draw(b *chat.Block) []text.Line {
	lines, ready := a.paintedBlock(b)
	a.unready = a.unready || b.Final && !(ready && a.pictured(b, lines))
	if a.header != nil && b == a.header.block {
		lines = a.header.h.draw(a.width, a.height)
	}
	if lines != nil {
		drawn := a.foreignLines(lines)
		if b.Call != nil { // its images are not the extension's to draw (Pi 0.85)
			drawn = append(drawn, a.imageRows(b.Call)...)
		}
		return drawn
	}
	if d, ok := a.cache[b]; ok && d.version == b.Version {
		return d.lines
	}
	drawn := a.block(b)
	if !b.Final || a.covered || a.header != nil { // under an overlay, or a header, all is drawn again and again
		a.cache[b] = drawing{b.Version, drawn}
	}
	return drawn
}

// bottom is what stands below the conversation, with the cursor's place.
func (a *app) bottom() (lines []string, x, y int) {
	if a.alone {
		if m := a.modal(); m != nil {
			return m.draw(a, a.width, a.height)
		}
		return nil, -1, 0
	}
	lines = append(lines, text.Strings(a.queued())...)
	lines = append(lines, a.opts.ui.beside(a, false)...)
	lines = append(lines, text.Strings(a.working())...)
	if len(lines) == 0 || lines[0] != "" {
		lines = append([]string{""}, lines...)
	}
	footer := a.footer()
	room := max(a.height-len(lines)-len(footer), 3)
	var box []string
	if m := a.modal(); m != nil {
		box, x, y = m.draw(a, a.width, room)
	} else {
		box, x, y = a.editorBox(room)
	}
	y += len(lines)
	lines = append(lines, box...)
	lines = append(lines, a.opts.ui.beside(a, true)...)
	lines = append(lines, footer[:min(len(footer), max(a.height-len(lines), 0))]...)
	if over := len(lines) - a.height; over > 0 {
		first := min(over, y) // the cursor's line stays
		lines, y = lines[first:], y-first
	}
	lines = lines[:min(len(lines), a.height)]
	return lines, x, y
}

// editorBox draws the editor between two rules, and what completes its text.
func (a *app) editorBox(room int) (lines []string, x, y int) {
	if e := a.opts.ui.customEditor(); e != nil {
		for _, l := range e.h.draw(a.width, a.height) {
			lines = append(lines, a.foreign(l))
		}
		return lines[:min(len(lines), max(room, 1))], -1, 0
	}
	v := a.editor.Draw(a.width, min(max(room/2, 1), max(a.height/3, 3)))
	border := a.theme.Style(theme.Border)
	if strings.HasPrefix(a.editor.Value(), "!") {
		border = a.theme.Style(theme.BashMode)
	}
	edge := func(hidden int) string {
		label := ""
		if hidden > 0 {
			label = "── " + itoa(hidden) + " more "
		}
		return border.Wrap(label + strings.Repeat("─", max(a.width-text.Width(label, a.measure), 0)))
	}
	lines = append(lines, edge(v.Above))
	lines = append(lines, v.Rows...)
	lines = append(lines, edge(v.Below))
	if a.complete != nil {
		lines = append(lines, text.Strings(a.complete.draw(a, max(room-len(lines), 1)))...)
	}
	return lines, v.X, v.Y + 1
}

func (a *app) rule(width int) text.Line {
	return text.Plain(strings.Repeat("─", width), a.theme.Style(theme.Border))
}

// queued shows the messages that wait.
func (a *app) queued() []text.Line {
	st := a.transcript.Status()
	var lines []text.Line
	show := func(label string, messages []string) {
		for _, m := range messages {
			line := text.Line{{Text: label, Style: a.theme.Style(theme.Accent)}, {Text: text.OneLine(m), Style: a.theme.Style(theme.Dim)}}
			lines = append(lines, line.Cut(a.width, "…", a.measure))
		}
	}
	show("Steering: ", st.Steering)
	show("Follow-up: ", st.FollowUp)
	if lines != nil {
		lines = append([]text.Line{nil}, lines...)
		lines = append(lines, text.Plain("alt+up edits what waits", a.theme.Style(theme.Dim)).Cut(a.width, "…", a.measure))
	}
	return lines
}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// working says what is under way.
func (a *app) working() []text.Line {
	st := a.transcript.Status()
	var what string
	switch {
	case st.Compacting != "":
		what = "Compacting the conversation"
	case st.Retry != nil:
		what = "Attempt " + itoa(st.Retry.Attempt) + " of " + itoa(st.Retry.MaxAttempts) + " to repeat the request: " + text.OneLine(st.Retry.ErrorMessage)
	case st.Working:
		what = a.opts.ui.workingMessage()
	}
	if what == "" {
		return nil
	}
	frame := a.opts.ui.indicator(time.Now())
	line := text.Line{{Text: frame, Style: a.theme.Style(theme.Accent)}, {Text: what, Style: a.theme.Style(theme.Dim)}}
	if s := time.Since(a.since); s >= time.Second && st.Working {
		line = append(line, text.Span{Text: " " + seconds(s), Style: a.theme.Style(theme.Dim)})
	}
	line = append(line, text.Span{Text: " (esc aborts)", Style: a.theme.Style(theme.Dim)})
	return []text.Line{nil, line.Cut(a.width, "…", a.measure)}
}
