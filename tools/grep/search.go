package grep

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/internal/gitignore"
	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/listing"
	"github.com/rondo-agent/rondo/tools/internal/walk"
)

const (
	maxWorkers = 8
	// ahead is how many files may be searched before an earlier one is done.
	ahead = 64
)

// ignoreFiles are those that ripgrep reads besides .gitignore.
var ignoreFiles = []string{".rgignore", ".ignore"}

// search is one call of the tool.
type search struct {
	files          host.Host
	matcher        *matcher
	context, limit int
	filter         func(rel string, dir bool) gitignore.Verdict
}

// file searches one file, whatever ignore files say.
func (s *search) file(ctx context.Context, name string, p *page) error {
	found := newScanner(s).open(ctx, name)
	if found.err != nil {
		return fmt.Errorf("search %s: %w", name, found.err)
	}
	p.take(filepath.Base(name), found)
	if found.binary {
		p.out.Notice("This is a binary file: it was searched only up to its first NUL byte")
	}
	return nil
}

func (s *scanner) open(ctx context.Context, name string) *found {
	if ctx.Err() != nil {
		return &found{err: context.Cause(ctx)}
	}
	f, err := s.files.Open(ctx, name)
	if err != nil {
		return &found{err: err}
	}
	defer f.Close()
	return s.scan(ctx, f)
}

// job is a file to search. Its result arrives in done.
type job struct {
	walk.Entry
	done chan *found
}

// folder searches several files at a time and takes their results in the order of the
// paths. It returns when everything that it has started has ended.
func (s *search) folder(ctx context.Context, dir string, p *page) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	ordered, work := make(chan *job, ahead), make(chan *job)
	group.Go(func() {
		defer close(ordered)
		defer close(work)
		s.walk(ctx, dir, ordered, work)
	})
	for range min(runtime.GOMAXPROCS(0), maxWorkers) {
		group.Go(func() {
			var scanner *scanner
			for j := range work {
				if scanner == nil {
					scanner = newScanner(s)
				}
				j.done <- scanner.open(ctx, j.Path)
			}
		})
	}
	for j := range ordered {
		select {
		case found := <-j.done:
			if found.err != nil && j.Rel == "" {
				return fmt.Errorf("search %s: %w", dir, found.err)
			}
			if !p.take(j.Rel, found) {
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// walk sends each file to ordered, and to work if it can be searched.
func (s *search) walk(ctx context.Context, dir string, ordered, work chan<- *job) {
	opts := &walk.Options{IgnoreFiles: ignoreFiles, RequireGit: true, Override: s.filter}
	for e, err := range walk.Dir(ctx, s.files, dir, opts) {
		if err == nil && !e.Type.IsRegular() {
			continue
		}
		j := &job{e, make(chan *found, 1)}
		if !send(ctx, ordered, j) {
			return
		}
		if err != nil {
			j.done <- &found{err: err}
		} else if !send(ctx, work, j) {
			return
		}
	}
}

func send(ctx context.Context, to chan<- *job, j *job) bool {
	select {
	case to <- j:
		return true
	case <-ctx.Done():
		return false
	}
}

// page is the result under construction.
type page struct {
	context, limit int
	out            listing.Output
	details        Details
	matches        int
	unreadable     int
	longLines      int
}

// take adds what was found in a file. It reports whether more is wanted.
func (p *page) take(name string, f *found) bool {
	if f.err != nil {
		p.unreadable++
	}
	p.longLines += f.longLines
	last := math.MinInt / 2 // the number of the last match
	for _, l := range f.lines {
		switch {
		case l.match && p.matches == p.limit:
			return p.more()
		case l.match:
			p.matches++
			last = l.number
		case p.matches == p.limit && l.number > last+p.context:
			continue // context of a match that is not shown
		}
		p.add(name, l)
	}
	if f.more {
		return p.more()
	}
	return !f.full && !p.out.Full()
}

func (p *page) more() bool {
	p.details.MatchLimitReached = p.limit
	return false
}

func (p *page) add(name string, l line) {
	p.details.LinesTruncated = p.details.LinesTruncated || l.cut
	mark, after := "-", "- "
	if l.match {
		mark, after = ":", ": "
	}
	p.out.Line(name, mark, strconv.Itoa(l.number), after, l.text)
}

func (p *page) result() (*agent.ToolResult, error) {
	if p.details.MatchLimitReached > 0 {
		p.out.Notice("The limit of %d matches is reached; there are more: narrow the pattern, path or glob, or raise limit", p.limit)
	}
	if p.details.LinesTruncated {
		p.out.Notice("Long lines are cut at %d characters; use read to see them whole", maxChars)
	}
	if p.longLines > 0 {
		p.out.Notice("Lines of which only the first %d MB were searched: %d", maxLine>>20, p.longLines)
	}
	if p.unreadable > 0 {
		p.out.Notice("Files and folders that could not be read: %d", p.unreadable)
	}
	var text string
	text, p.details.Truncation = p.out.Text("No matches found")
	return listing.Result(text, p.details)
}
