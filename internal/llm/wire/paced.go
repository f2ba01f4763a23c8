package wire

import (
	"context"
	"io"
	"time"
)

// A model sends a word or two at a time, and each read wakes everything between
// the connection and the screen, which draws less often than that. So an answer
// that has streamed for longAnswer is read at most once per pace. A short answer,
// and one that comes fast, is never delayed. Without this, 2,000 tokens at 200 a
// second take about 60 % more processor time.
const (
	longAnswer = 300 * time.Millisecond
	pace       = 25 * time.Millisecond
	largeRead  = 3 << 10 // bytes of a read that may have left more: 4 KiB are read at most
)

// paced is a body that is read at most once per pace while it brings little.
type paced struct {
	io.ReadCloser
	ctx   context.Context // whose end ends a wait
	clock Clock
	// drains is set if a read returns everything that has come. One of HTTP/1 over
	// TLS returns one record, and would fall behind.
	drains      bool
	hurry       bool // the answer is about to end: nothing is delayed any more
	first, last time.Time
	small       bool // the last read left nothing behind
}

func (p *paced) Read(b []byte) (int, error) {
	if p.drains && !p.hurry && p.small && p.last.Sub(p.first) > longAnswer {
		p.wait(pace - p.clock.Now().Sub(p.last))
	}
	n, err := p.ReadCloser.Read(b)
	if p.last = p.clock.Now(); p.first.IsZero() {
		p.first = p.last
	}
	p.small = n < min(len(b), largeRead) && err == nil
	return n, err
}

// wait returns after d, or when the exchange ends.
func (p *paced) wait(d time.Duration) {
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
