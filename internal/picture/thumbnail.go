package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
)

// Size returns the size of an image file in pixels, seen upright, and its type, of what stands
// at its beginning.
func Size(data []byte) (width, height int, mimeType string, err error) {
	mimeType, ok := Sniff(data)
	if !ok {
		return 0, 0, "", ErrUnsupported
	}
	d, moves, err := measure(data, mimeType)
	if err != nil {
		return 0, 0, "", err
	}
	if !moves && swapsSides(orientation(data, mimeType)) {
		return d.height, d.width, mimeType, nil
	}
	return d.width, d.height, mimeType, nil
}

// Thumbnail returns an image as a PNG of at most so many pixels, upright. Of an animation it
// is the first picture.
func Thumbnail(data []byte, width, height int) (*Picture, error) {
	d, mimeType, err := open(data)
	if err != nil {
		return nil, err
	}
	if d.img == nil {
		return nil, fmt.Errorf("the animated %s image cannot be decoded", mimeType)
	}
	turn := orientation(data, mimeType)
	if swapsSides(turn) {
		width, height = height, width
	}
	size := d.img.Bounds().Size()
	ratio := min(1, float64(width)/float64(size.X), float64(height)/float64(size.Y))
	img := upright(scale(d.img, scaled(size, ratio)), turn)
	var buf bytes.Buffer
	quick := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := quick.Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("write a PNG: %w", err)
	}
	now, before := img.Bounds().Size(), image.Pt(d.width, d.height)
	if swapsSides(turn) {
		before = image.Pt(before.Y, before.X)
	}
	return &Picture{buf.Bytes(), PNG, now.X, now.Y, before.X, before.Y}, nil
}
