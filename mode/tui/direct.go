package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Direct is the terminal itself, for scripts that write to it. While it is drawn on, what
// they write goes through as far as it shows nothing, such as a notification of the desktop;
// the rest is a notice. Everything does while they have the terminal for themselves.
type Direct struct{ t *Terminal }

// Direct returns the terminal itself.
func (t *Terminal) Direct() Direct { return Direct{t} }

// Size returns columns and rows.
func (d Direct) Size() (columns, rows int) { return d.t.opts.Device.Size() }

// Write writes; the error is that of the terminal.
func (d Direct) Write(p []byte) (int, error) {
	if d.t.away.Load() {
		return d.t.opts.Device.Write(p)
	}
	commands, shown := parted(string(p))
	if shown = strings.TrimSpace(shown); shown != "" {
		d.t.ui.Notify(shown, "info")
	}
	if commands != "" {
		d.t.later(func(a *app) { a.term.write([]byte(commands)) })
	}
	return len(p), nil
}

// parted divides what a script writes into what shows nothing, and text.
func parted(s string) (commands, shown string) {
	var quiet, text strings.Builder
	var state byte
	for s != "" {
		seq, width, n, next := ansi.DecodeSequence(s, state, nil)
		if n == 0 {
			break
		}
		switch {
		case width > 0 || seq == "\n" || seq == "\t":
			text.WriteString(seq)
		case strings.HasPrefix(seq, "\x1b]"), seq == "\a":
			quiet.WriteString(seq)
		}
		state, s = next, s[n:]
	}
	return quiet.String(), text.String()
}
