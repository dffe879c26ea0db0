package picture

import (
	"image"

	"golang.org/x/image/draw"
)

// scale returns img in another, not larger, size. A large picture is first averaged in
// blocks, which needs no memory for intermediate values and no time for each of them.
func scale(img image.Image, size image.Point) image.Image {
	from := img.Bounds().Size()
	if from == size {
		return img
	}
	if block := min(from.X/size.X, from.Y/size.Y); block > 1 {
		img = average(img, block)
	}
	dst := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(dst, dst.Bounds(), img, img.Bounds(), draw.Src, nil)
	return dst
}

// average makes one pixel of each square of block pixels. Pixels at the right and bottom
// that fill no square are left out.
func average(img image.Image, block int) *image.RGBA {
	bounds := img.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, bounds.Dx()/block, bounds.Dy()/block))
	width := dst.Rect.Dx()
	band := image.NewRGBA(image.Rect(0, 0, width*block, block))
	sums := make([]uint32, width*4)
	for y := range dst.Rect.Dy() {
		draw.Draw(band, band.Rect, img, bounds.Min.Add(image.Pt(0, y*block)), draw.Src)
		clear(sums)
		for row := range block {
			addRow(sums, band.Pix[row*band.Stride:][:width*block*4], block)
		}
		out := dst.Pix[y*dst.Stride:]
		for i, sum := range sums {
			out[i] = uint8(sum / uint32(block*block))
		}
	}
	return dst
}

// addRow adds the channels of a row of pixels to the sums of their blocks.
func addRow(sums []uint32, row []byte, block int) {
	for x := 0; x < len(sums); x += 4 {
		for range block {
			sums[x] += uint32(row[0])
			sums[x+1] += uint32(row[1])
			sums[x+2] += uint32(row[2])
			sums[x+3] += uint32(row[3])
			row = row[4:]
		}
	}
}
