package wiretest

import (
	"io"
	"iter"
	"strings"
	"testing"

	"agent/internal/llm"
)

// Endless checks that a decoder gives up an answer that goes on and on without
// yielding anything: first once, and then piece n times.
func Endless(t *testing.T, decode func(io.Reader) iter.Seq2[llm.Delta, error], name, first string, piece func(i int) string, n int) {
	t.Helper()
	r := &pieces{next: piece, left: n, rest: first}
	var last error
	for _, err := range decode(r) {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "hidden data") || r.left == 0 {
		t.Errorf("%s: got error %v with %d of %d pieces unread, want that it is too much", name, last, r.left, n)
	}
}

// pieces reads texts one after the other.
type pieces struct {
	next func(i int) string
	i    int
	left int
	rest string
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		if p.left == 0 {
			return 0, io.EOF
		}
		p.rest = p.next(p.i)
		p.i++
		p.left--
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
