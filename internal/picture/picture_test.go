package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/rondo-agent/rondo/internal/picture"
)

// webp1x1 is a lossless WebP of one pixel.
const webp1x1 = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func encoded(t testing.TB, mimeType string, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	var err error
	switch mimeType {
	case picture.PNG:
		err = png.Encode(&buf, img)
	case picture.JPEG:
		err = jpeg.Encode(&buf, img, nil)
	case picture.GIF:
		err = gif.Encode(&buf, img, nil)
	case picture.BMP:
		err = bmp.Encode(&buf, img)
	case picture.WebP:
		data, err := base64.StdEncoding.DecodeString(webp1x1)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func plain(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	return img
}

func noise(width, height int) *image.RGBA {
	img := plain(width, height)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		if i%4 != 3 {
			img.Pix[i] = uint8(r.Uint32())
		}
	}
	return img
}

var all = []string{picture.PNG, picture.JPEG, picture.GIF, picture.WebP, picture.BMP}

func TestTypesByFullSignature(t *testing.T) {
	for _, mimeType := range all {
		if got, ok := picture.Sniff(encoded(t, mimeType, plain(3, 2))); !ok || got != mimeType {
			t.Errorf("%s is taken for %q", mimeType, got)
		}
	}
	for _, text := range []string{
		"", "G", "GIFT list\n- socks", "GIF86a", "BM", "BMW and Audi build cars in Germany\n", "RIFF raff, a text about\n",
		"RIFF\x00\x00\x00\x00WAVEfmt ", "\x89PNG\n", "PNG", "II*\x00 tiff", "%PDF-1.7",
	} {
		if got, ok := picture.Sniff([]byte(text)); ok {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestLoadKeepsTheBytes(t *testing.T) {
	for _, mimeType := range all {
		data := encoded(t, mimeType, plain(3, 2))
		p, err := picture.Load(data)
		if err != nil {
			t.Errorf("%s: %v", mimeType, err)
			continue
		}
		if mimeType == picture.BMP {
			if p.MIMEType != picture.PNG || p.Width != 3 || p.Height != 2 {
				t.Errorf("a BMP became %s, %d×%d", p.MIMEType, p.Width, p.Height)
			}
		} else if p.MIMEType != mimeType || !bytes.Equal(p.Data, data) {
			t.Errorf("%s was changed", mimeType)
		}
		if err := picture.Check(p.Base64(), p.MIMEType); err != nil {
			t.Errorf("%s: %v", mimeType, err)
		}
	}
}

func TestBrokenImagesAreErrors(t *testing.T) {
	good := encoded(t, picture.PNG, noise(20, 20))
	b64 := base64.StdEncoding.EncodeToString
	tests := map[string]struct{ data, mimeType string }{
		"no base64":       {"!!!", picture.PNG},
		"type":            {b64(good), "image/tiff"},
		"no type":         {b64(good), ""},
		"other type":      {b64(good), picture.JPEG},
		"empty":           {"", picture.PNG},
		"text":            {b64([]byte("hello")), picture.PNG},
		"cut":             {b64(good[:len(good)-30]), picture.PNG},
		"only signature":  {b64(good[:8]), picture.PNG},
		"line breaks":     {b64(good)[:8] + "\n" + b64(good)[8:], picture.PNG},
		"bmp in messages": {b64(encoded(t, picture.BMP, plain(2, 2))), picture.BMP},
		"too many pixels": {b64(hugePNG()), picture.PNG},
	}
	for name, tt := range tests {
		if err := picture.Check(tt.data, tt.mimeType); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := picture.Check(b64(good), picture.PNG); err != nil {
		t.Error(err)
	}
	if _, err := picture.Load([]byte("text")); !errors.Is(err, picture.ErrUnsupported) {
		t.Errorf("Load of text: %v", err)
	}
}

// hugePNG claims 60 000 × 60 000 pixels.
func hugePNG() []byte {
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	data := buf.Bytes()
	binary.BigEndian.PutUint32(data[16:], 60_000)
	binary.BigEndian.PutUint32(data[20:], 60_000)
	return data
}

func TestFitScales(t *testing.T) {
	tests := []struct {
		mimeType              string
		width, height         int
		wantWidth, wantHeight int
		wantType              string
	}{
		{picture.PNG, 2000, 20, 2000, 20, picture.PNG},
		{picture.PNG, 20, 2001, 20, 2000, picture.PNG},
		{picture.PNG, 3000, 30, 2000, 20, picture.PNG},
		{picture.JPEG, 24, 4800, 10, 2000, picture.JPEG},
		{picture.GIF, 2500, 5, 2000, 4, picture.PNG},
		{picture.BMP, 4100, 1, 2000, 1, picture.PNG},
	}
	for _, tt := range tests {
		p, err := picture.Fit(encoded(t, tt.mimeType, plain(tt.width, tt.height)), nil)
		if err != nil {
			t.Errorf("%s %d×%d: %v", tt.mimeType, tt.width, tt.height, err)
			continue
		}
		if p.Width != tt.wantWidth || p.Height != tt.wantHeight || p.MIMEType != tt.wantType {
			t.Errorf("%s %d×%d became %s %d×%d", tt.mimeType, tt.width, tt.height, p.MIMEType, p.Width, p.Height)
		}
		if p.OriginalWidth != tt.width || p.OriginalHeight != tt.height || p.Scaled() != (tt.width > 2000 || tt.height > 2000) {
			t.Errorf("%s: original %d×%d", tt.mimeType, p.OriginalWidth, p.OriginalHeight)
		}
		if err := picture.Check(p.Base64(), p.MIMEType); err != nil {
			t.Error(err)
		}
		img, _, err := image.Decode(bytes.NewReader(p.Data))
		if err != nil || img.Bounds().Size() != image.Pt(p.Width, p.Height) {
			t.Errorf("%s: %v, %v", tt.mimeType, img.Bounds(), err)
		}
		if r, g, b, a := img.At(p.Width/2, p.Height/2).RGBA(); min(r, g, b, a) < 0xfb00 {
			t.Errorf("%s: white became %x %x %x %x", tt.mimeType, r, g, b, a)
		}
	}
}

func TestFitStaysBelowTheByteLimit(t *testing.T) {
	data := encoded(t, picture.PNG, noise(120, 80))
	for _, limit := range []int{50_000, 20_000, 8_000, 1_500} {
		p, err := picture.Fit(data, &picture.Limits{MaxBase64: limit})
		if err != nil {
			t.Errorf("limit %d: %v", limit, err)
			continue
		}
		if got := len(p.Base64()); got >= limit {
			t.Errorf("limit %d: %d bytes", limit, got)
		}
	}
	if _, err := picture.Fit(data, &picture.Limits{MaxBase64: 50}); err == nil {
		t.Error("nothing has 50 bytes")
	}
}

func TestTransparencyBecomesWhiteInJPEG(t *testing.T) {
	img := noise(300, 300)
	for y := range 300 {
		for x := range 150 {
			img.Set(x, y, color.Transparent)
		}
	}
	p, err := picture.Fit(encoded(t, picture.PNG, img), &picture.Limits{MaxBase64: 60_000})
	if err != nil || p.MIMEType != picture.JPEG {
		t.Fatalf("%v, %v", p, err)
	}
	out, err := jpeg.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, _, _, _ := out.At(p.Width/4, p.Height/2).RGBA(); r < 0xf000 {
		t.Errorf("transparent became %x", r)
	}
}

func TestPhotoIsTurnedUpright(t *testing.T) {
	// Stored: 40 wide, 20 high, red at the left. Orientation 6 means that the stored left
	// is the top.
	img := plain(40, 20)
	for y := range 20 {
		for x := range 20 {
			img.Set(x, y, color.RGBA{255, 0, 0, 255})
		}
	}
	for turn, want := range map[byte]struct{ red, white image.Point }{
		1: {image.Pt(2, 5), image.Pt(17, 5)},
		2: {image.Pt(17, 5), image.Pt(2, 5)},
		3: {image.Pt(17, 5), image.Pt(2, 5)},
		4: {image.Pt(2, 5), image.Pt(17, 5)},
		5: {image.Pt(5, 2), image.Pt(5, 17)},
		6: {image.Pt(5, 2), image.Pt(5, 17)},
		7: {image.Pt(5, 17), image.Pt(5, 2)},
		8: {image.Pt(5, 17), image.Pt(5, 2)},
	} {
		p, err := picture.Fit(withOrientation(encoded(t, picture.JPEG, img), turn), &picture.Limits{MaxSide: 20})
		if err != nil {
			t.Fatal(err)
		}
		out, err := jpeg.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		green := func(at image.Point) uint32 { _, g, _, _ := out.At(at.X, at.Y).RGBA(); return g }
		if green(want.red) > 0x4000 || green(want.white) < 0xc000 {
			t.Errorf("orientation %d: %v, red %x, white %x", turn, out.Bounds(), green(want.red), green(want.white))
		}
	}
}

func withOrientation(data []byte, turn byte) []byte {
	exif := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), turn, 0, 0, 0, 0, 0, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return append(append(append([]byte{}, data[:2]...), append(segment, exif...)...), data[2:]...)
}

func TestAnimatedWebPIsKept(t *testing.T) {
	data := make([]byte, 60)
	copy(data, "RIFF")
	binary.LittleEndian.PutUint32(data[4:], 52)
	copy(data[8:], "WEBPVP8X")
	data[16], data[20], data[24], data[27] = 10, 2, 99, 49
	copy(data[30:], "ANIM")
	copy(data[44:], "ANMF")
	p, err := picture.Fit(data, nil)
	if err != nil || p.Width != 100 || p.Height != 50 || !bytes.Equal(p.Data, data) {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := picture.Fit(data, &picture.Limits{MaxSide: 20}); err == nil {
		t.Error("an animation was scaled")
	}
	if _, err := picture.Load(data[:50]); err == nil {
		t.Error("a cut animation was accepted")
	}
}

func FuzzLoad(f *testing.F) {
	for _, mimeType := range all {
		f.Add(encoded(f, mimeType, plain(3, 2)))
	}
	f.Add(withOrientation(encoded(f, picture.JPEG, plain(3, 2)), 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := picture.Fit(data, &picture.Limits{MaxSide: 2})
		if err == nil && (p.Width > 2 || p.Height > 2) {
			t.Errorf("%d×%d", p.Width, p.Height)
		}
	})
}

func BenchmarkFit(b *testing.B) {
	data := encoded(b, picture.JPEG, noise(4000, 3000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := picture.Fit(data, nil); err != nil {
			b.Fatal(err)
		}
	}
}
