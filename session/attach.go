package session

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/picture"
)

// Attach adds a file to the prompt: a text as an element with its path, an image beside
// the text. An empty file adds nothing.
func (p *Prompt) Attach(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("attach %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return fmt.Errorf("attach a file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("attach %s: it is not a regular file", path)
	}
	data, err := os.ReadFile(abs)
	if err != nil {
		return fmt.Errorf("attach a file: %w", err)
	}
	if len(data) == 0 {
		return nil
	}
	if mime, ok := picture.Sniff(data); ok {
		p.Images = append(p.Images, &ai.Image{Data: base64.StdEncoding.EncodeToString(data), MIMEType: mime})
		p.Text += fmt.Sprintf("<file name=%q></file>\n", abs)
		return nil
	}
	p.Text += fmt.Sprintf("<file name=%q>\n%s\n</file>\n", abs, strings.ToValidUTF8(string(data), "\uFFFD"))
	return nil
}
