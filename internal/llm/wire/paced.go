package wire

import (
	"context"
	"io"
	"net/http/httptrace"
	"time"
)

// A model says a word or two at a time, and each piece that is read wakes all
// that lies between the network and the screen. Of an answer that has gone on
// for longAnswer, what comes within a pace is therefore left to gather in the
// connection. Short answers, and those that come fast, are never held up.
const (
	longAnswer = 300 * time.Millisecond
	pace       = 42 * time.Millisecond // 24 times a second, as a film
	fewBytes   = 3 << 10               // of a read after which nothing more was there: 4 KiB are read at most
)

// paced is a body that is read once in a pace while it brings little.
type paced struct {
	body        io.ReadCloser
	ctx         context.Context // whose end is not waited for
	clock       Clock
	conn        *patient  // that brings body and nothing else; nil if there is none
	first, last time.Time // when something came
	drained     bool      // by the last read
	ended       bool      // with an error
	hurry       bool      // nothing may be held up any more
}

// traced returns a context of a request that tells p which connection its
// answer comes on.
func (p *paced) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		p.conn, _ = got.Conn.(*patient)
	}})
}

func (p *paced) Read(b []byte) (int, error) {
	if p.drained && !p.hurry && !p.ended && p.last.Sub(p.first) > longAnswer {
		p.rest(pace - p.clock.Now().Sub(p.last))
	}
	n, err := p.body.Read(b)
	if p.last = p.clock.Now(); p.first.IsZero() {
		p.first = p.last
	}
	p.drained, p.ended = n < min(len(b), fewBytes), err != nil
	return n, err
}

// rest waits for d, or for the end of the exchange.
func (p *paced) rest(d time.Duration) {
	if d <= 0 {
		return
	}
	p.conn.gather()
	over := make(chan struct{})
	defer p.clock.AfterFunc(d, func() { close(over) }).Stop()
	select {
	case <-over:
	case <-p.ctx.Done():
	}
}

func (p *paced) Close() error { return p.body.Close() }
