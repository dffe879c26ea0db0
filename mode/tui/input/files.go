package input

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/internal/fuzzy"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/tools"
)

// files are the names of the files below a folder.
type files struct {
	dir     string
	names   []string
	at      time.Time
	reading bool
}

// How many files are looked at, for how long, and how long the names are good for.
const (
	maxFiles    = 50_000
	filesLimit  = 2 * time.Second
	filesExpiry = 10 * time.Second
)

// readFiles reads the names beside the screen, unless they are new; what is there already is
// used meanwhile.
func (b *Box) readFiles() *files {
	dir := b.Source.Folder()
	if b.files == nil || b.files.dir != dir {
		b.files = &files{dir: dir}
	}
	f := b.files
	if f.reading || time.Since(f.at) < filesExpiry {
		return f
	}
	f.reading = true
	b.Do(func(ctx context.Context) func() {
		names := fileNames(ctx, dir)
		return func() {
			f.names, f.at, f.reading = names, time.Now(), false
			if b.files == f && b.Source.Writing() {
				b.Complete(false)
			}
		}
	})
	return f
}

func fileNames(ctx context.Context, dir string) []string {
	ctx, cancel := context.WithTimeout(ctx, filesLimit)
	defer cancel()
	var names []string
	for name := range tools.Files(ctx, dir) {
		if text.Clean(name) == name {
			names = append(names, name)
		}
		if len(names) == maxFiles {
			break
		}
	}
	return names
}

// matchFiles returns the files that fit, the best first.
func matchFiles(names []string, query string) []Suggestion {
	type scored struct {
		name  string
		score float64
	}
	var fits []scored
	for _, name := range names {
		trimmed := strings.TrimSuffix(name, "/")
		whole := fuzzy.Words(query, name)
		if !whole.OK {
			continue
		}
		score := whole.Score + float64(strings.Count(name, "/"))/100
		if base := fuzzy.Words(query, trimmed[strings.LastIndexByte(trimmed, '/')+1:]); base.OK {
			score += base.Score
		}
		fits = append(fits, scored{name, score})
	}
	slices.SortStableFunc(fits, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	var items []Suggestion
	for _, f := range fits[:min(len(fits), maxSuggestions)] {
		value := "@" + f.name
		if strings.Contains(f.name, " ") {
			value = `@"` + f.name + `"`
		}
		if !strings.HasSuffix(f.name, "/") {
			value += " "
		}
		items = append(items, Suggestion{Label: f.name, Value: value})
	}
	return items
}

// paths completes a path of the file system, as seen from a folder.
func paths(folder, word string) []Suggestion {
	dir, base := filepath.Split(word)
	where := dir
	if strings.HasPrefix(dir, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			where = filepath.Join(home, dir[2:])
		}
	}
	if !filepath.IsAbs(where) {
		where = filepath.Join(folder, where)
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return nil
	}
	var items []Suggestion
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") || text.Clean(name) != name {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		items = append(items, Suggestion{Label: name, Value: dir + name})
	}
	return items
}
