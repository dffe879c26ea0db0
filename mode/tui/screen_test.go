package tui_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/vt"
)

// screen is a [tui.Device]: an emulated terminal, without a pseudo-terminal and without a process.
type screen struct {
	keys  *io.PipeReader // what the program reads
	typed *io.PipeWriter

	mu      sync.Mutex
	vt      *vt.Emulator
	raw     strings.Builder // all that has been written
	changed chan struct{}   // closed with each change
	resized chan struct{}   // gets a value when the size has changed
	blocked chan struct{}   // if set, writing waits until it is closed
	modes   int             // how often the device was switched over, less how often back
}

func newScreen(width, height int) *screen {
	s := &screen{vt: vt.NewEmulator(width, height), changed: make(chan struct{}), resized: make(chan struct{}, 1)}
	s.keys, s.typed = io.Pipe()
	return s
}

func (s *screen) Input() io.Reader { return s.keys }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	blocked := s.blocked
	s.mu.Unlock()
	if blocked != nil {
		<-blocked
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	_, err := s.vt.Write(p)
	s.change()
	return len(p), err
}

func (s *screen) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *screen) Size() (columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vt.Width(), s.vt.Height()
}

func (s *screen) Raw() (restore func(), err error) {
	s.mode(1)
	return func() { s.mode(-1) }, nil
}

// answer types what the emulator answers to questions of the program, until it is closed. As with
// a real terminal, the program need not read it before it goes on writing.
func (s *screen) answer() {
	answers := make(chan []byte, 100)
	var typing sync.WaitGroup
	typing.Go(func() {
		for a := range answers {
			_, _ = s.typed.Write(a)
		}
	})
	buf := make([]byte, 1024)
	for {
		n, err := s.vt.Read(buf)
		if err != nil {
			break
		}
		answers <- slices.Clone(buf[:n])
	}
	close(answers)
	typing.Wait()
}

func (s *screen) mode(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modes += n
	s.change()
}

func (s *screen) Watch(ctx context.Context, fn func()) {
	for {
		select {
		case <-s.resized:
			fn()
		case <-ctx.Done():
			return
		}
	}
}

// lines is rows for one that has locked the screen.
func (s *screen) lines() []string {
	var rows []string
	for y := range s.vt.Height() {
		var b strings.Builder
		for x := 0; x < s.vt.Width(); {
			cell := s.vt.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(cell.Content)
			x += max(cell.Width, 1)
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows
}

func (s *screen) contents() string { return strings.TrimRight(strings.Join(s.lines(), "\n"), "\n") }

// drawing is the screen as golden frames have it. How much of the context is used depends on the
// name of the folder, and is left out.
func (s *screen) drawing() string {
	rows := s.lines()
	for i, row := range rows {
		if strings.Contains(row, "/128k") {
			rows[i] = "[counts and model]"
		}
	}
	cursor := "no cursor"
	if at := s.vt.CursorPosition(); !s.vt.CursorHidden() {
		cursor = fmt.Sprintf("cursor %d,%d", at.X, at.Y)
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n") + "\n[" + cursor + "]\n"
}
