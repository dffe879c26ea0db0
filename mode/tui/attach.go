package tui

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/session"
)

// imageTypes are the endings of files that are sent as images when a prompt names them.
var imageTypes = []string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// attachImages adds the images whose paths stand in a prompt, as terminals paste them when a
// file is dropped.
func attachImages(p *session.Prompt, dir string) {
	for _, word := range words(p.Text) {
		path := strings.TrimPrefix(word, "@")
		if !isImage(path) {
			continue
		}
		if strings.HasPrefix(path, "~/") {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, path[2:])
			}
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			with := *p
			if !strings.HasSuffix(with.Text, "\n") {
				with.Text += "\n"
			}
			if with.Attach(path) == nil && len(with.Images) > len(p.Images) {
				*p = with
			}
		}
	}
}

func isImage(path string) bool {
	for _, ending := range imageTypes {
		if strings.HasSuffix(strings.ToLower(path), ending) {
			return true
		}
	}
	return false
}

// words divides a text at blanks, but not in quotes and not behind a backslash.
func words(s string) []string {
	var all []string
	var b strings.Builder
	var quote rune
	escaped := false
	flush := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for _, r := range s {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && filepath.Separator == '/':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				b.WriteRune(r)
			}
		case (r == '"' || r == '\'') && b.Len() == 0:
			quote = r
		case r == ' ' || r == '\n':
			flush()
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return all
}
