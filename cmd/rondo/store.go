package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/jsonl"
	"github.com/rondo-agent/rondo/session/memory"
)

// openStore opens the session that the command line asks for, or makes a new one.
func (p *program) openStore(cfg *config.Config, cwd string, notes *[]string) (session.Store, error) {
	f := &p.flags
	header := session.NewHeader(session.CanonicalDir(cwd))
	if f.noSession {
		return memory.New(header), nil
	}
	dir, shared, err := cfg.SessionDir(f.sessionDir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sessions cannot be kept in %s, which is not a folder: choose one with --session-dir, or keep none with --no-session", dir)
	}
	if !shared {
		dir = jsonl.Dir(dir, cwd)
	}
	if f.sessionID != "" {
		header.ID = f.sessionID
	}
	if f.fork != "" {
		return p.forkStore(dir, header)
	}
	path, err := p.findSession(dir, cwd)
	if err != nil {
		return nil, err
	}
	if path != "" {
		return jsonl.Open(path, &jsonl.Options{Header: header})
	}
	if f.continued {
		*notes = append(*notes, "there is no session of this folder to go on with, so a new one begins")
	}
	return jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
}

// findSession returns the file of the session to go on with; empty for a new one.
func (p *program) findSession(dir, cwd string) (string, error) {
	f := &p.flags
	switch {
	case f.session != "":
		return findFile(dir, f.session)
	case f.sessionID != "":
		return sessionWithID(dir, f.sessionID)
	case f.continued:
		info, err := jsonl.Recent(dir, session.CanonicalDir(cwd))
		if _, none := errors.AsType[*jsonl.NotFoundError](err); none {
			return "", nil
		} else if err != nil {
			return "", err
		}
		return info.Path, nil
	}
	return "", nil
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

// forkStore makes a session with all that another one has, which may be in use or belong to
// another folder.
func (p *program) forkStore(dir string, header *session.Header) (session.Store, error) {
	path, err := findFile(dir, p.flags.fork)
	if err != nil {
		return nil, err
	}
	if p.flags.sessionID != "" {
		if taken, err := sessionWithID(dir, header.ID); taken != "" || err != nil {
			return nil, errors.Join(err, fmt.Errorf("there is a session with the id %s already, in %s: choose another id, or leave --session-id out", header.ID, taken))
		}
	}
	src, err := jsonl.Open(path, &jsonl.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	header.ParentSession = path
	fork, err := jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
	if err != nil {
		return nil, err
	}
	if err := session.CopyTree(fork, src); err != nil {
		return nil, errors.Join(err, fork.Discard())
	}
	return fork, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
