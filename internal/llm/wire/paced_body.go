package wire

import (
	"context"
	"io"
	"time"
)

// A model sends a word or two at a time. Each read wakes everything between the
// connection and the screen, which draws less often than that. So an answer that has
// streamed for longAnswer is read at most once per pace: its text then arrives in larger
// pieces, on average half a pace later. The beginning of an answer, an answer that arrives
// quickly, and its end, once the server has sent the reason for it, are never delayed.
const (
	longAnswer = 300 * time.Millisecond
	pace       = 33 * time.Millisecond
	// largeRead is the size of a read that may have left more: the transport reads 4 KiB at
	// once.
	largeRead = 3 << 10
	// blockedRead is the time of a read that had to wait for the server.
	blockedRead = time.Millisecond
)

// pacedBody is a response body that is read at most once per pace while it brings little.
type pacedBody struct {
	io.ReadCloser
	ctx   context.Context // its end ends a wait
	clock Clock
	// records is set if a read returns at most one record of TLS, so that more may have
	// arrived after a small one.
	records bool
	hurry   bool // nothing is delayed any more

	began time.Time // of the first read that returned
	last  time.Time // of the last one
	empty bool      // the last read left nothing behind
}

func (p *pacedBody) Read(b []byte) (int, error) {
	if p.empty && !p.hurry && p.last.Sub(p.began) > longAnswer {
		p.wait(pace - p.clock.Now().Sub(p.last))
	}
	start := p.clock.Now()
	n, err := p.ReadCloser.Read(b)
	if p.last = p.clock.Now(); p.began.IsZero() {
		p.began = p.last
	}
	p.empty = err == nil && n < min(len(b), largeRead) && (!p.records || p.last.Sub(start) >= blockedRead)
	return n, err
}

// wait returns after d, or when the exchange ends.
func (p *pacedBody) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	over := make(chan struct{})
	defer p.clock.AfterFunc(d, func() { close(over) }).Stop()
	select {
	case <-over:
	case <-p.ctx.Done():
	}
}
