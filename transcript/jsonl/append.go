package jsonl

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Append implements [transcript.Store]. The entries are one write to the file; see the
// guarantees in the package's comment.
func (s *Store) Append(entries ...transcript.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return transcript.ErrClosed
	case s.opts.ReadOnly:
		return transcript.ErrReadOnly
	}
	undo, err := s.index.Admit(entries)
	if err != nil {
		return err
	}
	if err := s.store(entries); err != nil {
		undo()
		return fmt.Errorf("append to session: %w", err)
	}
	return nil
}

// store writes the entries, or holds them back.
func (s *Store) store(entries []transcript.Entry) error {
	s.buf = s.buf[:0]
	added := make([]record, 0, 4)
	if !s.disk.saved {
		if !starts(entries) {
			return s.holdBack(entries)
		}
		if err := s.create(); err != nil {
			return err
		}
		var err error
		if added, err = s.appendHeld(added); err != nil {
			return err
		}
	} else if err := s.ensure(); err != nil {
		return err
	} else if s.disk.torn {
		s.buf = append(s.buf, '\n')
	}
	for _, e := range entries {
		raw, err := transcript.EncodeEntry(e)
		if err != nil {
			return err
		}
		added = append(added, s.line(s.kinds.number(e.Type()), raw, false))
	}
	at, err := s.write(s.buf)
	if err != nil {
		return err
	}
	if !s.disk.saved {
		s.disk.saved, s.records, s.held = true, s.records[:0], nil
	}
	for _, r := range added {
		s.recent.add(len(s.records), s.buf, r)
		r.off += at
		s.records = append(s.records, r)
	}
	if cap(s.buf) > bufferSize {
		s.buf = nil // one large entry does not keep its memory
	}
	return nil
}

// line adds a line to the buffer and returns where it is there.
func (s *Store) line(kind uint32, raw []byte, moved bool) record {
	r := record{kind: kind, off: int64(len(s.buf)), size: len(raw), moved: moved}
	s.buf = append(append(s.buf, raw...), '\n')
	return r
}

// starts reports whether a session becomes worth a file with these entries: a message of
// the conversation is among them.
func starts(entries []transcript.Entry) bool {
	for _, e := range entries {
		if m, ok := e.(*transcript.MessageEntry); ok {
			switch m.Message.Role() {
			case ai.RoleUser, ai.RoleAssistant, ai.RoleToolResult:
				return true
			}
		}
	}
	return false
}

func (s *Store) holdBack(entries []transcript.Entry) error {
	held := make([][]byte, 0, len(entries))
	for _, e := range entries {
		raw, err := transcript.EncodeEntry(e)
		if err != nil {
			return err
		}
		held = append(held, raw)
	}
	for _, e := range entries {
		s.records = append(s.records, record{kind: s.kinds.number(e.Type())})
	}
	s.held = append(s.held, held...)
	return nil
}

// appendHeld puts the header and the entries that were held back into the buffer.
func (s *Store) appendHeld(added []record) ([]record, error) {
	header, err := json.Marshal(s.header)
	if err != nil {
		return nil, fmt.Errorf("write session header: %w", err)
	}
	s.line(0, header, false)
	for i, r := range s.records {
		added = append(added, s.line(r.kind, s.held[i], r.moved))
	}
	return added, nil
}

// create makes the file, for its owner alone: a session may hold secrets.
func (s *Store) create() error {
	if s.disk.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	l, err := acquire(s.path, f)
	if err != nil {
		f.Close()
		return err
	}
	s.disk.created, s.data = true, f
	return s.disk.open(f, l)
}

// write appends whole lines to the file with one call and returns where they begin. If it
// fails, the file is as it was.
func (s *Store) write(lines []byte) (at int64, err error) {
	n, err := s.disk.file.Write(lines)
	if err == nil && s.opts.Sync {
		err = s.disk.file.Sync()
	}
	end, seekErr := s.disk.file.Seek(0, io.SeekCurrent)
	if seekErr != nil {
		end = s.disk.size + int64(n)
	}
	at = end - int64(n)
	if err != nil {
		s.disk.size, s.disk.torn = at, s.disk.torn || at != s.disk.size
		if n > 0 && s.disk.file.Truncate(at) != nil {
			s.disk.size, s.disk.torn = end, true
		}
		return 0, err
	}
	if at != s.disk.size {
		s.problems = append(s.problems, Problem{Offset: s.disk.size, Err: fmt.Errorf("another program wrote %d bytes here; they are read when the session is opened again", at-s.disk.size)})
	}
	s.disk.size, s.disk.torn = end, false
	return at, nil
}
