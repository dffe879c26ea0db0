package jsonl

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/transcript"
)

// Summary is what a list says about a session.
type Summary struct {
	Info
	// Name is what the session was called last; empty if it has no name.
	Name string
	// First is the beginning of the user's first message.
	First string
	// Messages counts those of all branches.
	Messages int
}

// firstLimit bounds Summary.First, in bytes.
const firstLimit = 500

// ListOptions are the settings of [List] and [ListAll]. The zero value lists everything.
type ListOptions struct {
	// Named leaves out sessions without a name.
	Named bool
	// Search leaves out sessions in which a word of it is missing: in the name, the id, the
	// folder and what user and model have said. Case does not count.
	Search string
	// Progress, if set, is called after each file, from one goroutine at a time.
	Progress func(done, total int)
	// Known, if set, is asked for a session before its file is read: it may return the
	// summary of an earlier list for one that has not been written since. It may be called
	// by several goroutines at once, and is not asked in a search.
	Known func(*Info) *Summary
	// Readers is how many files are read at once; 0 means ten.
	Readers int
}

// List returns the sessions of the working folder cwd in dir, the one that was written last
// first; those of all folders if cwd is empty. Files that are no sessions are left out.
func List(ctx context.Context, dir, cwd string, opts *ListOptions) ([]*Summary, error) {
	files, err := list(dir)
	if err != nil {
		return nil, err
	}
	if cwd != "" {
		cwd = transcript.CanonicalDir(cwd)
	}
	return summarize(ctx, files, cwd, opts)
}

// ListAll returns the sessions of all projects, whose folders lie below root, the one that
// was written last first.
func ListAll(ctx context.Context, root string, opts *ListOptions) ([]*Summary, error) {
	files, err := listProjects(root)
	if err != nil {
		return nil, err
	}
	return summarize(ctx, files, "", opts)
}

// summarize reads the files, a few at a time.
func summarize(ctx context.Context, files []*Info, cwd string, opts *ListOptions) ([]*Summary, error) {
	if opts == nil {
		opts = &ListOptions{}
	}
	found := make([]*Summary, len(files))
	var next atomic.Int64
	var done int
	var mu sync.Mutex
	var readers sync.WaitGroup
	for range min(cmp.Or(opts.Readers, 10), len(files)) {
		readers.Go(func() {
			r := bufio.NewReaderSize(nil, 256<<10)
			for i := next.Add(1) - 1; i < int64(len(files)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				found[i] = opts.summarize(files[i], cwd, r)
				mu.Lock()
				if done++; opts.Progress != nil {
					opts.Progress(done, len(files))
				}
				mu.Unlock()
			}
		})
	}
	readers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(s *Summary) bool { return s == nil })
	slices.SortStableFunc(found, func(a, b *Summary) int {
		return cmp.Or(b.Modified.Compare(a.Modified), strings.Compare(b.Path, a.Path))
	})
	return found, nil
}

// summarize reads one file; nil for one that is left out.
func (o *ListOptions) summarize(info *Info, cwd string, r *bufio.Reader) *Summary {
	if info.read() != nil || cwd != "" && transcript.CanonicalDir(info.Header.CWD) != cwd {
		return nil
	}
	if o.Known != nil && o.Search == "" {
		if known := o.Known(info); known != nil {
			if o.Named && known.Name == "" {
				return nil
			}
			return known
		}
	}
	s := &scan{Summary: Summary{Info: *info}, missing: strings.Fields(strings.ToLower(o.Search))}
	if s.read(r) != nil || o.Named && s.Name == "" {
		return nil
	}
	s.look(s.Name)
	s.look(s.Header.ID)
	s.look(s.Header.CWD)
	if len(s.missing) > 0 {
		return nil
	}
	return &s.Summary
}

// scan reads a session for its summary, without its tree.
type scan struct {
	Summary
	missing []string // words that have not been found yet
}

func (s *scan) read(r *bufio.Reader) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	r.Reset(f)
	lines := lineReader{r: r}
	for {
		line, _, err := lines.next()
		s.line(line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line takes what a list needs of a line. Only lines that have it are decoded: those of a
// large session are many.
func (s *scan) line(line []byte) {
	switch string(kindOf(line)) {
	case transcript.TypeMessage:
		s.Messages++
		if s.First == "" || len(s.missing) > 0 {
			s.message(line)
		}
	case transcript.TypeInfo:
		var info struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(line, &info, lenient.Options) == nil {
			s.Name = info.Name
		}
	}
}

// kindOf returns the type of an entry; empty if the line is none.
func kindOf(line []byte) []byte {
	const head = `{"type":"`
	if rest, ok := bytes.CutPrefix(line, []byte(head)); ok { // as it is usually written
		if kind, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			return kind
		}
	}
	entry, err := transcript.DecodeHead(line)
	if err != nil {
		return nil
	}
	return []byte(entry.Type)
}

func (s *scan) message(line []byte) {
	var entry struct {
		Message struct {
			Role    string     `json:"role"`
			Content ai.Content `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &entry, lenient.Options) != nil {
		return
	}
	m := entry.Message
	if m.Role != ai.RoleUser && m.Role != ai.RoleAssistant {
		return
	}
	text := m.Content.Text()
	if m.Role == ai.RoleUser && s.First == "" {
		s.First = strings.ToValidUTF8(text[:min(len(text), firstLimit)], "")
	}
	s.look(text)
}

// look strikes the words that the text has.
func (s *scan) look(text string) {
	if len(s.missing) == 0 {
		return
	}
	text = strings.ToLower(text)
	s.missing = slices.DeleteFunc(s.missing, func(word string) bool { return strings.Contains(text, word) })
}
