// Package screen draws on a terminal without taking it over: finished lines go into its
// scrollback, where users search and copy them with the terminal's own means, and a live
// region below them, which is never taller than the screen, is drawn again when it changes.
//
// The library's own renderer draws the whole region again whenever its height changes, and
// cannot print more lines above it than fit; a conversation does both all the time. Here
// lines and region are one write.
package screen

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/rondo-agent/rondo/mode/tui/graphics"
)

// Frame is what is to be seen.
type Frame struct {
	// Print are lines that go above the region for good.
	Print []string
	// Live are the lines of the region, at most as many as the screen has.
	Live []string
	// X and Y are where the cursor stands in the region; a negative X hides it.
	X, Y int
	// Clear begins with an empty screen; the scrollback stays.
	Clear bool
	// Full shows Live on the terminal's other screen, which has no scrollback; Print must be
	// empty. With the next frame that is not, the terminal shows again what it showed before.
	Full bool
	// Wheel asks for the mouse's wheel, while Full.
	Wheel bool
	// Images are those that placeholders in the frame show. First is written before all else.
	Images graphics.Shown
	First  string
	// Releases asks for releases of keys as well, of a terminal that speaks kitty's protocol.
	Releases bool
}

// Screen knows what the terminal shows of the region.
type Screen struct {
	height int
	region
	full  bool
	wheel bool
	below region // while the other screen is shown
	stale bool   // the other screen has another size than when it was drawn
}

// region is what the terminal shows, and where the cursor is in it.
type region struct {
	live     []string
	x, y     int
	releases bool            // keys are the screen's own
	images   map[uint32]bool // and so are images that it has
}

// Resize tells the screen how tall the terminal is.
func (s *Screen) Resize(height int) {
	s.height, s.stale = max(height, 1), s.full
	s.y, s.below.y = min(s.y, s.height-1), min(s.below.y, s.height-1)
}

// Sequences of terminals. A terminal ignores those that it does not know.
const (
	beginUpdate = "\x1b[?2026h"
	endUpdate   = "\x1b[?2026l"
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	noWrap      = "\x1b[?7l" // a character that is wider than thought stays on its line
	wrap        = "\x1b[?7h"
	eraseRight  = "\x1b[K"
	eraseBelow  = "\x1b[J"
	home        = "\x1b[H"
	// The other screen has keys of its own where kitty's protocol is spoken.
	enterFull = "\x1b[?1049h\x1b[>1u"
	leaveFull = "\x1b[<1u\x1b[?1049l"
	// What kitty's protocol tells of keys: presses with all modifiers, and releases too.
	presses  = "\x1b[=1;1u"
	releases = "\x1b[=3;1u"
	// The buttons of the mouse, among which is its wheel.
	mouse   = "\x1b[?1000h\x1b[?1006h"
	noMouse = "\x1b[?1006l\x1b[?1000l"
)

