package command

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // formats of images in tool results
	_ "image/jpeg"
	_ "image/png"
	"strings"

	_ "golang.org/x/image/webp"

	"agent/internal/llm"
	"agent/internal/tui/ink"
)

// NotShown returns a line that stands for images and names their sizes.
func NotShown(images []llm.Image) string {
	var each []string
	for _, i := range images {
		size := i.MediaType
		if c, _, err := image.DecodeConfig(bytes.NewReader(i.Data)); err == nil {
			size = fmt.Sprintf("%dx%d", c.Width, c.Height)
		}
		each = append(each, ink.SanitizeLine(size))
	}
	if len(each) == 1 {
		return "(1 image, " + each[0] + ", not shown)"
	}
	return fmt.Sprintf("(%d images, %s, not shown)", len(each), strings.Join(each, ", "))
}
