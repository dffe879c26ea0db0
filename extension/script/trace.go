package script

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-sourcemap/sourcemap"
)

// frame is one line of a stack: "    at name (file:line:column)".
var frame = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\(?([^()\s][^()]*):(\d+):(\d+)\)?$`) })

// trace translates the places of a stack to those of the source files, and leaves out the
// frames of the host's own modules.
func (e *Engine) trace(stack string) string {
	if stack == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(stack) {
		line = strings.TrimRight(line, "\n")
		if strings.Contains(line, "<eval>") || strings.HasSuffix(line, "(native)") || line == "" {
			continue
		}
		b.WriteString(e.place(line))
		b.WriteByte('\n')
	}
	return b.String()
}

func (e *Engine) place(line string) string {
	at := frame().FindStringSubmatchIndex(line)
	if at == nil {
		return line
	}
	file := strings.TrimPrefix(line[at[2]:at[3]], "at ")
	bundle, ok := e.modules[file]
	if !ok {
		return line
	}
	row, _ := strconv.Atoi(line[at[4]:at[5]])
	col, _ := strconv.Atoi(line[at[6]:at[7]])
	source, row, col, ok := bundle.origin(row, col)
	if !ok {
		return line
	}
	return fmt.Sprintf("%s%s:%d:%d%s", line[:at[3]-len(file)], source, row, col, line[at[7]:])
}

// origin finds the place in a source file. Lines and columns count from 1.
func (b *Bundle) origin(line, column int) (file string, row, col int, ok bool) {
	raw := b.maps()
	if raw == nil {
		return "", 0, 0, false
	}
	m, err := sourcemap.Parse("", raw)
	if err != nil {
		return "", 0, 0, false
	}
	source, _, row, col, ok := m.Source(line, column-1)
	if !ok || strings.HasPrefix(source, "library:") {
		return "", 0, 0, false
	}
	return filepath.Join(filepath.Dir(b.Path), filepath.FromSlash(source)), row, col + 1, true
}

// culprit returns the extension whose code stands first in a stack, translated or not.
func (e *Engine) culprit(stack string) string {
	for line := range strings.Lines(stack) {
		at := frame().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if at == nil {
			continue
		}
		file := strings.TrimPrefix(at[1], "at ")
		if b, ok := e.modules[file]; ok {
			return b.extension()
		}
		if owner := e.ownerOf(file); owner != "" {
			return owner
		}
		for _, b := range e.modules {
			if strings.HasPrefix(file, filepath.Dir(b.Path)+string(filepath.Separator)) {
				return b.extension()
			}
		}
	}
	only := ""
	for _, b := range e.modules {
		if only != "" && only != b.extension() {
			return ""
		}
		only = b.extension()
	}
	return only
}
