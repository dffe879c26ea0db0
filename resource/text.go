package resource

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rondo-agent/rondo/internal/textfile"
)

// Limits of files, in bytes. A text that is longer would fill the context of a model.
const (
	maxText = 1 << 20
	maxHead = 64 << 10 // of a skill or template whose frontmatter is wanted
)

// errTooLong means that a file is longer than maxText.
var errTooLong = errors.New("is longer than 1 MiB, which is too much for a model; shorten it")

// readText reads a regular file as package textfile does, but not more than limit bytes: of a longer file, the error is errTooLong and the text its beginning.
func readText(path string, limit int) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its other end
		return "", errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	if len(data) > limit {
		data, err = data[:limit], errTooLong
	}
	text, _ := textfile.Decode(data)
	return text, err
}

// readHead reads the beginning of a Markdown file, with all of its frontmatter.
func readHead(path string) (*page, error) {
	text, err := readText(path, maxHead)
	if err != nil && !errors.Is(err, errTooLong) {
		return nil, err
	}
	return parsePage(text)
}

// cause completes a sentence that begins with the path of the file that could not be read.
func cause(err error) error {
	if wrong, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("cannot be read: %w", wrong.Err)
	}
	return err
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// Escape makes a text safe in an element or attribute of XML.
func Escape(text string) string { return escaper.Replace(text) }

func quoted(text string) string { return `"` + Escape(text) + `"` }
