package picture

import (
	"encoding/binary"
	"image"
)

// orientation is how a camera says that it was held: 1 to 8 as in EXIF, 1 is upright.
// Encoding drops EXIF, so a photo that is encoded again must be turned before.
func orientation(data []byte, mimeType string) int {
	if mimeType != JPEG {
		return 1
	}
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		marker, size := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
		if marker == 0xda || size < 2 || len(rest) < 2+size {
			break
		}
		if body := rest[4 : 2+size]; marker == 0xe1 && len(body) > 6 && string(body[:6]) == "Exif\x00\x00" {
			return exifOrientation(body[6:])
		}
		rest = rest[2+size:]
	}
	return 1
}

// exifOrientation reads tag 0x0112 of the first directory of a TIFF structure.
func exifOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 0x0112 {
			if turn := int(order.Uint16(entries[8:])); 1 <= turn && turn <= 8 {
				return turn
			}
		}
		entries = entries[12:]
	}
	return 1
}

// swapsSides says whether width and height change places.
func swapsSides(turn int) bool { return turn >= 5 }

// upright undoes an orientation.
func upright(img image.Image, turn int) image.Image {
	if turn == 1 {
		return img
	}
	b := img.Bounds()
	last := image.Pt(b.Dx()-1, b.Dy()-1)
	size := b.Size()
	if swapsSides(turn) {
		size = image.Pt(size.Y, size.X)
	}
	dst := image.NewRGBA(image.Rectangle{Max: size})
	for y := range b.Dy() {
		for x := range b.Dx() {
			at := place(turn, x, y, last)
			dst.Set(at.X, at.Y, img.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return dst
}

// place is where a stored pixel is in the upright picture.
func place(turn, x, y int, last image.Point) image.Point {
	switch turn {
	case 2:
		return image.Pt(last.X-x, y)
	case 3:
		return image.Pt(last.X-x, last.Y-y)
	case 4:
		return image.Pt(x, last.Y-y)
	case 5:
		return image.Pt(y, x)
	case 6:
		return image.Pt(last.Y-y, x)
	case 7:
		return image.Pt(last.Y-y, last.X-x)
	case 8:
		return image.Pt(y, last.X-x)
	default:
		return image.Pt(x, y)
	}
}
