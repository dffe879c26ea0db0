package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/tools"
)

// files are the names of the files below the folder, for completion.
type files struct {
	dir     string
	names   []string
	at      time.Time
	reading bool
}

// How many files are looked at, for how long, and how long the names are good for.
const (
	mostFiles   = 50_000
	filesLimit  = 2 * time.Second
	filesExpiry = 10 * time.Second
)

// readFiles reads the names beside the screen, unless they are new; what is there already is
// used meanwhile.
func (a *app) readFiles() {
	dir := folder(a.session())
	if a.files == nil || a.files.dir != dir {
		a.files = &files{dir: dir}
	}
	f := a.files
	if f.reading || time.Since(f.at) < filesExpiry {
		return
	}
	f.reading = true
	a.do(func(ctx context.Context) callMsg {
		ctx, cancel := context.WithTimeout(ctx, filesLimit)
		defer cancel()
		var names []string
		for name := range tools.Files(ctx, dir) {
			if text.Clean(name) == name {
				names = append(names, name)
			}
			if len(names) == mostFiles {
				break
			}
		}
		return func(a *app) {
			f.names, f.at, f.reading = names, time.Now(), false
			if a.files == f && a.writing() {
				a.completeNow(false)
			}
		}
	})
}

// matchFiles returns the files that fit, the best first.
func matchFiles(names []string, query string) []item {
	type scored struct {
		name  string
		score int
	}
	var fits []scored
	for _, name := range names {
		trimmed := strings.TrimSuffix(name, "/")
		base := trimmed[strings.LastIndexByte(trimmed, '/')+1:]
		score, ok := fuzzyScore(query, name)
		if !ok {
			continue
		}
		if n, ok := fuzzyScore(query, base); ok {
			score += n
		}
		fits = append(fits, scored{name, score - strings.Count(name, "/")})
	}
	slices.SortStableFunc(fits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var items []item
	for _, f := range fits[:min(len(fits), mostCompletions)] {
		value := "@" + f.name
		if strings.Contains(f.name, " ") {
			value = `@"` + f.name + `"`
		}
		if !strings.HasSuffix(f.name, "/") {
			value += " "
		}
		items = append(items, item{label: f.name, value: value})
	}
	return items
}
