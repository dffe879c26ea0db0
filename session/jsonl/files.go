package jsonl

import (
	"path/filepath"

	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/memory"
)

// Files is a [session.Shelf] of session files. A new session gets a file in the folder of
// the one beside which it is made, or stays in memory if that has none. The zero value is
// ready to use.
type Files struct {
	// Sync is that of [Options].
	Sync bool
}

var _ session.Shelf = Files{}

// Create implements [session.Shelf]; see [Create] for when the file is made.
func (f Files) Create(header *session.Header, beside session.Store) (session.Store, error) {
	if beside.Path() == "" {
		return memory.New(header), nil
	}
	return asStore(Create(filepath.Join(filepath.Dir(beside.Path()), FileName(header)), header, &Options{Sync: f.Sync}))
}

// Open implements [session.Shelf]. Errors are those of [Open]. An empty file becomes a new
// session.
func (f Files) Open(path string, header *session.Header) (session.Store, error) {
	return asStore(Open(path, &Options{Header: header, Sync: f.Sync}))
}

// Read implements [session.Shelf].
func (f Files) Read(path string) (session.Store, error) {
	return asStore(Open(path, &Options{ReadOnly: true}))
}

func asStore(s *Store, err error) (session.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
