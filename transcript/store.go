package transcript

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Store keeps the entries of one session: transcript/jsonl in a file, transcript/memory in
// memory. All methods may be called from any goroutine; iterators see the entries that
// were there when the loop began, and the loop's body may call the store.
//
// Errors of reading are those of the file underneath; a store in memory has none.
type Store interface {
	// Header returns the session's header, which must not be changed.
	Header() *Header
	// Path returns the session's file, which may not exist yet; it is empty for a
	// session in memory.
	Path() string
	// Append adds entries in order and moves the leaf to the last one. An entry without
	// id gets one and becomes a child of the leaf; one with an id keeps it and its
	// parent, which must be in the store. A zero timestamp becomes now.
	//
	// When Append returns nil, the entries are stored (law S5). When it returns an error,
	// none is, the entries and the leaf are as before, and the call may be repeated.
	Append(entries ...Entry) error
	// Leaf returns the entry that the next one becomes a child of. After opening, it is
	// the last entry.
	Leaf() EntryID
	// SetLeaf moves the leaf; the empty id makes the next entry a root. The move itself
	// is not stored (Pi 0.85). It returns ErrNoEntry for an unknown id.
	SetLeaf(id EntryID) error
	// Len returns the number of entries.
	Len() int
	// Entry returns one entry, or ErrNoEntry.
	Entry(id EntryID) (Entry, error)
	// Entries yields the entries in the order in which they were added, of these types
	// or, without any, of all.
	Entries(types ...string) iter.Seq2[Entry, error]
	// After yields the entries that were added after the entry id, so that an id is a
	// cursor; the empty id stands for the beginning. An unknown id yields ErrNoEntry.
	After(id EntryID, types ...string) iter.Seq2[Entry, error]
	// Ancestors yields the entry from and its ancestors up to the root, of these types
	// or, without any, of all. An unknown id yields ErrNoEntry.
	Ancestors(from EntryID, types ...string) iter.Seq2[Entry, error]
	// Close ends the use of the store. Entries that an unsaved session still holds back
	// are dropped.
	Close() error
}

// Errors of a [Store].
var (
	// ErrNoEntry means that the session has no entry with the given id.
	ErrNoEntry = errors.New("no such entry in this session")
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("the session is closed")
	// ErrReadOnly means that the store was opened for reading.
	ErrReadOnly = errors.New("the session is open for reading only")
)

// NoEntry returns the error for an entry that is not there; it is [ErrNoEntry].
func NoEntry(id EntryID) error { return fmt.Errorf("entry %q: %w", id, ErrNoEntry) }

// Branch returns the path from the root to the entry leaf.
func Branch(s Store, leaf EntryID) ([]Entry, error) {
	if leaf == "" {
		return nil, nil
	}
	var path []Entry
	for e, err := range s.Ancestors(leaf) {
		if err != nil {
			return nil, err
		}
		path = append(path, e)
	}
	slices.Reverse(path)
	return path, nil
}

// Name returns the name that the session was given last, or an empty string.
func Name(s Store) (string, error) {
	var name string
	for e, err := range s.Entries(TypeInfo) {
		if err != nil {
			return "", err
		}
		if info, ok := e.(*InfoEntry); ok {
			name = info.Name
		}
	}
	return name, nil
}

// ValidID reports whether id can name a session: up to 200 letters, digits, and . _ - are
// allowed, since it becomes part of a file's name.
func ValidID(id string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return id != "" && len(id) <= 200 && strings.Trim(id, allowed) == ""
}

// NewID returns an id for a new session: a UUID of version 7, whose order is that of time.
func NewID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16)
	rand.Read(b[6:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// CanonicalDir returns the one name of a folder: absolute and without symbolic links, so
// that a project is the same however it was entered. A folder that does not exist is only
// cleaned.
func CanonicalDir(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if volume := filepath.VolumeName(dir); len(volume) == 2 { // c: and C: are one drive
		dir = upperDrive(volume) + dir[2:]
	}
	return dir
}

func upperDrive(volume string) string {
	if c := volume[0]; c >= 'a' && c <= 'z' {
		return string(c-'a'+'A') + volume[1:]
	}
	return volume
}

// MissingDirError means that the folder that a session works in is gone. Nothing may run
// in another one without being asked.
type MissingDirError struct {
	// Dir is the folder that the session's header names.
	Dir string
	Err error
}

// Error tells what to do.
func (e *MissingDirError) Error() string {
	return fmt.Sprintf("the session's folder %q cannot be used (%v); create it, or fork the session in the folder that it should go on in", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *MissingDirError) Unwrap() error { return e.Err }

// Dir returns the canonical name of the folder that the session works in, or a
// [*MissingDirError] if that is not a folder any more.
func (h *Header) Dir() (string, error) {
	info, err := os.Stat(h.CWD)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return "", &MissingDirError{Dir: h.CWD, Err: err}
	}
	return CanonicalDir(h.CWD), nil
}
