package child

import (
	"io"
	"strings"
	"sync"
)

// tailSize is how much is kept of the last that a program has written to stderr.
const tailSize = 2 << 10

// tail passes everything on and keeps the end of it.
type tail struct {
	to io.Writer // may be nil

	mu   sync.Mutex
	kept []byte
}

// Write implements [io.Writer]. Errors of the writer behind it are ignored: a full disk is no
// reason to end an extension.
func (t *tail) Write(p []byte) (int, error) {
	if t.to != nil {
		_, _ = t.to.Write(p)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-tailSize):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(p), nil
}

// text returns what was kept, beginning with a whole line where there is one.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.kept)
	if len(t.kept) == tailSize {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
}
