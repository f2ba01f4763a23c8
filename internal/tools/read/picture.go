package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"agent/internal/llm"
)

// The limits of one image.
const (
	maxSide   = 1568       // pixels: models scale down what is larger
	maxPixels = 25_000_000 // before scaling; what a program may hold at once of an untrusted file
	maxSent   = 3 << 20    // bytes: some services refuse 5 MB of base64
)

// Shown is an image as a model is shown it.
type Shown struct {
	Image  llm.Image
	Format string      // of the file: "PNG"
	Size   image.Point // in the file, in pixels
	Scaled image.Point // as it is shown
	Frames int         // in the file; only the first is shown
}

// format is a way to store an image.
type format struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	sent   bool // models take it as it is
}

// mediaOf returns the media type of what begins with head.
func mediaOf(head []byte) string {
	media := http.DetectContentType(head)
	if media == "image/bmp" && (len(head) < 10 || !bytes.Equal(head[6:10], make([]byte, 4))) {
		return "text/plain" // that begins with BM, as bitmaps do
	}
	return media
}

// formatOf returns the format of that media type, nil if it is none.
func formatOf(media string) *format {
	switch media {
	case "image/png":
		return &format{"PNG", png.DecodeConfig, png.Decode, true}
	case "image/jpeg":
		return &format{"JPEG", jpeg.DecodeConfig, jpeg.Decode, true}
	case "image/gif":
		return &format{"GIF", gif.DecodeConfig, gif.Decode, true}
	case "image/webp":
		return &format{"WebP", webp.DecodeConfig, webp.Decode, true}
	case "image/bmp":
		return &format{"BMP", bmp.DecodeConfig, bmp.Decode, false}
	}
	return nil
}

// Show decodes an image, so that no model is ever sent a broken one, and makes
// it smaller where it is too large.
func Show(ctx context.Context, content []byte) (s Shown, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the image is damaged: %v", p)
		}
	}()
	media := mediaOf(content)
	f := formatOf(media)
	if f == nil {
		return Shown{}, fmt.Errorf("the content is %s, which is no image that is shown here: PNG, JPEG, GIF, WebP and BMP are", media)
	}
	c, err := f.config(bytes.NewReader(content))
	if err != nil {
		return Shown{}, fmt.Errorf("the %s image is damaged: %w", f.name, err)
	}
	s = Shown{Format: f.name, Size: image.Pt(c.Width, c.Height), Frames: 1}
	switch {
	case c.Width <= 0 || c.Height <= 0:
		return s, fmt.Errorf("the %s image has no pixels", f.name)
	case c.Width > maxPixels/c.Height:
		return s, fmt.Errorf("the %s image has %d x %d pixels, more than the %d million that are decoded here", f.name, c.Width, c.Height, maxPixels/1_000_000)
	}
	img, err := f.decode(Interruptible(ctx, bytes.NewReader(content)))
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case err != nil:
		return s, fmt.Errorf("the %s image is damaged: %w", f.name, err)
	}
	if f.name == "GIF" {
		s.Frames = frames(content)
	}
	small := shrink(img)
	if f.name == "JPEG" {
		small = upright(small, orientation(content))
	}
	s.Scaled = small.Bounds().Size()
	heavy := f.sent && len(content) > maxSent && small == img
	_, ink := img.(*image.CMYK) // for printers: not every service takes it
	if f.sent && small == img && !heavy && !ink && s.Frames == 1 {
		s.Image = llm.Image{MediaType: media, Data: content}
		return s, nil
	}
	s.Image, err = encode(small, heavy || f.name == "JPEG")
	return s, err
}

// shrink scales img down until its longer side is at most maxSide. Halving
// before the last step averages over all pixels and needs little memory.
func shrink(img image.Image) image.Image {
	for {
		size := img.Bounds().Size()
		long := max(size.X, size.Y)
		if long <= maxSide {
			return img
		}
		if long >= 2*maxSide {
			size = size.Add(image.Pt(1, 1)).Div(2)
		} else {
			size = image.Pt(max(size.X*maxSide/long, 1), max(size.Y*maxSide/long, 1))
		}
		dst := image.NewRGBA(image.Rectangle{Max: size})
		draw.ApproxBiLinear.Scale(dst, dst.Bounds(), img, img.Bounds(), draw.Src, nil)
		img = dst
	}
}

// encode makes a PNG of img, or a JPEG where it is a photo or a PNG is too large.
func encode(img image.Image, photo bool) (llm.Image, error) {
	var b bytes.Buffer
	if !photo {
		if err := png.Encode(&b, img); err != nil {
			return llm.Image{}, fmt.Errorf("encode the image as PNG: %w", err)
		}
		if b.Len() <= maxSent {
			return llm.Image{MediaType: "image/png", Data: b.Bytes()}, nil
		}
		b.Reset()
	}
	// JPEG knows no transparency: on white, most things are legible.
	page := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(page, page.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(page, page.Bounds(), img, img.Bounds().Min, draw.Over)
	if err := jpeg.Encode(&b, page, &jpeg.Options{Quality: 85}); err != nil {
		return llm.Image{}, fmt.Errorf("encode the image as JPEG: %w", err)
	}
	if b.Len() > maxSent {
		return llm.Image{}, errors.New("the image is too large for a model even when it is scaled down")
	}
	return llm.Image{MediaType: "image/jpeg", Data: b.Bytes()}, nil
}

// frames counts the frames of a GIF that was decoded, without decoding the
// others.
func frames(b []byte) int {
	n := 0
	table := func(flags byte) int { // the size of a table of colours
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	skip := func(k int) { b = b[min(k, len(b)):] }
	at := func(i int) byte {
		if i < len(b) {
			return b[i]
		}
		return 0
	}
	skip(13 + table(at(10)))
	for len(b) > 0 {
		switch at(0) {
		case 0x21: // an extension
			skip(2)
		case 0x2c: // a frame
			n++
			skip(11 + table(at(9)))
		default: // the end
			return max(n, 1)
		}
		for at(0) != 0 {
			skip(1 + int(at(0)))
		}
		skip(1)
	}
	return max(n, 1)
}
