package read

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/draw"
)

// orientation returns the Exif orientation of a JPEG, from 1 to 8; 1 is upright.
func orientation(b []byte) int {
	const app1 = 0xe1
	for b = b[min(2, len(b)):]; len(b) >= 4 && b[0] == 0xff && b[1] >= 0xe0; { // application segments come first
		size := 2 + int(binary.BigEndian.Uint16(b[2:]))
		if size > len(b) {
			break
		}
		if exif, ok := bytes.CutPrefix(b[4:max(size, 4)], []byte("Exif\x00\x00")); ok && b[1] == app1 {
			return tiffOrientation(exif)
		}
		b = b[size:]
	}
	return 1
}

// tiffOrientation returns the orientation in the first directory of a TIFF.
func tiffOrientation(b []byte) int {
	const entry, tag = 12, 0x0112
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(b, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(b) < 8 {
		return 1
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return 1
	}
	b = b[at:]
	n := int(order.Uint16(b))
	for b = b[2:]; n > 0 && len(b) >= entry; n-- {
		if o := int(order.Uint16(b[8:])); order.Uint16(b) == tag && o >= 1 && o <= 8 {
			return o
		}
		b = b[entry:]
	}
	return 1
}

// upright rotates and mirrors img by its Exif orientation o.
func upright(img image.Image, o int) image.Image {
	if o == 1 {
		return img
	}
	size := img.Bounds().Size()
	src := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(src, src.Bounds(), img, img.Bounds().Min, draw.Src)
	turned := o >= 5
	if turned {
		size.X, size.Y = size.Y, size.X
	}
	dst := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			from := image.Pt(x, y)
			if turned {
				from = image.Pt(y, x)
			}
			if o == 2 || o == 3 || o == 7 || o == 8 {
				from.X = src.Rect.Max.X - 1 - from.X
			}
			if o == 3 || o == 4 || o == 6 || o == 7 {
				from.Y = src.Rect.Max.Y - 1 - from.Y
			}
			dst.SetRGBA(x, y, src.RGBAAt(from.X, from.Y))
		}
	}
	return dst
}
