package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Kinds of entries that are counted.
const (
	tooLong    = "lines that are too long"
	unreadable = "lines that could not be read"
)

// tally counts omitted entries by kind.
type tally struct {
	order []string
	n     map[string]int
}

func (t *tally) add(what string) {
	if t.n == nil {
		t.n = map[string]int{}
	}
	if t.n[what] == 0 {
		t.order = append(t.order, what)
	}
	t.n[what]++
}

// notes returns a line for each kind.
func (t *tally) notes() []string {
	var out []string
	for _, what := range t.order {
		out = append(out, fmt.Sprintf("omitted: %s (%d)", what, t.n[what]))
	}
	return out
}

// objects yields the lines of a file that are not empty. It counts and skips lines
// that are too long. A line is valid until the next one.
func objects(in *bufio.Reader, left *tally) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var line []byte
		for {
			line = line[:0]
			n := 0
			var err error
			for {
				var piece []byte
				piece, err = in.ReadSlice('\n')
				n += len(piece)
				if n <= maxLine {
					line = append(line, piece...)
				}
				if !errors.Is(err, bufio.ErrBufferFull) {
					break
				}
			}
			switch text := bytes.TrimSpace(line); {
			case n > maxLine:
				left.add(tooLong)
			case len(text) > 0:
				if !yield(text, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read the session: %w", err))
				return
			}
		}
	}
}
