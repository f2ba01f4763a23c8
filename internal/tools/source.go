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
	"agent/internal/tools/read"
	"agent/internal/tools/workspace"
)

// maxWhole is the largest file that is held in memory to be shown as something
// else than its lines.
const maxWhole = 32 << 20

// maxGrowth is how many bytes a file may hold beyond its size when it is opened.
// A file that grows all the time, or one of the kernel's, may have no end.
const maxGrowth = 64 << 20

// source is an open file that is to be shown.
type source struct {
	name  string // as a model writes it
	info  fs.FileInfo
	rest  *bufio.Reader
	held  []byte // what was read of it already
	whole bool   // that is all
	size  int64  // in bytes, as far as it is known
}

func newSource(ctx context.Context, name string, r io.Reader, info fs.FileInfo) *source {
	r = io.LimitReader(read.Interruptible(ctx, r), min(info.Size(), 1<<62)+maxGrowth)
	return &source{
		name: name,
		info: info,
		rest: bufio.NewReaderSize(r, readBlock),
		size: info.Size(),
	}
}

// hold reads all of the file, if it holds no more than limit.
func (in *source) hold(limit int64) error {
	if in.held != nil || in.size > limit {
		return nil
	}
	var b bytes.Buffer
	b.Grow(int(in.size) + bytes.MinRead) // the size of what is in /proc is 0, whatever it holds
	n, err := b.ReadFrom(io.LimitReader(in.rest, limit+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", in.name, workspace.Cause(err))
	}
	in.held = b.Bytes()[:n:n]
	in.whole = n <= limit
	in.size = max(in.size, n)
	return nil
}

// content returns all of the file, once.
func (in *source) content() io.Reader {
	if in.whole {
		return bytes.NewReader(in.held)
	}
	return io.MultiReader(bytes.NewReader(in.held), in.rest)
}

// counted reports whether the lines that are not shown are worth counting. A
// file that holds more than it says may have no end.
func (in *source) counted() bool {
	return in.whole || in.held == nil && in.size <= maxCount
}

// text says how the file is read as text. The error is for one that is not.
func (in *source) text() (read.Encoding, error) {
	e, ok := read.Detect(in.sample(), in.whole)
	if ok {
		if err := in.hold(workspace.MaxEdit); err != nil {
			return "", err
		}
		e, ok = read.Detect(in.sample(), in.whole)
	}
	if !ok {
		return "", fmt.Errorf("%s is binary (%s, %s), so there are no lines to show: use a command in the shell that understands it",
			in.name, http.DetectContentType(in.sample()), phrase.Bytes(in.size))
	}
	return e, nil
}

// sample is as much of the file as can be looked at.
func (in *source) sample() []byte {
	if in.held != nil {
		return in.held
	}
	b, _ := in.rest.Peek(readBlock)
	return b
}

// reading is what a model knows that was shown the file, but none of its lines.
func (in *source) reading() workspace.Reading {
	if !in.whole || len(in.held) > workspace.MaxEdit {
		return workspace.LargeReading(in.name, in.info)
	}
	return workspace.NewReading(in.name, in.held)
}
