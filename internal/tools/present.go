package tools

import (
	"context"
	"fmt"
	"path"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools/read"
	"agent/internal/tools/workspace"
)

// maxPictures is how many images of a notebook are shown at a time.
const maxPictures = 4

// picture shows an image to models that see.
func (r *reader) picture(ctx context.Context, in *source) (Result, error) {
	const instead = "make a smaller or another one by a command in the shell, such as magick IMAGE -resize 1568x1568 NEW.png"
	if err := in.hold(maxWhole); err != nil {
		return Result{}, err
	}
	if !in.whole {
		return Result{}, fmt.Errorf("%s is an image of %s, more than the %s that are read here: %s", in.name, phrase.Bytes(in.size), phrase.Bytes(maxWhole), instead)
	}
	s, err := r.draw(ctx, in.held)
	if err != nil {
		return Result{}, fmt.Errorf("%s cannot be shown: %w. To see it, %s", in.name, err, instead)
	}
	text := fmt.Sprintf("%s: %s image, %d x %d pixels, %s", path.Base(in.name), s.Format, s.Size.X, s.Size.Y, phrase.Bytes(in.size))
	if s.Frames > 1 {
		text += fmt.Sprintf("; only the first of its %d frames is shown", s.Frames)
	}
	if s.Scaled != s.Size {
		text += fmt.Sprintf("; shown at %d x %d", s.Scaled.X, s.Scaled.Y)
	}
	seen := in.reading()
	seen.Content = nil // what changes in an image cannot be told
	return Result{
		Text:    text + "\n",
		Summary: fmt.Sprintf("%s image, %d x %d", s.Format, s.Size.X, s.Size.Y),
		Images:  []llm.Image{s.Image},
		Reads:   []workspace.Reading{seen},
	}, nil
}

// draw decodes an image, one at a time.
func (r *reader) draw(ctx context.Context, content []byte) (read.Shown, error) {
	r.drawing.Lock()
	defer r.drawing.Unlock()
	return read.Show(ctx, content)
}

// notebook shows the cells of a notebook. What is none, or too large, is shown
// as its lines.
func (r *reader) notebook(ctx context.Context, in *source, s span) (Result, error) {
	if err := in.hold(maxWhole); err != nil {
		return Result{}, err
	}
	var cells read.Cells
	err := fmt.Errorf("it holds more than %s", phrase.Bytes(maxWhole))
	if in.whole {
		cells, err = read.CellsOf(in.held)
	}
	if err != nil {
		result, failed := r.lines(ctx, in, s)
		result.Text += fmt.Sprintf("(not shown as the cells of a notebook: %v)\n", err)
		return result, failed
	}
	page, err := newLineReader(ctx, strings.NewReader(cells.Text)).page(s, true)
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", in.name, err)
	}
	if page.shown == 0 && s.first > 1 {
		return Result{}, page.beyond(in.name + " as text")
	}
	images, note := r.among(ctx, cells.Pictures, s.first, s.first+page.shown-1)
	text := strings.TrimSpace(fmt.Sprintf("notebook of %s %s", phrase.Count(cells.Count, "cell"), cells.Language))
	return Result{
		Text: page.text.String() + page.oddities(read.UTF8) + page.place(s, in.size) + note +
			fmt.Sprintf("(%s. The lines are numbered as shown: edit and search see the JSON of the file)\n", text),
		Summary: phrase.Count(cells.Count, "cell"),
		Images:  images,
		Reads:   []workspace.Reading{in.reading()},
	}, nil
}

// among returns the images that belong to the lines that are shown, and says
// how many are left out.
func (r *reader) among(ctx context.Context, all []read.Placed, first, last int) (images []llm.Image, note string) {
	left := 0
	for _, p := range all {
		if p.Line < first || p.Line > last {
			continue
		}
		if len(images) < maxPictures {
			if s, err := r.draw(ctx, p.Content); err == nil {
				images = append(images, s.Image)
				continue
			}
		}
		left++
	}
	if len(images) > 0 {
		note = fmt.Sprintf("(%s of these lines can be seen, in their order)\n", phrase.Count(len(images), "image"))
	}
	if left > 0 {
		note += fmt.Sprintf("(%s of these lines cannot be shown, or not with so many others)\n", phrase.Count(left, "image"))
	}
	return images, note
}

// noPDF says how to get at the text of a PDF.
func noPDF(in *source) error {
	return fmt.Errorf("%s is a PDF of %s, which is not read here: run a command in the shell, such as pdftotext -layout FILE - "+
		"or, to look at its pages as images, pdftoppm -png -r 80 FILE PREFIX (both are of poppler-utils)", in.name, phrase.Bytes(in.size))
}
