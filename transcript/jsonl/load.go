package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"github.com/rondo-agent/rondo/transcript"
)

// byteOrderMark is what some editors put before a text.
const byteOrderMark = "\xef\xbb\xbf"

// maxHeader is how far into a file its header is looked for (Pi 0.85).
const maxHeader = 1 << 20

// loader reads a session file and builds the tree of its entries.
type loader struct {
	path     string
	header   *transcript.Header // nil for an empty file
	scan     scanner
	index    transcript.Index
	kinds    kinds
	records  []record
	problems []Problem
	size     int64
	torn     bool
	number   int // of the current line

	// The parents of entries whose own parent cannot be read.
	lost   map[transcript.EntryID]int
	gap    int  // entry before the latest unreadable part that has no readable id, or -1
	hasGap bool // and no child of it has been found yet
}

// bufferSize is how much of a file is in memory while it is read. Only a line that is
// damaged is looked at as a whole.
const bufferSize = 256 << 10

// load reads a whole file.
func load(path string, file *os.File) (*loader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	return loadFrom(path, file, info.Size())
}

func loadFrom(path string, file io.ReaderAt, size int64) (*loader, error) {
	l := &loader{path: path, lost: make(map[transcript.EntryID]int)}
	r := bufio.NewReaderSize(io.NewSectionReader(file, 0, size), bufferSize)
	for l.size < size {
		line, err := l.scanLine(r)
		if err == nil {
			err = l.take(line, file)
		}
		if err != nil {
			return nil, err
		}
	}
	if l.header == nil && l.size > 0 {
		return nil, l.notASession("no line in it is a session header")
	}
	return l, nil
}

// scanned is a line that the scanner has looked at.
type scanned struct {
	off, size int64
	text      []byte // nil if it is longer than the buffer
}

// scanLine feeds a line to the scanner.
func (l *loader) scanLine(r *bufio.Reader) (scanned, error) {
	line := scanned{off: l.size}
	l.scan.reset()
	for {
		piece, err := r.ReadSlice('\n')
		if line.text = nil; line.size == 0 && !errors.Is(err, bufio.ErrBufferFull) {
			line.text = piece
		}
		line.size += int64(len(piece))
		l.scan.feed(piece)
		if len(piece) > 0 {
			l.torn = piece[len(piece)-1] != '\n'
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil || errors.Is(err, io.EOF) && line.size > 0:
			l.size += line.size
			l.number++
			return line, nil
		}
		return line, fmt.Errorf("read session %s: %w", l.path, err)
	}
}

// take takes what the line is. One that the scanner does not know is read.
func (l *loader) take(line scanned, file io.ReaderAt) error {
	if l.header != nil && l.scan.found() {
		l.add(l.head(), line.off+l.scan.begin, int(l.scan.end-l.scan.begin))
		return nil
	}
	if l.header == nil && line.off+line.size > maxHeader {
		return l.notASession("it does not begin with a session header")
	}
	if line.text == nil {
		line.text = make([]byte, line.size)
		if _, err := file.ReadAt(line.text, line.off); err != nil {
			return fmt.Errorf("read session %s: %w", l.path, err)
		}
	}
	return l.line(line.text, line.off)
}

// head is what the scanner has found. Most entries are children of the one before them:
// then its id is used again.
func (l *loader) head() transcript.EntryHead {
	head := transcript.EntryHead{Type: l.kinds.name(l.kinds.numberOf(l.scan.typ))}
	head.ID = transcript.EntryID(l.scan.id)
	if n := l.index.Len(); n > 0 && string(l.scan.parent) == string(l.index.ID(n-1)) {
		head.ParentID = l.index.ID(n - 1)
	} else {
		head.ParentID = transcript.EntryID(l.scan.parent)
	}
	return head
}

func (l *loader) notASession(reason string) error {
	return &FormatError{Path: l.path, Reason: reason}
}

// lineReader splits a file into lines of any length.
type lineReader struct {
	r    *bufio.Reader
	off  int64
	long []byte
}

// next returns a line with its newline, valid until the next call, and where it begins.
// The last line may come together with io.EOF.
func (l *lineReader) next() (line []byte, off int64, err error) {
	off = l.off
	line, err = l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = l.r.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	l.off += int64(len(line))
	return line, off, err
}

// line reads one line, newline included.
func (l *loader) line(line []byte, off int64) error {
	if l.number == 1 {
		line, off = skip(line, off, len(line)-len(bytes.TrimPrefix(line, []byte(byteOrderMark))))
	}
	line, off = skip(line, off, len(line)-len(bytes.TrimLeft(line, " \t\r\n")))
	line = bytes.TrimRight(line, " \t\r\n")
	if len(line) == 0 {
		return nil
	}
	head, err := transcript.DecodeHead(line)
	if l.header == nil {
		return l.first(line, off, err == nil)
	}
	if err != nil {
		l.salvage(line, off, err)
		return nil
	}
	l.add(head, off, len(line))
	return nil
}

func skip(line []byte, off int64, n int) ([]byte, int64) { return line[n:], off + int64(n) }

// first reads the first line that is JSON, which must be the header.
func (l *loader) first(line []byte, off int64, isJSON bool) error {
	if !isJSON {
		l.report(off, errors.New("not JSON"))
		return nil
	}
	header, err := transcript.DecodeHeader(bytes.Clone(line))
	if err != nil {
		return l.notASession(err.Error())
	}
	if header.Version > transcript.Version {
		return l.notASession(fmt.Sprintf("its version is %d, and this program knows %d; update the program", header.Version, transcript.Version))
	}
	l.header = header
	return nil
}

// add takes an entry that has been found at off.
func (l *loader) add(head transcript.EntryHead, off int64, size int) {
	if head.Type == transcript.TypeSession {
		l.report(off, errors.New("a second header"))
		return
	}
	r := record{kind: l.kinds.number(head.Type), off: off, size: size}
	id, parent := head.ID, len(l.records)-1
	if id == "" {
		id, r.moved = l.madeUpID(off), true
		if l.header.Version >= 2 {
			l.report(off, errors.New("an entry without id"))
		}
	} else {
		if _, taken := l.index.Find(id); taken {
			l.report(off, fmt.Errorf("a second entry with id %q", id))
		}
		parent, r.moved = l.parent(head.ParentID, off)
	}
	l.index.Add(id, parent)
	l.records = append(l.records, r)
}

// parent finds the parent of the next entry. Where that cannot be read, the nearest
// readable entry before it takes its place, and moved is true.
func (l *loader) parent(id transcript.EntryID, off int64) (parent int, moved bool) {
	if id == "" {
		return -1, false
	}
	if i, ok := l.index.Find(id); ok {
		return i, false
	}
	if i, ok := l.lost[id]; ok {
		return i, true
	}
	parent = len(l.records) - 1
	if l.hasGap {
		parent, l.hasGap = l.gap, false
	} else {
		l.report(off, fmt.Errorf("the parent %q is not in the file", id))
	}
	l.lost[id] = parent
	return parent, true
}

// madeUpID returns an id for an entry that has none: always the same for the same place, so
// that what is appended below it finds it again.
func (l *loader) madeUpID(off int64) transcript.EntryID {
	for salt := 0; ; salt++ {
		h := fnv.New32a()
		fmt.Fprintf(h, "%s %d %d", l.header.ID, off, salt)
		id := transcript.EntryID(fmt.Sprintf("%08x", h.Sum32()))
		if _, taken := l.index.Find(id); !taken {
			return id
		}
	}
}

func (l *loader) report(off int64, err error) {
	l.problems = append(l.problems, Problem{Line: l.number, Offset: off, Err: err})
}
