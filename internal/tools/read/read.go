// Package read makes of a file's bytes what a model can be shown: text of
// another encoding, a picture of a size that models take, the cells of a
// notebook. It opens no files. What it is given is untrusted: whatever the
// bytes are, its functions return, and take memory in proportion to the limits
// that they name. PDFs are recognised but not read, as no library in Go was
// found that returns, whatever the bytes are, and keeps words apart.
package read

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
)

// Kind is how a file is best shown.
type Kind int

// The kinds of file. Lines are all that is nothing else, text or not.
const (
	Lines Kind = iota
	Picture
	Notebook
	PDF
)

// KindOf tells by the name of a file and the beginning of its content how to
// show it. A name alone makes no picture.
func KindOf(name string, head []byte) Kind {
	switch {
	case formatOf(mediaOf(head)) != nil:
		return Picture
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case strings.EqualFold(path.Ext(name), ".ipynb"):
		return Notebook
	}
	return Lines
}

// Interruptible returns r, whose reads return the error of ctx once ctx has ended.
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
