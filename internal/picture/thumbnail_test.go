package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/rondo-agent/rondo/internal/picture"
)

// TestThumbnail: any image becomes a PNG of the size that there is room for, upright, and none
// that is larger than it was.
func TestThumbnail(t *testing.T) {
	img := plain(40, 20)
	for y := range 20 {
		for x := range 20 {
			img.Set(x, y, color.RGBA{255, 0, 0, 255})
		}
	}
	for _, c := range []struct {
		mimeType      string
		turn          byte
		width, height int
		want          image.Point
		red           image.Point
	}{
		{picture.PNG, 0, 20, 100, image.Pt(20, 10), image.Pt(4, 5)},
		{picture.PNG, 0, 100, 100, image.Pt(40, 20), image.Pt(4, 5)},
		{picture.GIF, 0, 100, 5, image.Pt(10, 5), image.Pt(2, 2)},
		{picture.JPEG, 6, 10, 100, image.Pt(10, 20), image.Pt(5, 4)},
	} {
		data := encoded(t, c.mimeType, img)
		if c.turn != 0 {
			data = withOrientation(data, c.turn)
		}
		width, height, found, err := picture.Size(data)
		if want := image.Pt(40, 20); err != nil || found != c.mimeType || c.turn == 0 && image.Pt(width, height) != want || c.turn != 0 && image.Pt(height, width) != want {
			t.Errorf("%s: %dx%d of %s, %v", c.mimeType, width, height, found, err)
		}
		p, err := picture.Thumbnail(data, c.width, c.height)
		if err != nil {
			t.Fatal(err)
		}
		out, err := png.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		if size := out.Bounds().Size(); size != c.want || size != image.Pt(p.Width, p.Height) || p.OriginalWidth != width {
			t.Errorf("%s: %v, %+v", c.mimeType, size, *p)
		}
		if _, green, _, _ := out.At(c.red.X, c.red.Y).RGBA(); green > 0x5000 {
			t.Errorf("%s: it is turned: %x", c.mimeType, green)
		}
	}
	if _, err := picture.Thumbnail([]byte("no image"), 10, 10); err == nil {
		t.Error("what is no image has a thumbnail")
	}
	if _, _, _, err := picture.Size([]byte("no image")); err == nil {
		t.Error("what is no image has a size")
	}
}
