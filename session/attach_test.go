package session_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/session"
)

func widePNG(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 8))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func width(t *testing.T, m *ai.UserMessage) int {
	t.Helper()
	for _, block := range m.Content {
		if img, ok := block.(*ai.Image); ok {
			data, err := base64.StdEncoding.DecodeString(img.Data)
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := image.DecodeConfig(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			return c.Width
		}
	}
	return 0
}

func TestQueuedImagesAreFittedToo(t *testing.T) {
	gate := make(chan struct{})
	m := &model{replies: []func(context.Context, *ai.Writer) error{held("one", gate), text("two"), text("three")}}
	s := open(t, inMemory(), m, session.Options{})
	large := []*ai.Image{{Data: base64.StdEncoding.EncodeToString(widePNG(t, 9000)), MIMEType: "image/png"}}
	a, err := s.Start(session.Prompt{Text: "look", Images: large})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(session.Prompt{Text: "and here", Images: large, WhileBusy: session.Steer}); err != nil {
		t.Fatal(err)
	}
	if err := s.Queue(session.Prompt{Images: large}, session.FollowUp); err != nil {
		t.Fatal(err)
	}
	close(gate)
	if _, err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	users := 0
	for _, msg := range s.Messages() {
		if u, ok := msg.(*ai.UserMessage); ok {
			users++
			if w := width(t, u); w == 0 || w > 2000 {
				t.Errorf("message %d has an image %d pixels wide", users, w)
			}
		}
	}
	if users != 3 {
		t.Errorf("%d messages arrived", users)
	}
}

func TestAttach(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var p session.Prompt
	for _, path := range []string{write("a.txt", []byte("alpha\n")), write("empty", nil), write("b.png", widePNG(t, 4)), write("c.txt", []byte("x\xffy"))} {
		if err := p.Attach(path); err != nil {
			t.Fatal(err)
		}
	}
	want := `<file name="` + dir + "/a.txt\">\nalpha\n\n</file>\n" + `<file name="` + dir + "/b.png\"></file>\n" + `<file name="` + dir + "/c.txt\">\nx\uFFFDy\n</file>\n"
	if filepath.ToSlash(p.Text) != filepath.ToSlash(want) || len(p.Images) != 1 || p.Images[0].MIMEType != "image/png" {
		t.Errorf("%q, %d images", p.Text, len(p.Images))
	}
	for _, bad := range []string{dir, filepath.Join(dir, "missing")} {
		if err := p.Attach(bad); err == nil || !strings.Contains(err.Error(), "attach") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