// Draw returns what has to be written to show the frame; nil if nothing.
func (s *Screen) Draw(f *Frame) []byte {
	live, y := f.Live, f.Y
	if over := len(live) - max(s.height, 1); over > 0 {
		live, y = live[over:], max(y-over, 0)
	}
	y = min(y, max(len(live)-1, 0))
	turned := f.Full != s.full
	if !turned && !f.Clear && !s.stale && len(f.Print) == 0 && s.x == f.X && s.y == y && s.releases == f.Releases && s.wheel == (f.Wheel && f.Full) && slices.Equal(live, s.live) {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(beginUpdate + hideCursor + noWrap)
	if turned {
		b.WriteString(s.turn())
	}
	s.ask(&b, f.Releases)
	s.listen(&b, f.Wheel && f.Full)
	b.WriteString(f.First)
	s.give(&b, f.Images)
	switch {
	case f.Clear || s.full && (turned || s.stale):
		s.stale = false
		b.WriteString(home + eraseBelow)
		s.live, s.y = nil, 0
		s.rewrite(&b, f.Print, live)
	case len(f.Print) > 0:
		s.goTo(&b, 0)
		s.rewrite(&b, f.Print, live)
	default:
		s.update(&b, live)
	}
	s.live, s.x = live, f.X
	s.goTo(&b, y)
	b.WriteString("\x1b[" + strconv.Itoa(max(f.X, 0)+1) + "G" + wrap)
	if f.X >= 0 {
		b.WriteString(showCursor)
	}
	b.WriteString(endUpdate)
	return b.Bytes()
}

// turn shows the other screen, or the one below it again.
func (s *Screen) turn() string {
	s.full, s.stale = !s.full, false
	if s.full {
		s.below, s.region = s.region, region{}
		return enterFull
	}
	s.region = s.below
	return leaveFull
}

// give gives the terminal the images that it does not have.
func (s *Screen) give(b *bytes.Buffer, images graphics.Shown) {
	for id, i := range images {
		if !s.images[id] {
			b.Write(i.Data())
			if s.images == nil {
				s.images = make(map[uint32]bool)
			}
			s.images[id] = true
		}
	}
}

// ask asks for releases of keys, or for none.
func (s *Screen) ask(b *bytes.Buffer, on bool) {
	if s.releases == on {
		return
	}
	s.releases = on
	if on {
		b.WriteString(releases)
	} else {
		b.WriteString(presses)
	}
}

// listen asks for the mouse, or for none of it.
func (s *Screen) listen(b *bytes.Buffer, on bool) {
	switch {
	case s.wheel == on:
	case on:
		b.WriteString(mouse)
	default:
		b.WriteString(noMouse)
	}
	s.wheel = on
}

// rewrite writes lines and the whole region from the region's first row on. A line is erased
// before it is written: behind a full one, the cursor stands on its last character.
func (s *Screen) rewrite(b *bytes.Buffer, lines, live []string) {
	for _, l := range lines {
		b.WriteString("\r" + eraseRight + l + "\n")
	}
	b.WriteString("\r")
	for i, l := range live {
		if i > 0 {
			b.WriteString("\n\r")
		}
		b.WriteString(eraseRight + l)
	}
	s.y = max(len(live)-1, 0)
	switch {
	case len(live) == 0:
		b.WriteString(eraseBelow)
	case len(lines)+len(live) < len(s.live):
		b.WriteString("\n\r" + eraseBelow)
		s.y++
	}
}

// update writes the lines that have changed.
func (s *Screen) update(b *bytes.Buffer, live []string) {
	for i, l := range live {
		if i < len(s.live) && s.live[i] == l {
			continue
		}
		if i < len(s.live) || i == 0 {
			s.goTo(b, i)
			b.WriteString("\r" + eraseRight + l)
		} else {
			s.goTo(b, i-1)
			b.WriteString("\n\r" + eraseRight + l) // the screen scrolls where that is needed
			s.y = i
		}
	}
	if len(live) < len(s.live) {
		s.goTo(b, len(live))
		b.WriteString("\r" + eraseBelow)
	}
}

// goTo moves the cursor to a row of the region that exists.
func (s *Screen) goTo(b *bytes.Buffer, y int) {
	if y < s.y {
		b.WriteString("\x1b[" + strconv.Itoa(s.y-y) + "A")
	} else if y > s.y {
		b.WriteString("\x1b[" + strconv.Itoa(y-s.y) + "B")
	}
	s.y = y
}

// Leave returns what removes the region, for another program or the end of this one. The
// cursor stands where the region began.
func (s *Screen) Leave() []byte {
	var b bytes.Buffer
	if s.full {
		b.WriteString(s.turn())
	}
	s.ask(&b, false)
	s.listen(&b, false)
	b.WriteString(wrap)
	s.goTo(&b, 0)
	b.WriteString("\r" + eraseBelow + showCursor)
	s.region = region{}
	return b.Bytes()
}

// Enter and Exit are what switches the terminal to what the editor needs and back: pastes as
// such, and keys with all their modifiers.
var (
	Enter = strings.Join([]string{
		"\x1b[22;0t",  // keep the title
		"\x1b[?2004h", // bracketed paste
		"\x1b[>4;2m",  // modified keys
		"\x1b[>1u",    // the same, as kitty does
		"\x1b[?2027$p",
	}, "")
	Exit = strings.Join([]string{
		"\x1b[?1047l", // the screen with the scrollback, if a crash has left the other one
		noMouse, "\x1b[<1u", "\x1b[>4m", "\x1b[?2004l", "\x1b[?2027l", wrap, showCursor, "\x1b[m", "\x1b[23;0t", endUpdate,
	}, "")
	// Rescue is Exit after a crash, which may have left the other screen with keys of its own.
	Rescue = "\x1b[?1047h\x1b[<99u" + Exit
	// Clusters makes a terminal that can take characters together that a reader sees as one.
	Clusters = "\x1b[?2027h"
)

// Title returns what sets the title of the window to a clean text.
func Title(s string) string { return "\x1b]0;" + s + "\a" }
