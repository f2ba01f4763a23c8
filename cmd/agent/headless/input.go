package headless

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// The size limits of the input, in bytes.
const (
	maxLine   = 10 << 20
	maxPrompt = 4 << 20
)

// Input reads the commands of another program, one JSON object per line.
type Input struct {
	From io.Reader
	// Image checks an image of a prompt, and converts it to a format that every provider
	// accepts.
	Image func(ctx context.Context, content []byte) (llm.Image, error)
}

// received is a line of the input: a command, or why it is none.
type received struct {
	line    int
	command event.Command
	err     error
}

// read sends each line that is not empty to out until the input or ctx ends, and closes
// out. A read error ends the input like its end.
func (in *Input) read(ctx context.Context, out chan<- received) {
	defer close(out)
	r := bufio.NewReaderSize(in.From, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(r)
		if text := bytes.TrimSpace(line); len(text) > 0 || errors.Is(err, errLongLine) {
			got := received{line: n, err: err}
			if !errors.Is(err, errLongLine) {
				got.command, got.err = in.decode(ctx, text)
			}
			select {
			case out <- got:
			case <-ctx.Done():
				return
			}
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return
		}
	}
}

// errLongLine is the error of a line that is longer than maxLine.
var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// readLine returns the next line. It reads a line that is too long to its end, and
// returns errLongLine.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := r.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxLine; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long:
			return nil, errLongLine
		default:
			return line, err
		}
	}
}

// decode returns the command in a line.
func (in *Input) decode(ctx context.Context, line []byte) (event.Command, error) {
	c, err := event.DecodeCommand(line)
	p, ok := c.(event.Prompt)
	if err != nil || !ok {
		return c, err
	}
	if len(p.Text) > maxPrompt {
		return nil, fmt.Errorf("prompt: \"text\" is longer than %d MiB: write it to a file and name the file", maxPrompt>>20)
	}
	for i, img := range p.Images {
		if p.Images[i], err = in.Image(ctx, img.Data); err != nil {
			return nil, fmt.Errorf("prompt: images[%d]: %w", i, err)
		}
	}
	return p, nil
}
