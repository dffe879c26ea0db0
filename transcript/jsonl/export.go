package jsonl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/transcript"
)

// ErrEmpty means that nothing has been said in a session yet.
var ErrEmpty = errors.New("the session is empty: there is nothing to export")

// Export writes the branch of a session that ends at its leaf to a file of its own, as a
// session that has no other branches and is not bound to its parent. A file that exists is
// replaced when the new one is complete.
func Export(src transcript.Store, path string) error {
	if own, err := os.Stat(src.Path()); err == nil {
		if info, err := os.Stat(path); err == nil && os.SameFile(own, info) {
			return fmt.Errorf("export session to %s: that is the session itself; choose another name", path)
		}
	}
	header := *src.Header()
	header.Version, header.ParentSession = transcript.Version, ""
	dir, err := os.MkdirTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return fmt.Errorf("export session: %w", err)
	}
	defer os.RemoveAll(dir)
	temporary := filepath.Join(dir, filepath.Base(path))
	dst, err := Create(temporary, &header, nil)
	if err != nil {
		return err
	}
	err = transcript.CopyBranch(dst, src, src.Leaf())
	if err == nil && !dst.Saved() {
		err = ErrEmpty
	}
	if err := errors.Join(err, dst.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("export session: %w", err)
	}
	return nil
}
