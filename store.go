package rondo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// storage opens the stores of sessions.
type storage struct{ opts *StorageOptions }

// dir returns the folder of the session files of the folder cwd.
func (st *storage) dir(cfg *config.Config, cwd string) (string, error) {
	dir, shared, err := cfg.SessionDir(st.opts.Dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("sessions cannot be kept in %s, which is not a folder: choose one with --session-dir, or keep none with --no-session", dir)
	}
	if shared {
		return dir, nil
	}
	return jsonl.Dir(dir, cwd), nil
}

// create makes the store of a new session.
func (st *storage) create(o *opening) (transcript.Store, error) {
	if o.inMemory {
		return memory.New(o.header), nil
	}
	return jsonl.Create(filepath.Join(o.dir, jsonl.FileName(o.header)), o.header, nil)
}

// resume opens a session: its file, or a part of its id.
func (st *storage) resume(o *opening, which string) (transcript.Store, error) {
	path, err := findFile(o.dir, which)
	if err != nil {
		return nil, err
	}
	return jsonl.Open(path, &jsonl.Options{Header: o.header})
}

// resumeID opens the session of exactly this id, or makes it.
func (st *storage) resumeID(o *opening, id string) (transcript.Store, error) {
	o.header.ID = id
	path, err := sessionWithID(o.dir, id)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return st.create(o)
	}
	return jsonl.Open(path, &jsonl.Options{Header: o.header})
}

// newest opens the newest session of the folder, or makes one.
func (st *storage) newest(o *opening) (transcript.Store, error) {
	info, err := jsonl.Recent(o.dir, o.header.CWD)
	if _, none := errors.AsType[*jsonl.NotFoundError](err); none {
		o.notes = append(o.notes, "there is no session of this folder to go on with, so a new one begins")
		return st.create(o)
	}
	if err != nil {
		return nil, err
	}
	return jsonl.Open(info.Path, &jsonl.Options{Header: o.header})
}

// fork makes a session with all that another one has.
func (st *storage) fork(o *opening, which string) (transcript.Store, error) {
	path, err := findFile(o.dir, which)
	if err != nil {
		return nil, err
	}
	if o.opts.ID != "" {
		if taken, err := sessionWithID(o.dir, o.opts.ID); taken != "" || err != nil {
			return nil, errors.Join(err, fmt.Errorf("there is a session with the id %s already, in %s: choose another id, or leave --session-id out", o.opts.ID, taken))
		}
	}
	src, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	o.header.ParentSession = path
	fork, err := jsonl.Create(filepath.Join(o.dir, jsonl.FileName(o.header)), o.header, nil)
	if err != nil {
		return nil, err
	}
	if err := transcript.CopyTree(fork, src); err != nil {
		return nil, errors.Join(err, fork.Discard())
	}
	return fork, nil
}

// SessionFile returns the file of a session of the App's folder: which is a path, or a part of
// an id. It returns a [*jsonl.NotFoundError] or a [*jsonl.AmbiguousError].
func (a *App) SessionFile(which string) (string, error) {
	dir, err := a.SessionDir("")
	if err != nil {
		return "", err
	}
	return findFile(dir, which)
}

// findFile returns the file that an argument names: a path, or a part of an id.
func findFile(dir, arg string) (string, error) {
	if strings.ContainsRune(arg, filepath.Separator) || strings.HasSuffix(arg, ".jsonl") || exists(arg) {
		return filepath.Abs(arg)
	}
	info, err := jsonl.Find(dir, arg)
	if err != nil {
		return "", err
	}
	return info.Path, nil
}

// sessionWithID returns the file of the session in dir that has exactly this id; empty if
// there is none.
func sessionWithID(dir, id string) (string, error) {
	info, err := jsonl.Find(dir, id)
	if several, ok := errors.AsType[*jsonl.AmbiguousError](err); ok && several.Matches[0].Header.ID != id {
		return "", nil
	}
	if _, none := errors.AsType[*jsonl.NotFoundError](err); none {
		return "", nil
	} else if err != nil {
		return "", err
	}
	if info.Header.ID != id || filepath.Dir(info.Path) != dir { // a part of an id, or another project's
		return "", nil
	}
	return info.Path, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
