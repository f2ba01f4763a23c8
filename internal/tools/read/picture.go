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
	maxSide   = 1568       // pixels; models scale down larger images
	maxPixels = 25_000_000 // before scaling, to limit memory
	maxBytes  = 3 << 20    // bytes; some services reject 5 MB of base64
)

// Shown is an image for a model.
type Shown struct {
	Image  llm.Image
	Format string      // file format: "PNG"
	Size   image.Point // size of the file's image in pixels
	Scaled image.Point // size of Image in pixels
	Frames int         // frames in the file; Image has the first
}

// format is an image format.
type format struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	direct bool // models accept it
}

// mediaType returns the media type of a file that begins with head.
func mediaType(head []byte) string {
	media := http.DetectContentType(head)
	if media == "image/bmp" && (len(head) < 10 || !bytes.Equal(head[6:10], make([]byte, 4))) {
		return "text/plain" // text that begins with BM, like bitmaps
	}
	return media
}

// formatOf returns the format of a media type, or nil.
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

// Show decodes an image, which rejects broken ones, and scales it down if it is
// too large.
func Show(ctx context.Context, content []byte) (s Shown, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the image is damaged: %v", p)
		}
	}()
	media := mediaType(content)
	f := formatOf(media)
	if f == nil {
		return Shown{}, fmt.Errorf("the content is %s; supported image formats are PNG, JPEG, GIF, WebP and BMP", media)
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
		return s, fmt.Errorf("the %s image has %d x %d pixels, more than the limit of %d million", f.name, c.Width, c.Height, maxPixels/1_000_000)
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
	heavy := f.direct && len(content) > maxBytes && small == img
	_, ink := img.(*image.CMYK) // CMYK; not every service accepts it
	if f.direct && small == img && !heavy && !ink && s.Frames == 1 {
		s.Image = llm.Image{MediaType: media, Data: content}
		return s, nil
	}
	s.Image, err = encode(small, heavy || f.name == "JPEG")
	return s, err
}

// shrink scales img down to maxSide. Halving before the last step averages all
// pixels with little memory.
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

// encode returns img as PNG, or as JPEG if it is a photo or the PNG is too large.
func encode(img image.Image, photo bool) (llm.Image, error) {
	var b bytes.Buffer
	if !photo {
		if err := png.Encode(&b, img); err != nil {
			return llm.Image{}, fmt.Errorf("encode the image as PNG: %w", err)
		}
		if b.Len() <= maxBytes {
			return llm.Image{MediaType: "image/png", Data: b.Bytes()}, nil
		}
		b.Reset()
	}
	// JPEG has no transparency; use a white background.
	page := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(page, page.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(page, page.Bounds(), img, img.Bounds().Min, draw.Over)
	if err := jpeg.Encode(&b, page, &jpeg.Options{Quality: 85}); err != nil {
		return llm.Image{}, fmt.Errorf("encode the image as JPEG: %w", err)
	}
	if b.Len() > maxBytes {
		return llm.Image{}, errors.New("the image is too large for a model, even scaled down")
	}
	return llm.Image{MediaType: "image/jpeg", Data: b.Bytes()}, nil
}

// frames counts the frames of a valid GIF without decoding them.
func frames(b []byte) int {
	n := 0
	table := func(flags byte) int { // size of a color table
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
