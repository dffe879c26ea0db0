// Package picture checks images and makes them small enough for models.
//
// One broken image in a conversation makes a provider refuse every later request, so
// nothing goes into a message that was not decoded here first.
package picture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// The MIME types of the images that this package reads.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	BMP  = "image/bmp"
)

// The limits for images in messages (Pi 0.85): the longest side in pixels, and the length
// in base64.
const (
	MaxSide   = 2000
	MaxBase64 = 4*1024*1024 + 512*1024
)

// maxPixels bounds the memory that decoding takes, whatever a small file claims to hold.
const maxPixels = 128 << 20

// ErrUnsupported says that data is no image of a type that this package reads.
var ErrUnsupported = errors.New("not a PNG, JPEG, GIF, WebP or BMP image")

// Picture is an image ready for a message.
type Picture struct {
	Data     []byte
	MIMEType string
	// Width and Height are the size in pixels.
	Width, Height int
	// OriginalWidth and OriginalHeight are the size before it was scaled, seen upright.
	OriginalWidth, OriginalHeight int
}

// Base64 is the data as messages carry it.
func (p *Picture) Base64() string { return base64.StdEncoding.EncodeToString(p.Data) }

// Scaled says whether the picture has another size than its file.
func (p *Picture) Scaled() bool {
	return p.Width != p.OriginalWidth || p.Height != p.OriginalHeight
}

// Check reports why an image must not go into a message: its base64 is broken, its MIME
// type is none that providers take, or the data is no complete image of that type.
func Check(data, mimeType string) error {
	switch mimeType {
	case PNG, JPEG, GIF, WebP:
	default:
		return fmt.Errorf("images of type %q are not supported", mimeType)
	}
	if strings.ContainsAny(data, "\r\n") {
		return errors.New("the image's base64 has line breaks")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return fmt.Errorf("the image is not valid base64: %w", err)
	}
	found, ok := Sniff(raw)
	if !ok {
		return ErrUnsupported
	}
	if found != mimeType {
		return fmt.Errorf("the image is of type %s, not %s", found, mimeType)
	}
	_, err = decode(raw, found)
	return err
}

// decoded is an image and the size that its header promises.
type decoded struct {
	img           image.Image // nil for an animation that need not be decoded
	width, height int
}

var decoders = map[string]struct {
	config func([]byte) (image.Config, error)
	full   func([]byte) (image.Image, error)
}{
	PNG: {
		func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) },
		func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) },
	},
	JPEG: {
		func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) },
		func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) },
	},
	GIF: {
		func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) },
		func(b []byte) (image.Image, error) { return gif.Decode(bytes.NewReader(b)) },
	},
	WebP: {
		func(b []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(b)) },
		func(b []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(b)) },
	},
	BMP: {
		func(b []byte) (image.Config, error) { return bmp.DecodeConfig(bytes.NewReader(b)) },
		func(b []byte) (image.Image, error) { return bmp.Decode(bytes.NewReader(b)) },
	},
}

// open is decode of an image whose type its data tell.
func open(data []byte) (d *decoded, mimeType string, err error) {
	mimeType, ok := Sniff(data)
	if !ok {
		return nil, "", ErrUnsupported
	}
	d, err = decode(data, mimeType)
	return d, mimeType, err
}

// measure is decode without the picture; moves says that it is an animation that need not be
// decoded.
func measure(data []byte, mimeType string) (d *decoded, moves bool, err error) {
	if mimeType == WebP {
		if width, height, ok := animatedWebP(data); ok {
			return &decoded{width: width, height: height}, true, nil
		}
	}
	config, err := decoders[mimeType].config(data)
	if err != nil {
		return nil, false, fmt.Errorf("the %s image is damaged: %w", mimeType, err)
	}
	if config.Width < 1 || config.Height < 1 {
		return nil, false, fmt.Errorf("the %s image has no pixels", mimeType)
	}
	return &decoded{width: config.Width, height: config.Height}, false, nil
}

func decode(data []byte, mimeType string) (*decoded, error) {
	d, moves, err := measure(data, mimeType)
	if err != nil || moves {
		return d, err
	}
	if d.width > maxPixels/d.height {
		return nil, fmt.Errorf("the %s image has %d×%d pixels, too many to decode", mimeType, d.width, d.height)
	}
	d.img, err = decoders[mimeType].full(data)
	if err != nil {
		return nil, fmt.Errorf("the %s image is damaged: %w", mimeType, err)
	}
	return d, nil
}
