package tui

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/rondo-agent/rondo/mode/tui/text"
	"github.com/rondo-agent/rondo/mode/tui/transcript"
	"github.com/rondo-agent/rondo/session"
)

// UI asks the person at the terminal, and shows things there: what extensions see of the
// terminal. All methods may be called from any goroutine. Dialogs at the same time lie one
// over the other, the newest on top.
type UI struct {
	t *Terminal

	mu       sync.Mutex
	statuses map[string]string
}

func newUI(t *Terminal) *UI { return &UI{t: t, statuses: make(map[string]string)} }

// Notify shows a message; kind is info, warning, error, or empty.
func (u *UI) Notify(message, kind string) {
	level := transcript.Info
	switch kind {
	case "warning":
		level = transcript.Warning
	case "error":
		level = transcript.Failure
	}
	u.t.inbox.Put(&notice{level, message})
}

// SetStatus shows a text in the status line under a key; nil takes it away.
func (u *UI) SetStatus(key string, s *string) {
	u.change(func() {
		if s == nil {
			delete(u.statuses, key)
		} else {
			u.statuses[key] = *s
		}
	})
}

// change changes what is shown.
func (u *UI) change(fn func()) {
	u.mu.Lock()
	fn()
	u.mu.Unlock()
	u.t.refresh()
}

// statusLine joins the texts of SetStatus.
func (u *UI) statusLine() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(u.statuses)) {
		parts = append(parts, u.statuses[key])
	}
	return strings.Join(parts, " ")
}

func (u *UI) above(*app) []string { return nil }
func (u *UI) below(*app) []string { return nil }

func (u *UI) workingMessage() string { return "Working" }
func (u *UI) indicator(now time.Time) string {
	return spinner[int(now.UnixMilli()/spinTime.Milliseconds())%len(spinner)] + " "
}
func (u *UI) thinkingLabel() string                            { return "Thinking:" }
func (u *UI) message(*app, *session.CustomMessage) []text.Line { return nil }
func (u *UI) tool(*app, *transcript.Call) []text.Line          { return nil }
func (u *UI) footer(*app) ([]string, bool)                     { return nil, false }
func (u *UI) shortcut(string) func()                           { return nil }
func (u *UI) arguments(string, string) []item                  { return nil }
func (u *UI) commands() []item                                 { return nil }

// foreign makes a line of an extension harmless: its colours stay, all else that commands a
// terminal goes, and it is cut to the width.
func (a *app) foreign(line string) string {
	return a.measure.Truncate(coloured(line), a.width, "…") + "\x1b[m"
}

// coloured removes everything but text and the colours of text.
func coloured(line string) string {
	var b strings.Builder
	var state byte
	for len(line) > 0 {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		if n == 0 {
			break
		}
		switch {
		case width > 0:
			b.WriteString(text.Clean(seq))
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") && strings.Trim(seq[2:len(seq)-1], "0123456789;:") == "":
			b.WriteString(seq)
		case seq == "\t":
			b.WriteString("    ")
		}
		state = next
		line = line[n:]
	}
	return b.String()
}
