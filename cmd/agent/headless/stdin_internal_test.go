package headless

import (
	"io"
	"testing"
	"time"
)

// slowReader gives a piece of text at each read. Its second read announces itself.
type slowReader struct {
	pieces []string
	again  chan time.Time
}

func (r *slowReader) Read(b []byte) (int, error) {
	if len(r.pieces) == 1 {
		close(r.again)
	}
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.pieces[0])
	r.pieces = r.pieces[1:]
	return n, nil
}

// A writer that has begun is read to its end, although the time for the first byte is over.
func TestBegunInputIsReadToItsEnd(t *testing.T) {
	r := &slowReader{pieces: []string{"begin\n", "late line\n"}, again: make(chan time.Time)}
	text, late, err := readInput(r, r.again)
	if text != "begin\nlate line" || late != nil || err != nil {
		t.Errorf("got %q, late %v, %v", text, late != nil, err)
	}
}
