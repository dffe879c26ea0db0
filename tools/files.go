package tools

import (
	"context"
	"io/fs"
	"iter"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/internal/walk"
)

// Files lists what is below a folder of this machine as the tool find sees it: without what ignore files
// exclude. Names are relative to the folder, and those of folders end with a slash. Folders
// that cannot be read are left out.
func Files(ctx context.Context, dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e, err := range walk.Dir(ctx, host.Local, dir, nil) {
			if err != nil || e.Rel == "" {
				if ctx.Err() != nil {
					return
				}
				continue
			}
			name := e.Rel
			if e.Type&fs.ModeDir != 0 {
				name += "/"
			}
			if !yield(name) {
				return
			}
		}
	}
}
