package command

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/session"
)

// Folder is where a session works.
func Folder(s *session.Session) string {
	if dir := s.Store().Header().CWD; dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

// inFolder returns a path as seen from the session's folder.
func (c *Commands) inFolder(path string) string {
	path = strings.Trim(path, `"`)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(Folder(c.session()), path)
}
