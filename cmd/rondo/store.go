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
	if f.sessionID != "" {
		header.ID = f.sessionID
	}
	return jsonl.Create(filepath.Join(dir, jsonl.FileName(header)), header, nil)
}

// findSession returns the file of the session to go on with; empty for a new one.
func (p *program) findSession(dir, cwd string) (string, error) {
	f := &p.flags
	switch {
	case f.session != "":
		if strings.ContainsRune(f.session, filepath.Separator) || strings.HasSuffix(f.session, ".jsonl") || exists(f.session) {
			return filepath.Abs(f.session)
		}
		info, err := jsonl.Find(dir, f.session)
		if err != nil {
			return "", err
		}
		return info.Path, nil
	case f.sessionID != "":
		info, err := jsonl.Find(dir, f.sessionID)
		if several, ok := errors.AsType[*jsonl.AmbiguousError](err); ok && several.Matches[0].Header.ID != f.sessionID {
			return "", nil
		}
		if _, none := errors.AsType[*jsonl.NotFoundError](err); none {
			return "", nil
		} else if err != nil {
			return "", err
		}
		if info.Header.ID != f.sessionID || filepath.Dir(info.Path) != dir { // a part of an id, or another project's
			return "", nil
		}
		return info.Path, nil
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
