// Package ask asks a person at a terminal for a line, outside of the terminal interface.
package ask

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Asker asks for lines at a terminal.
type Asker struct {
	in  *os.File
	out io.Writer
}

// New returns what asks at a terminal, with questions on out; nil if in is no terminal.
func New(in io.Reader, out io.Writer) *Asker {
	file, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &Asker{file, out}
}

// Line asks for a line.
func (a *Asker) Line(ctx context.Context, question string) (string, error) {
	fmt.Fprintf(a.out, "%s ", question)
	return waitFor(ctx, func() (string, error) { return readLine(a.in) })
}

// Secret asks for a line that is not shown. The terminal shows what is typed again, however
// that ends.
func (a *Asker) Secret(ctx context.Context, question string) (string, error) {
	fd := int(a.in.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	defer func() {
		_ = term.Restore(fd, state)
		fmt.Fprintln(a.out)
	}()
	fmt.Fprintf(a.out, "%s ", question)
	return waitFor(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		return string(text), err
	})
}

// waitFor waits for read, or until ctx ends. Then read goes on until the program ends, which is
// soon.
func waitFor(ctx context.Context, read func() (string, error)) (string, error) {
	type line struct {
		text string
		err  error
	}
	done := make(chan line, 1)
	go func() {
		text, err := read()
		done <- line{text, err}
	}()
	select {
	case l := <-done:
		return l.text, l.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// readLine reads up to the end of a line and not further.
func readLine(file *os.File) (string, error) {
	var text []byte
	b := make([]byte, 1)
	for {
		n, err := file.Read(b)
		if n == 1 && b[0] != '\n' {
			text = append(text, b[0])
		}
		if n == 1 && b[0] == '\n' || err != nil && len(text) > 0 {
			return strings.TrimRight(string(text), "\r"), nil
		}
		if err != nil {
			return "", err
		}
	}
}
