package graphics

import (
	"encoding/base64"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/internal/picture"
)

// Image is an image as the terminal shows it.
type Image struct {
	id            uint32
	key           key
	label         string // what is shown where the image is not
	columns, rows int

	// These are set once: ready is closed then. The PNG is nil if there is none.
	ready chan struct{}
	png   []byte
}

// key is an image at a size.
type key struct {
	sum           uint64
	length        int
	columns, rows int
}

var seed = maphash.MakeSeed()

// What a store keeps of images that were not shown lately.
const (
	keptImages = 200
	keptBytes  = 64 << 20
)

// Store has the images that references stand for. Its methods may be called from any
// goroutine.
type Store struct {
	// Changed is called when an image can be shown that could not.
	Changed func()

	mu       sync.Mutex
	protocol Protocol
	cell     Cell
	off      bool
	images   map[uint32]*Image
	known    map[key]*Image
	order    []*Image // the one that was used last at the end
	bytes    int
}

// Use says how the terminal is sent images.
func (s *Store) Use(p Protocol) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.protocol = p
}

// SetOff says that no images are wanted.
func (s *Store) SetOff(off bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = off
}

// SetCell says how large a character is.
func (s *Store) SetCell(c Cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Width > 0 && c.Height > 0 {
		s.cell = c
	}
}

// Protocol returns how images are shown now, and the size of a character.
func (s *Store) Protocol() (Protocol, Cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cell := s.cell
	if cell == (Cell{}) {
		cell = DefaultCell
	}
	if s.off {
		return Protocol{}, cell
	}
	return s.protocol, cell
}

// Label is what stands for an image that is not shown; the size may be unknown.
func Label(mimeType string, width, height int) string {
	if width <= 0 {
		return "[image: " + mimeType + "]"
	}
	return fmt.Sprintf("[image: %s %dx%d]", mimeType, width, height)
}

// Describe returns the label of an image in base64.
func Describe(data, mimeType string) string {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return Label(mimeType, 0, 0)
	}
	width, height, found, err := picture.Size(raw)
	if err != nil {
		return Label(mimeType, 0, 0)
	}
	return Label(found, width, height)
}

// Add returns references to the rows of an image in base64 that takes at most so many cells;
// nil if it cannot be shown.
func (s *Store) Add(data, mimeType string, columns, rows int) []string {
	protocol, cell := s.Protocol()
	if protocol.Name == "" || columns < 1 || rows < 1 {
		return nil
	}
	k := key{sum: maphash.String(seed, data), length: len(data), columns: min(columns, most), rows: min(rows, most)}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.known[k]
	if i == nil {
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil
		}
		width, height, found, err := picture.Size(raw)
		if err != nil {
			return nil
		}
		i = &Image{key: k, label: Label(found, width, height), ready: make(chan struct{})}
		i.columns, i.rows = fit(width, height, cell, k.columns, k.rows)
		s.keep(i)
		go s.prepare(i, raw, i.columns*cell.Width, i.rows*cell.Height)
	}
	s.use(i)
	refs := make([]string, i.rows)
	for row := range refs {
		refs[row] = refTo(i.id, row)
	}
	return refs
}

// keep gives an image its number, which cannot be guessed.
func (s *Store) keep(i *Image) {
	if s.images == nil {
		s.images, s.known = make(map[uint32]*Image), make(map[key]*Image)
	}
	for i.id == 0 || s.images[i.id] != nil {
		i.id = rand.Uint32N(1 << 24) // as many as there are colours of placeholders
	}
	s.images[i.id], s.known[i.key] = i, i
}

// use makes an image the last of those that are dropped, and drops the first.
func (s *Store) use(i *Image) {
	s.order = append(slices.DeleteFunc(s.order, func(o *Image) bool { return o == i }), i)
	for len(s.order) > 1 && (len(s.order) > keptImages || s.bytes > keptBytes) {
		old := s.order[0]
		s.order = s.order[1:]
		s.bytes -= len(old.png)
		delete(s.images, old.id)
		delete(s.known, old.key)
	}
}

// prepare makes the PNG, which may take a while.
func (s *Store) prepare(i *Image, raw []byte, width, height int) {
	p, err := picture.Thumbnail(raw, width, height)
	s.mu.Lock()
	if err == nil {
		i.png = p.Data
		if s.images[i.id] == i {
			s.bytes += len(i.png)
		}
	}
	close(i.ready)
	s.mu.Unlock()
	if s.Changed != nil {
		s.Changed()
	}
}

// reference matches what Add returns.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b_rondo;([0-9]{1,8});([0-9]{1,3})\x1b\\\\")
})

func refTo(id uint32, row int) string { return fmt.Sprintf("\x1b_rondo;%d;%d\x1b\\", id, row) }

// IsReference reports whether a sequence has the form of a reference.
func IsReference(seq string) bool {
	return strings.HasPrefix(seq, mark) && reference().FindString(seq) == seq
}

// mark begins a reference.
const mark = "\x1b_rondo;"

// Ready reports whether all images of the lines can be shown, or never will.
func (s *Store) Ready(lines []string) bool {
	for _, l := range lines {
		if !strings.Contains(l, mark) {
			continue
		}
		for _, m := range reference().FindAllStringSubmatch(l, -1) {
			if i, _ := s.find(m); i != nil && !done(i) {
				return false
			}
		}
	}
	return true
}

func done(i *Image) bool {
	select {
	case <-i.ready:
		return true
	default:
		return false
	}
}

// find returns the image of a reference and the row of it; nil if there is none.
func (s *Store) find(m []string) (i *Image, row int) {
	id, _ := strconv.Atoi(m[1])
	row, _ = strconv.Atoi(m[2])
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.images[uint32(id)], row
}
