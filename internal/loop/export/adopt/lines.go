package adopt

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"agent/internal/loop/export"
)

// What a tally counts wherever it is found.
const (
	madeUp     = "made up: "
	tooLong    = "lines that are too long"
	unreadable = "lines that could not be read"
)

// tally counts what is left out, or made up, by what it is.
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

// notes returns a sentence for each.
func (t *tally) notes() []string {
	var out []string
	for _, what := range t.order {
		if !strings.HasPrefix(what, madeUp) {
			what = "left out: " + what
		}
		out = append(out, fmt.Sprintf("%s (%d)", what, t.n[strings.TrimPrefix(what, "left out: ")]))
	}
	return out
}

// maxKinds is how many names that a file makes up are told of by name.
const maxKinds = 20

// unknown counts a line of a type that is not known here.
func (t *tally) unknown(typ string) {
	what := fmt.Sprintf("lines of the unknown type %q", export.OneLine(typ, 40))
	if t.n[what] == 0 && len(t.order) > maxKinds {
		what = "lines of other unknown types"
	}
	t.add(what)
}

// objects yields the lines of a file that are not empty. One that is too long is
// counted and left out. The bytes are the receiver's until the next line.
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
