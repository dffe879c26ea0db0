package jsonl

import (
	"path/filepath"

	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// Files is a [transcript.Repository] of session files. A new session gets a file in the folder of
// the one beside which it is made, or stays in memory if that has none. The zero value is
// ready to use.
type Files struct {
	// Sync is that of [Options].
	Sync bool
}

var _ transcript.Repository = Files{}

// Create implements [transcript.Repository]; see [Create] for when the file is made.
func (f Files) Create(header *transcript.Header, beside transcript.Store) (transcript.Store, error) {
	if beside.Path() == "" {
		return memory.New(header), nil
	}
	return asStore(Create(filepath.Join(filepath.Dir(beside.Path()), FileName(header)), header, &Options{Sync: f.Sync}))
}

// Open implements [transcript.Repository]. Errors are those of [Open]. An empty file becomes a new
// session.
func (f Files) Open(path string, header *transcript.Header) (transcript.Store, error) {
	return asStore(Open(path, &Options{Header: header, Sync: f.Sync}))
}

// Read implements [transcript.Repository].
func (f Files) Read(path string) (transcript.Store, error) {
	return asStore(Open(path, &Options{ReadOnly: true}))
}

func asStore(s *Store, err error) (transcript.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
