package wiretest

import (
	"io"
	"iter"
	"strings"
	"testing"

	"agent/internal/llm"
)

// Endless checks that a decoder rejects a response that never yields anything:
// first, followed by n pieces.
func Endless(t *testing.T, decode func(io.Reader) iter.Seq2[llm.Delta, error], name, first string, piece func(i int) string, n int) {
	t.Helper()
	r := &pieces{next: piece, left: n, rest: first}
	var last error
	for _, err := range decode(r) {
		last = err
	}
	if last == nil || !strings.Contains(last.Error(), "hidden data") || r.left == 0 {
		t.Errorf("%s: got error %v with %d of %d pieces unread, want an error about hidden data", name, last, r.left, n)
	}
}

// pieces reads first and then the texts of next.
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
