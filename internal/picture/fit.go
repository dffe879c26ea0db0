package picture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"

	"golang.org/x/image/draw"
)

// Limits bound what [Fit] returns. The zero value stands for [MaxSide] and [MaxBase64].
type Limits struct {
	// MaxSide is the longest width and height in pixels.
	MaxSide int
	// MaxBase64 is the length in base64 that is not reached.
	MaxBase64 int
}

func (l *Limits) orDefault() Limits {
	limits := Limits{MaxSide, MaxBase64}
	if l != nil && l.MaxSide > 0 {
		limits.MaxSide = l.MaxSide
	}
	if l != nil && l.MaxBase64 > 0 {
		limits.MaxBase64 = l.MaxBase64
	}
	return limits
}

// Load checks an image file and returns it as it is, except that a BMP, which no provider
// takes, becomes a PNG. The error is [ErrUnsupported] or says what is wrong with the data.
func Load(data []byte) (*Picture, error) {
	return load(data, Limits{math.MaxInt, math.MaxInt})
}

// Fit is like [Load], but scales and compresses an image that is above the limits. A photo
// that is stored turned is then turned upright. Of an animation, the first picture is left.
func Fit(data []byte, limits *Limits) (*Picture, error) { return load(data, limits.orDefault()) }

func load(data []byte, limits Limits) (*Picture, error) {
	d, mimeType, err := open(data)
	if err != nil {
		return nil, err
	}
	p := &Picture{data, mimeType, d.width, d.height, d.width, d.height}
	if mimeType != BMP && limits.allow(p) {
		return p, nil
	}
	if d.img == nil {
		return nil, fmt.Errorf("the animation is above the limits (%d×%d pixels, %d bytes) and cannot be scaled", d.width, d.height, len(data))
	}
	return shrink(d.img, mimeType, orientation(data, mimeType), limits)
}

func (l Limits) allow(p *Picture) bool {
	return p.Width <= l.MaxSide && p.Height <= l.MaxSide && base64.StdEncoding.EncodedLen(len(p.Data)) < l.MaxBase64
}

// shrinkStep is the ratio of the sizes tried when no compression is enough (Pi 0.85).
const shrinkStep = 0.75

// shrink finds the largest size whose encoding is within limits.
func shrink(img image.Image, mimeType string, turn int, limits Limits) (*Picture, error) {
	size := img.Bounds().Size()
	ratio := min(1, float64(limits.MaxSide)/float64(max(size.X, size.Y)))
	base := upright(scale(img, scaled(size, ratio)), turn)
	full, original := base.Bounds().Size(), size
	if swapsSides(turn) {
		original.X, original.Y = size.Y, size.X
	}
	for ratio := 1.0; ; ratio *= shrinkStep {
		size := scaled(full, ratio)
		data, mimeType, err := encode(scale(base, size), mimeType == JPEG, limits.MaxBase64)
		if err != nil {
			return nil, fmt.Errorf("compress the image: %w", err)
		}
		if data != nil {
			return &Picture{data, mimeType, size.X, size.Y, original.X, original.Y}, nil
		}
		if size == image.Pt(1, 1) {
			return nil, errors.New("the image cannot be made small enough")
		}
	}
}

func scaled(size image.Point, ratio float64) image.Point {
	side := func(n int) int { return max(1, int(math.Round(float64(n)*ratio))) }
	return image.Pt(side(size.X), side(size.Y))
}

// qualities are the JPEG qualities tried in order.
var qualities = [...]int{85, 70, 55, 40}

// encode returns the first encoding below maxBase64, or nil. What was no photo stays
// lossless where it can.
func encode(img image.Image, photo bool, maxBase64 int) (data []byte, mimeType string, err error) {
	var buf bytes.Buffer
	fits := func() bool { return base64.StdEncoding.EncodedLen(buf.Len()) < maxBase64 }
	if !photo {
		if err := png.Encode(&buf, img); err != nil {
			return nil, "", err
		}
		if fits() {
			return buf.Bytes(), PNG, nil
		}
	}
	opaque := onWhite(img)
	for _, quality := range qualities {
		buf.Reset()
		if err := jpeg.Encode(&buf, opaque, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", err
		}
		if fits() {
			return buf.Bytes(), JPEG, nil
		}
	}
	return nil, "", nil
}

// onWhite fills what is transparent, which JPEG would make black.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	dst := image.NewRGBA(img.Bounds())
	draw.Draw(dst, dst.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(dst, dst.Bounds(), img, img.Bounds().Min, draw.Over)
	return dst
}
