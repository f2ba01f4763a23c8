package wire

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// talker is a body on which a piece of so many bytes arrives each time that every passes.
type talker struct {
	began        time.Time
	every        time.Duration
	size, pieces int
	records      bool // a read returns one piece, not everything that has arrived
	read         int  // pieces
	reads        []time.Duration
	mostBehind   time.Duration // how long a piece waited for its read
}

func (s *talker) Read(b []byte) (int, error) {
	if s.read == s.pieces {
		return 0, io.EOF
	}
	next := s.began.Add(time.Duration(s.read+1) * s.every)
	time.Sleep(time.Until(next)) // a server that has sent nothing
	s.mostBehind = max(s.mostBehind, time.Since(next))
	arrived := int(time.Since(s.began)/s.every) - s.read
	n := min(arrived, s.pieces-s.read, len(b)/s.size)
	if s.records {
		n = 1
	}
	s.read += n
	s.reads = append(s.reads, time.Since(s.began))
	return n * s.size, nil
}

func (s *talker) Close() error { return nil }

// An answer that has streamed for a while is read about 30 times a second; nothing else is
// delayed, and no connection falls behind.
func TestPacedBody(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		talker
		hurry       bool
		least, most int // reads of the whole answer
		behind      time.Duration
	}{
		"short":       {talker: talker{every: 5 * ms, size: 200, pieces: 60}, least: 60, most: 60},
		"long":        {talker: talker{every: 5 * ms, size: 200, pieces: 260}, least: 60 + 25, most: 60 + 35, behind: pace},
		"slow":        {talker: talker{every: 50 * ms, size: 200, pieces: 60}, least: 60, most: 60},
		"large":       {talker: talker{every: 5 * ms, size: 4 << 10, pieces: 260}, least: 260, most: 260},
		"at its end":  {talker: talker{every: 5 * ms, size: 200, pieces: 260}, hurry: true, least: 260, most: 260},
		"TLS records": {talker: talker{every: 5 * ms, size: 200, pieces: 260, records: true}, least: 260, most: 260, behind: pace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := c.talker
				s.began = time.Now()
				p := &pacedBody{ReadCloser: &s, ctx: t.Context(), clock: systemClock{}, records: s.records, hurry: c.hurry}
				if n, err := io.Copy(io.Discard, onlyReader{p}); n != int64(s.size*s.pieces) || err != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
				if n := len(s.reads); n < c.least || n > c.most {
					t.Errorf("%d reads, want %d to %d", n, c.least, c.most)
				}
				if s.mostBehind > c.behind {
					t.Errorf("a piece was read after %v, want at most %v", s.mostBehind, c.behind)
				}
			})
		})
	}
}

// onlyReader hides other methods of a reader from io.Copy.
type onlyReader struct{ io.Reader }

// A wait ends with the exchange.
func TestPacedBodyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &talker{began: time.Now(), every: time.Millisecond, size: 10, pieces: 10_000}
		p := &pacedBody{ReadCloser: s, ctx: ctx, clock: systemClock{}}
		b := make([]byte, 1<<10)
		for time.Since(s.began) < 2*longAnswer {
			_, _ = p.Read(b)
		}
		cancel()
		before := time.Now()
		_, _ = p.Read(b)
		if waited := time.Since(before); waited > time.Millisecond {
			t.Errorf("it waited %v", waited)
		}
	})
}
