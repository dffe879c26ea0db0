package host

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// Some files of the kernel make a reader wait as a pipe does, whose reads stand for theirs.
func TestReadThatWaitsIsAborted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f := interruptible(ctx, r)
	defer f.Close()
	if _, err := w.WriteString("begin"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if n, err := f.Read(buf); string(buf[:n]) != "begin" || err != nil {
		t.Errorf("read %q, %v", buf[:n], err)
	}
	cause := errors.New("stopped by the user")
	time.AfterFunc(time.Millisecond, func() { cancel(cause) })
	if _, err := io.ReadAll(f); !errors.Is(err, cause) {
		t.Errorf("the read that waits ends with %v", err)
	}
}
