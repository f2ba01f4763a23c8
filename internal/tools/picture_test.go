package tools_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/bmp"

	"agent/internal/tools"
)

// seen describes the image that a model gets.
type seen struct {
	Text, Media   string
	Width, Height int
	Same          bool // the file, unchanged
}

func TestPicturesAreShown(t *testing.T) {
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	fileSize := regexp.MustCompile(`pixels, [\d.]+ (bytes|KB|MB)`)
	for name, c := range map[string]struct {
		content []byte
		want    seen
	}{
		"small.png":    {pngOf(t, plain(40, 30)), seen{"small.png: PNG image, 40 x 30 pixels, SIZE\n", "image/png", 40, 30, true}},
		"wide.png":     {pngOf(t, plain(4000, 200)), seen{"wide.png: PNG image, 4000 x 200 pixels, SIZE; shown at 1568 x 78\n", "image/png", 1568, 78, false}},
		"thin.png":     {pngOf(t, plain(2, 9000)), seen{"thin.png: PNG image, 2 x 9000 pixels, SIZE; shown at 1 x 1568\n", "image/png", 1, 1568, false}},
		"noise.png":    {pngOf(t, noise(1000, 800)), seen{"noise.png: PNG image, 1000 x 800 pixels, SIZE\n", "image/jpeg", 1000, 800, false}},
		"a.jpg":        {jpegOf(t, plain(40, 30)), seen{"a.jpg: JPEG image, 40 x 30 pixels, SIZE\n", "image/jpeg", 40, 30, true}},
		"large.jpg":    {jpegOf(t, plain(3200, 100)), seen{"large.jpg: JPEG image, 3200 x 100 pixels, SIZE; shown at 1568 x 49\n", "image/jpeg", 1568, 49, false}},
		"still.gif":    {gifOf(t, 1), seen{"still.gif: GIF image, 20 x 10 pixels, SIZE\n", "image/gif", 20, 10, true}},
		"moving.gif":   {gifOf(t, 3), seen{"moving.gif: GIF image, 20 x 10 pixels, SIZE; only the first of its 3 frames is shown\n", "image/png", 20, 10, false}},
		"a.webp":       {webp, seen{"a.webp: WebP image, 1 x 1 pixels, SIZE\n", "image/webp", 1, 1, true}},
		"a.bmp":        {bmpOf(t, plain(40, 30)), seen{"a.bmp: BMP image, 40 x 30 pixels, SIZE\n", "image/png", 40, 30, false}},
		"misnamed.txt": {pngOf(t, plain(40, 30)), seen{"misnamed.txt: PNG image, 40 x 30 pixels, SIZE\n", "image/png", 40, 30, true}},
	} {
		t.Run(name, func(t *testing.T) {
			ws, _ := newWorkspace(t, map[string]string{name: string(c.content)})
			r, err := call(t, ws, "read", obj{"path": name})
			if err != nil || len(r.Images) != 1 {
				t.Fatalf("got %d images, %v, want one", len(r.Images), err)
			}
			im := r.Images[0]
			size, err := png.DecodeConfig(bytes.NewReader(im.Data))
			switch im.MediaType {
			case "image/jpeg":
				size, err = jpeg.DecodeConfig(bytes.NewReader(im.Data))
			case "image/gif":
				size, err = gif.DecodeConfig(bytes.NewReader(im.Data))
			case "image/webp":
				size.Width, size.Height, err = 1, 1, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			got := seen{fileSize.ReplaceAllString(r.Text, "pixels, SIZE"), im.MediaType, size.Width, size.Height, bytes.Equal(im.Data, c.content)}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if len(r.Reads) != 1 || r.Reads[0].First != 0 || r.Reads[0].Content != nil {
				t.Errorf("got %v, want one reading without lines", r.Reads)
			}
		})
	}
}

// TestScalingKeepsColors checks a picture that is half red, half blue after it was
// scaled down.
func TestScalingKeepsColors(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 4000, 100))
	for y := range 100 {
		for x := range 4000 {
			c := color.NRGBA{R: 255, A: 255}
			if x >= 2000 {
				c = color.NRGBA{B: 255, A: 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	ws, _ := newWorkspace(t, map[string]string{"f": string(pngOf(t, img))})
	r, err := call(t, ws, "read", obj{"path": "f"})
	if err != nil {
		t.Fatal(err)
	}
	small, err := png.Decode(bytes.NewReader(r.Images[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{0, 0, color.NRGBA{255, 0, 0, 255}}, {600, 20, color.NRGBA{255, 0, 0, 255}}, {900, 38, color.NRGBA{0, 0, 255, 255}}, {1567, 38, color.NRGBA{0, 0, 255, 255}}} {
		if got := color.NRGBAModel.Convert(small.At(c.x, c.y)); got != c.want {
			t.Errorf("at %d, %d: got %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestPhotosAreShownUpright stores the same picture in all eight Exif orientations:
// red at the top left, blue at the top right, the rest black.
func TestPhotosAreShownUpright(t *testing.T) {
	const width, height, corner = 64, 32, 16
	for o, c := range map[byte]struct {
		size      image.Point
		red, blue image.Point // the corners in the file, in units of corner
	}{
		1: {image.Pt(width, height), image.Pt(0, 0), image.Pt(3, 0)},
		2: {image.Pt(width, height), image.Pt(3, 0), image.Pt(0, 0)},
		3: {image.Pt(width, height), image.Pt(3, 1), image.Pt(0, 1)},
		4: {image.Pt(width, height), image.Pt(0, 1), image.Pt(3, 1)},
		5: {image.Pt(height, width), image.Pt(0, 0), image.Pt(0, 3)},
		6: {image.Pt(height, width), image.Pt(0, 3), image.Pt(0, 0)},
		7: {image.Pt(height, width), image.Pt(1, 3), image.Pt(1, 0)},
		8: {image.Pt(height, width), image.Pt(1, 0), image.Pt(1, 3)},
	} {
		img := image.NewRGBA(image.Rectangle{Max: c.size})
		for at, ink := range map[image.Point]color.RGBA{c.red: {R: 255, A: 255}, c.blue: {B: 255, A: 255}} {
			draw.Draw(img, image.Rectangle{at.Mul(corner), at.Add(image.Pt(1, 1)).Mul(corner)}, image.NewUniform(ink), image.Point{}, draw.Src)
		}
		photo := jpegOf(t, img)
		exif := "\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(o) + "\x00\x00\x00\x00\x00\x00\x00"
		ws, _ := newWorkspace(t, map[string]string{"f": string(photo[:2]) + exif + string(photo[2:])})
		r, err := call(t, ws, "read", obj{"path": "f"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := jpeg.Decode(bytes.NewReader(r.Images[0].Data))
		if err != nil || got.Bounds().Size() != image.Pt(width, height) {
			t.Fatalf("orientation %d: got %v, %v, want it upright", o, got.Bounds(), err)
		}
		red, _, _, _ := got.At(corner/2, corner/2).RGBA()
		_, _, blue, _ := got.At(width-corner/2, corner/2).RGBA()
		if red < 0xf000 || blue < 0xf000 {
			t.Errorf("orientation %d: got red %x at the left and blue %x at the right, want both", o, red, blue)
		}
	}
}

func TestHostilePicturesAreRejected(t *testing.T) {
	good := pngOf(t, noise(100, 100))
	bomb := bytes.Clone(good)
	binary.BigEndian.PutUint32(bomb[16:], 100_000)
	binary.BigEndian.PutUint32(bomb[20:], 100_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0xff
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"bomb":      {bomb, "the PNG image has 100000 x 100000 pixels, more than the limit of 25 million"},
		"truncated": {good[:len(good)/2], "the PNG image is damaged"},
		"flipped":   {flipped, "the PNG image is damaged"},
		"header":    {[]byte("GIF89a"), "the GIF image is damaged"},
		"webp":      {[]byte("RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\x7f"), "the WebP image is damaged"},
		"bmp":       {append([]byte("BM"), make([]byte, 60)...), "the BMP image is damaged"},
		"jpeg":      {[]byte("\xff\xd8\xff\xe0"), "the JPEG image is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			ws, _ := newWorkspace(t, map[string]string{"f": string(c.content)})
			got := textOf(call(t, ws, "read", obj{"path": "f"}))
			if !strings.HasPrefix(got, "cannot show f: "+c.want) || !strings.Contains(got, "with a command in shell") {
				t.Errorf("got %s, want %s and what to do", got, c.want)
			}
		})
	}
}

func TestDecodingEndsWithTheContext(t *testing.T) {
	ws, dir := newWorkspace(t, nil)
	writeFile(t, filepath.Join(dir, "f"), string(pngOf(t, plain(2000, 100))))
	c, err := prepare(t, ws, "read", obj{"path": "f"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(ctx, tools.Approved{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func plain(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	return img
}

func noise(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	return img
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func bmpOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := bmp.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t *testing.T, frames int) []byte {
	t.Helper()
	all := &gif.GIF{}
	for i := range frames {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 20, 10), color.Palette{color.Black, color.Gray{byte(i)}}))
		all.Delay = append(all.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
