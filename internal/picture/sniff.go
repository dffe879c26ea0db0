package picture

import (
	"bytes"
	"encoding/binary"
)

// SniffLen is how much of a file's beginning [Sniff] may look at.
const SniffLen = 64

// Sniff finds an image's MIME type by its complete signature, not by a few letters that a
// text may begin with too.
func Sniff(head []byte) (mimeType string, ok bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG, true
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG, true
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return GIF, true
	case len(head) >= 16 && string(head[:4]) == "RIFF" && string(head[8:15]) == "WEBPVP8":
		return WebP, true
	case isBMP(head):
		return BMP, true
	}
	return "", false
}

// isBMP wants a known header size and pixels behind the headers, because BM alone begins
// many texts.
func isBMP(head []byte) bool {
	if len(head) < 26 || string(head[:2]) != "BM" {
		return false
	}
	pixels, header := binary.LittleEndian.Uint32(head[10:]), binary.LittleEndian.Uint32(head[14:])
	switch header {
	case 12, 40, 52, 56, 64, 108, 124:
		return pixels >= 14+header
	}
	return false
}

// animatedWebP recognises a complete animation, which the decoder cannot read, and returns
// the size of its canvas.
func animatedWebP(data []byte) (width, height int, ok bool) {
	const animation = 1 << 1
	if len(data) < 30 || string(data[12:16]) != "VP8X" || data[20]&animation == 0 {
		return 0, 0, false
	}
	if size := binary.LittleEndian.Uint32(data[4:]); uint64(size)+8 > uint64(len(data)) || !bytes.Contains(data, []byte("ANMF")) {
		return 0, 0, false
	}
	return 1 + uint24(data[24:]), 1 + uint24(data[27:]), true
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
