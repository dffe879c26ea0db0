package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/transcript"
)

// diskFile is the open file of a store, and what is known of it.
type diskFile struct {
	file    *os.File // nil until the file exists
	info    os.FileInfo
	lock    *lock
	size    int64
	saved   bool       // the header is in the file
	created bool       // the file is this store's own
	torn    bool       // the file does not end with a newline
	stale   []*os.File // files before this one, which readers may still use
}

// open makes a file that was opened and locked the file of the store.
func (d *diskFile) open(f *os.File, l *lock) (err error) {
	d.file, d.lock = f, l
	d.info, err = f.Stat()
	return err
}

// exchange makes another file the file of the store.
func (d *diskFile) exchange(f *os.File, l *lock) error {
	d.stale = append(d.stale, d.file)
	d.lock.release()
	return d.open(f, l)
}

func (d *diskFile) close() error {
	d.lock.release()
	d.lock = nil
	for _, f := range d.stale {
		f.Close()
	}
	if d.file == nil {
		return nil
	}
	if err := d.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("close session: %w", err)
	}
	return nil
}

// ensure makes sure that what is appended will be found at the path: another program may have
// deleted, emptied or replaced the file since. The mutex is held.
func (s *Store) ensure() error {
	for range 3 {
		info, err := os.Stat(s.path)
		switch {
		case err == nil && os.SameFile(info, s.disk.info) && info.Size() >= s.disk.size:
			return nil
		case err == nil && os.SameFile(info, s.disk.info):
			return s.refill(info.Size())
		case errors.Is(err, fs.ErrNotExist):
			err = s.writeAnew()
		case err == nil && info.Mode().IsRegular():
			err = s.follow()
		case err == nil:
			return s.moveAway()
		}
		if err == nil || !errors.Is(err, fs.ErrExist) && !errors.Is(err, errReplaced) {
			return err
		}
	}
	return s.moveAway()
}

// told takes note of what was done to the file.
func (s *Store) told(path string, lost int, what string) {
	e := &transcript.FileError{Path: path, Now: s.path, Lost: lost, What: what}
	s.problems = append(s.problems, Problem{Offset: s.disk.size, Err: e})
	if s.notify != nil {
		s.notify(e)
	}
}

// writeAnew writes a file that was deleted again. The open file still has all of it.
func (s *Store) writeAnew() error {
	f, l, err := newFile(s.path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(s.disk.file, 0, s.disk.size))
	if err == nil && s.opts.Sync {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, dropFile(f, l))
	}
	if err := s.disk.exchange(f, l); err != nil {
		return err
	}
	s.data = f
	s.told(s.path, 0, "was deleted by another program; it was written again")
	return nil
}

// newFile creates and locks a file, for its owner alone.
func newFile(path string) (*os.File, *lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, err
	}
	l, err := acquire(path, f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, l, nil
}

// dropFile removes a file that could not be written.
func dropFile(f *os.File, l *lock) error {
	err := os.Remove(f.Name())
	l.release()
	f.Close()
	return err
}

// refill writes a file that was emptied, or cut to a size, again: what is left of it, and what
// is in memory.
func (s *Store) refill(left int64) error {
	lines := make([][]byte, len(s.records))
	lost := 0
	for i, r := range s.records {
		if raw, ok := s.recent.lines[i]; ok {
			lines[i] = raw
		} else if r.off+int64(r.size) <= left && !r.lost {
			lines[i] = make([]byte, r.size)
			if _, err := s.disk.file.ReadAt(lines[i], r.off); err != nil {
				return err
			}
		} else {
			lost++
		}
	}
	header, err := json.Marshal(s.header)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.Write(append(header, '\n'))
	records := make([]record, len(s.records))
	for i, raw := range lines {
		records[i] = s.records[i]
		if records[i].lost = raw == nil; raw != nil {
			records[i].off = int64(text.Len())
			text.Write(append(raw, '\n'))
		}
	}
	if err := s.disk.file.Truncate(0); err != nil {
		return err
	}
	if _, err := s.disk.file.Write(text.Bytes()); err != nil {
		s.disk.size = 0
		return errors.Join(err, s.disk.file.Truncate(0))
	}
	s.records, s.disk.size, s.disk.torn = records, int64(text.Len()), false
	s.told(s.path, lost, "was emptied or cut by another program; it was written again")
	return nil
}

// follow goes on in a file that was put in the place of the session's, if it has all of it, as
// after a copy or a sync. Otherwise the session moves to a file of its own.
func (s *Store) follow() error {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return s.moveAway()
	}
	same, err := sameContent(f, s.disk.file, s.disk.size)
	if err != nil || !same {
		return errors.Join(err, f.Close(), s.moveAway())
	}
	l, err := acquire(s.path, f)
	if err != nil {
		f.Close()
		if errors.Is(err, errReplaced) {
			return err
		}
		return s.moveAway()
	}
	if err := s.disk.exchange(f, l); err != nil {
		return err
	}
	s.data = f
	s.told(s.path, 0, "was replaced by another program with the same content; the session goes on in it")
	return nil
}

// sameContent reports whether two files begin with the same n bytes.
func sameContent(a, b io.ReaderAt, n int64) (bool, error) {
	x, y := bufio.NewReader(io.NewSectionReader(a, 0, n)), bufio.NewReader(io.NewSectionReader(b, 0, n))
	p, q := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		i, err := io.ReadFull(x, p)
		j, otherErr := io.ReadFull(y, q)
		if i != j || !bytes.Equal(p[:i], q[:j]) {
			return false, nil
		}
		if err != nil || otherErr != nil {
			return errors.Is(err, io.EOF) == errors.Is(otherErr, io.EOF) && i == j, nil
		}
	}
}

// moveAway goes on in a file of its own beside the one that other content has taken: with a new
// id, since the other file may have the old one.
func (s *Store) moveAway() error {
	header := *s.header
	header.ID, header.ParentSession, header.Timestamp = transcript.NewID(), s.path, transcript.Now()
	path := filepath.Join(filepath.Dir(s.path), FileName(&header))
	first, err := json.Marshal(&header)
	if err != nil {
		return err
	}
	f, l, err := newFile(path)
	if err != nil {
		return err
	}
	old := bufio.NewReader(io.NewSectionReader(s.disk.file, 0, s.disk.size))
	before, err := old.ReadBytes('\n')
	if err == nil {
		if _, err = f.Write(append(first, '\n')); err == nil {
			_, err = io.Copy(f, old)
		}
	}
	if err != nil {
		return errors.Join(err, dropFile(f, l))
	}
	if err := s.disk.exchange(f, l); err != nil {
		return err
	}
	shift := int64(len(first)+1) - int64(len(before))
	for i := range s.records {
		s.records[i].off += shift
	}
	was := s.path
	s.disk.size += shift
	s.data, s.path, s.header, s.disk.created = f, path, &header, true
	s.told(was, 0, fmt.Sprintf("has other content now, by another program; the session goes on in %s", path))
	return nil
}
