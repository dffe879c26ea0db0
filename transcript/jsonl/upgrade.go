package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/transcript"
)

// upgrade brings a file of version 1 or 2 to the current version: entries get ids and
// parents, and the kind of message that was called hookMessage is called custom. Lines that
// cannot be read stay as they are. A store that only reads does this in memory.
func (s *Store) upgrade(old *loader) error {
	text, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("upgrade session: %w", err)
	}
	text, err = upgraded(text, old)
	if err != nil {
		return fmt.Errorf("upgrade session %s from version %d: %w", s.path, max(old.header.Version, 1), err)
	}
	if !s.opts.ReadOnly {
		if err := s.replace(text); err != nil {
			return fmt.Errorf("upgrade session: %w", err)
		}
	}
	loaded, err := loadFrom(s.path, bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	if s.opts.ReadOnly {
		s.take(loaded, bytes.NewReader(text))
	} else {
		s.take(loaded, s.disk.file)
	}
	return nil
}

// oldLine is a line of a file that is brought to the current version.
type oldLine struct {
	text   []byte // without newline
	object bool   // it is a header or entry
	pos    int    // of the entry in the index, or -1
}

// upgraded returns the text of the file in the current version.
func upgraded(text []byte, old *loader) ([]byte, error) {
	header := *old.header
	header.Version = transcript.Version
	first, err := json.Marshal(&header)
	if err != nil {
		return nil, err
	}
	lines := oldLines(text, old)
	ids := make([]transcript.EntryID, 0, len(lines)) // by place, the header included, as version 1 counted
	for _, l := range lines {
		if l.object && l.pos >= 0 {
			ids = append(ids, old.index.ID(l.pos))
		} else if l.object {
			ids = append(ids, "")
		}
	}
	var out bytes.Buffer
	for _, l := range lines {
		switch {
		case l.pos >= 0:
			l.text = upgradeEntry(l.text, old.index.ID(l.pos), old.index.ParentID(l.pos), ids)
		case l.object && first != nil:
			l.text, first = first, nil
		}
		out.Write(l.text)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

func oldLines(text []byte, old *loader) []oldLine {
	at := make(map[int64]int, len(old.records))
	for i, r := range old.records {
		at[r.off] = i
	}
	off := len(text)
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	off -= len(text)
	var lines []oldLine
	for text := range bytes.Lines(text) {
		indent := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
		l := oldLine{text: bytes.TrimSuffix(text, []byte("\n")), pos: -1}
		if head, err := transcript.DecodeHead(text); err == nil {
			l.object = true
			if i, ok := at[int64(off+indent)]; ok && head.Type != transcript.TypeSession {
				l.pos = i
			}
		}
		lines = append(lines, l)
		off += len(text)
	}
	return lines
}

// oldEntry is an entry of an older version: what changes, and the rest.
type oldEntry struct {
	Type string `json:"type"`
	transcript.EntryBase
	FirstKeptEntryID    transcript.EntryID `json:"firstKeptEntryId,omitzero"`
	FirstKeptEntryIndex *int               `json:"firstKeptEntryIndex,omitzero"`
	Message             jsontext.Value     `json:"message,omitzero"`
	Rest                jsontext.Value     `json:",embed"`
}

// upgradeEntry returns the entry in the current version. One of an unknown form has nothing
// to change and stays as it is.
func upgradeEntry(line []byte, id, parent transcript.EntryID, ids []transcript.EntryID) []byte {
	var e oldEntry
	if err := json.Unmarshal(line, &e, lenient.Options); err != nil {
		return line
	}
	e.ID, e.ParentID = id, parent
	if at := e.FirstKeptEntryIndex; at != nil && *at >= 0 && *at < len(ids) {
		e.FirstKeptEntryID, e.FirstKeptEntryIndex = ids[*at], nil
	}
	e.Message = renameRole(e.Message)
	out, err := json.Marshal(&e, lenient.Options)
	if err != nil {
		return line
	}
	return out
}

func renameRole(message jsontext.Value) jsontext.Value {
	var fields map[string]jsontext.Value
	if json.Unmarshal(message, &fields, lenient.Options) != nil || string(fields["role"]) != `"hookMessage"` {
		return message
	}
	fields["role"] = jsontext.Value(`"` + transcript.RoleCustom + `"`)
	out, err := json.Marshal(fields, lenient.Options, json.Deterministic(true))
	if err != nil {
		return message
	}
	return out
}

// replace puts the text in the place of the file. The new file is locked before it can be
// found.
func (s *Store) replace(text []byte) (err error) {
	info, err := s.disk.file.Stat()
	if err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := f.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return s.swap(f.Name(), path)
}

// swap moves the new file into the place of the old one.
func (s *Store) swap(from, to string) error {
	if !lockSelf { // the lock is another file; Windows renames only what is closed
		s.disk.file.Close()
		if err := os.Rename(from, to); err != nil {
			return err
		}
		f, err := os.OpenFile(to, os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return s.disk.open(f, s.disk.lock)
	}
	f, err := os.OpenFile(from, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	l, err := acquire(from, f)
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		l.release()
		f.Close()
		return err
	}
	return errors.Join(s.release(), s.disk.open(f, l))
}
