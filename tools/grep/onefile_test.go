package grep_test

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/tools/grep"
	"github.com/rondo-agent/rondo/tools/host"
)

var errEOF = io.EOF

type reader = io.Reader

// oneFile is a file system with one file, /big, that is made while it is read.
type oneFile struct {
	host.Host
	open func() reader
}

type bigInfo struct{}

func (f oneFile) Stat(context.Context, string) (fs.FileInfo, error)      { return bigInfo{}, nil }
func (f oneFile) ReadDir(context.Context, string) ([]fs.DirEntry, error) { return nil, nil }
func (f oneFile) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(f.open()), nil
}
func (bigInfo) Name() string       { return "big" }
func (bigInfo) Size() int64        { return 0 }
func (bigInfo) Mode() fs.FileMode  { return 0o444 }
func (bigInfo) ModTime() time.Time { return time.Time{} }
func (bigInfo) IsDir() bool        { return false }
func (bigInfo) Sys() any           { return nil }

// runOn searches /big for a needle.
func runOn(ctx context.Context, files host.Host, extra args) (string, error) {
	all := args{"pattern": "needle", "path": "/big"}
	for name, value := range extra {
		all[name] = value
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	result, err := grep.New("/", &grep.Options{Host: files}).Execute(ctx, &agent.Call{Args: raw})
	if err != nil {
		return "", err
	}
	return result.Content[0].(*ai.Text).Text, nil
}
