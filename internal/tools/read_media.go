package tools

import (
	"context"
	"fmt"
	"path"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
	"agent/internal/tools/page"
	"agent/internal/tools/read"
	"agent/internal/tools/workspace"
)

// maxImages is how many images of a notebook are shown per call.
const maxImages = 4

// picture returns an image for models with vision.
func (r *reader) picture(ctx context.Context, in *source) (Result, error) {
	const instead = "Convert it with a command in shell, such as magick IMAGE -resize 1568x1568 NEW.png"
	if err := in.buffer(maxInMemory); err != nil {
		return Result{}, err
	}
	if !in.complete {
		return Result{}, advice.Add(fmt.Errorf("%s is an image of %s, more than the limit of %s", in.name, phrase.Bytes(in.size), phrase.Bytes(maxInMemory)), instead)
	}
	s, err := r.decodeImage(ctx, in.buffered)
	if err != nil {
		return Result{}, advice.Add(fmt.Errorf("cannot show %s: %w", in.name, err), instead)
	}
	text := fmt.Sprintf("%s: %s image, %d x %d pixels, %s", path.Base(in.name), s.Format, s.Size.X, s.Size.Y, phrase.Bytes(in.size))
	if s.Frames > 1 {
		text += fmt.Sprintf("; only the first of its %d frames is shown", s.Frames)
	}
	if s.Scaled != s.Size {
		text += fmt.Sprintf("; shown at %d x %d", s.Scaled.X, s.Scaled.Y)
	}
	seen, _ := in.reading()
	seen.Content = nil // images have no diff
	return Result{
		Text:    text + "\n",
		Summary: fmt.Sprintf("%s image, %d x %d", s.Format, s.Size.X, s.Size.Y),
		Images:  []llm.Image{s.Image},
		Reads:   []workspace.Reading{seen},
	}, nil
}

// decodeImage decodes an image. Only one image is decoded at a time, to limit
// memory.
func (r *reader) decodeImage(ctx context.Context, content []byte) (read.Shown, error) {
	r.decoding.Lock()
	defer r.decoding.Unlock()
	return read.Show(ctx, content)
}

// notebook returns the cells of a notebook. A file that is no valid notebook, or
// too large, is shown as lines.
func (r *reader) notebook(ctx context.Context, in *source, s page.Span) (Result, error) {
	if err := in.buffer(maxInMemory); err != nil {
		return Result{}, err
	}
	var cells read.Cells
	err := fmt.Errorf("larger than %s", phrase.Bytes(maxInMemory))
	if in.complete {
		cells, err = read.CellsOf(in.buffered)
	}
	if err != nil {
		result, failed := r.lines(ctx, in, s)
		result.Text += fmt.Sprintf("(not shown as a notebook: %v)\n", err)
		return result, failed
	}
	p, err := page.Read(ctx, strings.NewReader(cells.Text), len(cells.Text), s, true)
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", in.name, err)
	}
	if err := p.Err(in.name + " as text"); err != nil {
		return Result{}, err
	}
	seen, _ := in.reading()
	images, note := r.imagesIn(ctx, cells.Pictures, s.First, s.First+p.Shown-1)
	text := strings.TrimSpace(fmt.Sprintf("notebook of %s %s", phrase.Count(cells.Count, "cell"), cells.Language))
	return Result{
		Text: p.Text(charset.UTF8, in.size) + note +
			fmt.Sprintf("(%s. Line numbers are those of this text; edit and search work on the JSON file)\n", text),
		Summary: phrase.Count(cells.Count, "cell"),
		Images:  images,
		Reads:   []workspace.Reading{seen},
	}, nil
}

// imagesIn returns the images on the shown lines, and a note with the number of
// omitted ones.
func (r *reader) imagesIn(ctx context.Context, all []read.Placed, first, last int) (images []llm.Image, note string) {
	left := 0
	for _, p := range all {
		if p.Line < first || p.Line > last {
			continue
		}
		if len(images) < maxImages {
			if s, err := r.decodeImage(ctx, p.Content); err == nil {
				images = append(images, s.Image)
				continue
			}
		}
		left++
	}
	if len(images) > 0 {
		note = fmt.Sprintf("(%s of these lines included, in order)\n", phrase.Count(len(images), "image"))
	}
	if left > 0 {
		note += fmt.Sprintf("(%s of these lines omitted: invalid, or too many)\n", phrase.Count(left, "image"))
	}
	return images, note
}

// pdfText returns the text of a PDF. See Commands.PDFText.
type pdfText func(ctx context.Context, pdf []byte, ok Approved) (text string, pages int, err error)

// pdf returns the text of a PDF, with a line before each page.
func (r *reader) pdf(ctx context.Context, in *source, s page.Span, ok Approved) (Result, error) {
	const images = "pdftoppm -png -r 80 FILE PREFIX for its pages as images"
	if r.pdfText == nil {
		return Result{}, advice.Add(fmt.Errorf("%s is a PDF (%s), which read cannot show", in.name, phrase.Bytes(in.size)),
			"In shell, run pdftotext -layout FILE - for its text, or "+images+" (both from poppler-utils)")
	}
	if err := in.buffer(maxInMemory); err != nil {
		return Result{}, err
	}
	if !in.complete {
		return Result{}, advice.Add(fmt.Errorf("%s is a PDF of %s, more than the limit of %s", in.name, phrase.Bytes(in.size), phrase.Bytes(maxInMemory)),
			"In shell, run pdftotext -layout -f FIRST -l LAST FILE - for some of its pages")
	}
	text, pages, err := r.pdfText(ctx, in.buffered, ok)
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", in.name, err)
	}
	p, err := page.Read(ctx, strings.NewReader(text), len(text), s, true)
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", in.name, err)
	}
	if err := p.Err(in.name + " as text"); err != nil {
		return Result{}, err
	}
	all := phrase.Count(pages, "page")
	if pages == pdfPages {
		all = "which only the first " + all + " are read"
	}
	seen, _ := in.reading()
	seen.Content = nil // the text is not that of the file
	return Result{
		Text: fmt.Sprintf("%s: the text of a PDF of %s. If a page has none, it may be scanned: in shell, run %s\n", path.Base(in.name), all, images) +
			p.Text(charset.UTF8, int64(len(text))),
		Summary: "PDF, " + phrase.Count(pages, "page"),
		Reads:   []workspace.Reading{seen},
	}, nil
}
