package session

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/picture"
	"github.com/rondo-agent/rondo/internal/textfile"
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
	text, _ := textfile.Decode(data)
	p.Text += fmt.Sprintf("<file name=%q>\n%s\n</file>\n", abs, text)
	return nil
}
