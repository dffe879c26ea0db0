package read_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/picture"
	"github.com/rondo-agent/rondo/tools/read"
)

// dot and webpDot are a PNG of 2×2 and a WebP of 1×1 pixels.
const (
	dot     = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mP4z8AARAwQCgAf7gP9Y167WwAAAABJRU5ErkJggg=="
	webpDot = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
)

func fromBase64(t *testing.T, s string) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// imageOf returns the note and the image of a result.
func imageOf(t *testing.T, result *agent.ToolResult) (string, *ai.Image) {
	t.Helper()
	if len(result.Content) != 2 {
		t.Fatalf("%d blocks: %.100q", len(result.Content), result.Content.Text())
	}
	note, isText := result.Content[0].(*ai.Text)
	img, isImage := result.Content[1].(*ai.Image)
	if !isText || !isImage {
		t.Fatalf("blocks %T, %T", result.Content[0], result.Content[1])
	}
	return note.Text, img
}

func TestImagesAreKnownByTheirContent(t *testing.T) {
	var jpegData, gifData, bmpData bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 3, 2))
	if err := jpeg.Encode(&jpegData, img, nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&gifData, img, nil); err != nil {
		t.Fatal(err)
	}
	if err := bmp.Encode(&bmpData, img); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"dot.png": fromBase64(t, dot), "jpeg.png": jpegData.String(), "noname": gifData.String(),
		"dot.webp": fromBase64(t, webpDot), "dot.bmp": bmpData.String(),
		"list.gif": "GIFT list\n- socks\n", "gif89.txt": "GIF89a is a format\nfor pictures.\n", "cars.bmp": "BMW\n", "empty.png": "",
	}
	tool := read.New(folder(t, files), nil)
	for name, want := range map[string]string{
		"dot.png": "image/png", "jpeg.png": "image/jpeg", "noname": "image/gif", "dot.webp": "image/webp", "dot.bmp": "image/png",
	} {
		result, err := call(t, tool, args{"path": name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		note, img := imageOf(t, result)
		if note != "Image "+name+" ("+want+")" || img.MIMEType != want {
			t.Errorf("%s: %q, %s", name, note, img.MIMEType)
		}
		if name != "dot.bmp" && img.Data != base64.StdEncoding.EncodeToString([]byte(files[name])) {
			t.Errorf("%s: the data was changed", name)
		}
	}
	for _, name := range []string{"list.gif", "gif89.txt", "cars.bmp", "empty.png"} {
		if got := text(t, tool, args{"path": name}); got != files[name] {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDamagedImageIsAnError(t *testing.T) {
	whole := fromBase64(t, dot)
	tool := read.New(folder(t, map[string]string{"cut.png": whole[:40], "bad.jpg": "\xff\xd8\xff\xe0 no jpeg \x00"}), nil)
	for _, name := range []string{"cut.png", "bad.jpg"} {
		if result, err := call(t, tool, args{"path": name}); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v, %v", name, result, err)
		}
	}
}

func TestLargeImageIsScaled(t *testing.T) {
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 3000, 300))); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"wide.png": data.String()})
	result, err := call(t, read.New(dir, nil), args{"path": "wide.png"})
	if err != nil {
		t.Fatal(err)
	}
	note, img := imageOf(t, result)
	if want := "Image wide.png (image/png), scaled from 3000×300 to 2000×200 pixels: multiply coordinates by 1.50 to get those in the file"; note != want {
		t.Errorf("note %q", note)
	}
	if err := picture.Check(img.Data, img.MIMEType); err != nil {
		t.Error(err)
	}
	result, err = call(t, read.New(dir, &read.Options{KeepImageSize: true}), args{"path": "wide.png"})
	if err != nil {
		t.Fatal(err)
	}
	if _, img := imageOf(t, result); img.Data != base64.StdEncoding.EncodeToString(data.Bytes()) {
		t.Error("the image was changed")
	}
}
