package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// trashLimit bounds the wait for the trash command.
const trashLimit = 10 * time.Second

// Remove deletes the session in the file at path: it goes into the trash where there is a
// command trash, and is gone otherwise. A session that is in use is not deleted, and the
// error is a [*LockedError].
func Remove(ctx context.Context, path string) error {
	if err := free(path); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	if trash, err := exec.LookPath("trash"); err == nil {
		ctx, cancel := context.WithTimeout(ctx, trashLimit)
		defer cancel()
		_ = exec.CommandContext(ctx, trash, path).Run() // what it has not done is done below
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

// free reports whether nobody writes the file.
func free(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	l, err := acquire(path, f)
	l.release()
	return err
}
