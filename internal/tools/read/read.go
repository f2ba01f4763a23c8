// Package read converts the bytes of a file to what a model can be shown: text
// from other encodings, images of a supported size, the cells of a notebook. It
// never opens files. Its input is untrusted: for any input the functions return,
// with memory bounded by the documented limits. PDFs are recognized but not read,
// because no Go library was found that always terminates and keeps words apart.
// Start reading at KindOf.
package read

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
)

// Kind is the type of a file for display.
type Kind int

// The kinds of file. Lines is the default.
const (
	Lines Kind = iota
	Picture
	Notebook
	PDF
)

// KindOf returns the kind of a file from its name and the beginning of its
// content.
func KindOf(name string, head []byte) Kind {
	switch {
	case formatOf(mediaType(head)) != nil:
		return Picture
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case strings.EqualFold(path.Ext(name), ".ipynb"):
		return Notebook
	}
	return Lines
}

// Interruptible returns a reader whose reads fail with ctx's error after ctx has
// ended.
func Interruptible(ctx context.Context, r io.Reader) io.Reader { return &limited{ctx, r} }

type limited struct {
	ctx context.Context
	r   io.Reader
}

func (l *limited) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.r.Read(p)
}
