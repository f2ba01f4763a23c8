package tools

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
	"agent/internal/tools/page"
	"agent/internal/tools/read"
	"agent/internal/tools/workspace"
)

// maxInMemory is the size in bytes of the largest image or notebook that is read.
const maxInMemory = 32 << 20

// maxGrowth is how many bytes are read beyond the size of a file at open. A
// growing file, or a file of the kernel, may have no end.
const maxGrowth = 64 << 20

// maxCount is the size in bytes of the largest file whose lines are all counted.
const maxCount = 64 << 20

// source is an open file to be shown.
type source struct {
	name     string // path as a model writes it
	info     fs.FileInfo
	reader   *bufio.Reader
	buffered []byte // the first bytes, already read
	complete bool   // buffered is the complete file
	size     int64  // in bytes, as far as known
}

// newSource returns the source of a file that has size bytes in r, as far as known.
func newSource(ctx context.Context, name string, r io.Reader, info fs.FileInfo, size int64) *source {
	r = io.LimitReader(read.Interruptible(ctx, r), min(size, 1<<62)+maxGrowth)
	return &source{name: name, info: info, reader: bufio.NewReaderSize(r, page.BlockFor(size)), size: size}
}

// buffer reads the complete file if it has at most limit bytes.
func (in *source) buffer(limit int64) error {
	if in.buffered != nil || in.size > limit {
		return nil
	}
	var b bytes.Buffer
	b.Grow(int(in.size) + bytes.MinRead) // files in /proc have size 0
	n, err := b.ReadFrom(io.LimitReader(in.reader, limit+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", in.name, workspace.Cause(err))
	}
	in.buffered = b.Bytes()[:n:n]
	in.complete = n <= limit
	in.size = max(in.size, n)
	return nil
}

// all returns the complete content. It can be called once.
func (in *source) all() io.Reader {
	if in.complete {
		return bytes.NewReader(in.buffered)
	}
	return io.MultiReader(bytes.NewReader(in.buffered), in.reader)
}

// decodedSize returns how many bytes the decoded content has; 0 if that is not known.
func (in *source) decodedSize(e charset.Encoding) int {
	if !in.complete || e.Converts() {
		return 0
	}
	return len(in.buffered)
}

// countsLines reports whether the lines after the shown ones are counted. A file
// that is longer than its reported size may have no end.
func (in *source) countsLines() bool {
	return in.complete || in.buffered == nil && in.size <= maxCount
}

// text returns the encoding of the file, or an error if it is binary.
func (in *source) text() (charset.Encoding, error) {
	e, ok := charset.Detect(in.sample(), in.complete)
	if ok {
		if err := in.buffer(workspace.MaxEdit); err != nil {
			return "", err
		}
		e, ok = charset.Detect(in.sample(), in.complete)
	}
	if !ok {
		return "", advice.Add(fmt.Errorf("%s is a binary file (%s, %s)", in.name, http.DetectContentType(in.sample()), phrase.Bytes(in.size)),
			"Use a suitable command in shell")
	}
	return e, nil
}

// sample returns the beginning of the file for detection of its type.
func (in *source) sample() []byte {
	if in.buffered != nil {
		return in.buffered
	}
	b, _ := in.reader.Peek(page.Block)
	return b
}

// reading returns the Reading of the file, without lines, and the encoding of charset.Text.
// Text is known by its characters, in whatever encoding.
func (in *source) reading() (workspace.Reading, charset.Encoding) {
	if !in.complete || len(in.buffered) > workspace.MaxEdit {
		return workspace.LargeReading(in.name, in.info), ""
	}
	text, e := charset.Text(in.buffered)
	return workspace.NewReading(in.name, text), e
}
