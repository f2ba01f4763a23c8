// Package script is a Provider that plays a fixed list of replies: the fake
// behind the tests of the loop and the screen, and behind the demo.
package script

import (
	"context"
	"iter"
	"sync"
	"time"

	"agent/internal/llm"
)

// Reply is one scripted answer to one request.
type Reply struct {
	Deltas []llm.Delta
	// Err ends the reply after Deltas instead of a Finish, if set.
	Err error
	// Before runs when the request comes in, before the first delta: to look at
	// the request, or to hold the reply back until ctx ends or the test goes on.
	Before func(ctx context.Context, req llm.Request)
	// Hold, when not nil, is received from before the delta of the same index,
	// so that a test decides how far the stream has come.
	Hold map[int]<-chan struct{}
}

// Provider plays replies in order, one a request. It is safe for concurrent
// use.
type Provider struct {
	// Pause is waited for before each delta, so that people can watch.
	Pause time.Duration
	// Next answers what comes after the last scripted reply. Without one, that
	// is an error.
	Next llm.Provider

	mu       sync.Mutex
	replies  []Reply
	requests []llm.Request
}

// New returns a provider that plays replies.
func New(replies ...Reply) *Provider { return &Provider{replies: replies} }

// Requests returns the requests received so far.
func (p *Provider) Requests() []llm.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]llm.Request(nil), p.requests...)
}

// Stream plays the next reply. See llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r, ok := p.take(req)
		if !ok {
			p.rest(ctx, req, yield)
			return
		}
		if r.Before != nil {
			r.Before(ctx, req)
		}
		for i, d := range r.Deltas {
			if err := p.wait(ctx, r.Hold[i]); err != nil {
				yield(nil, err)
				return
			}
			if !yield(d, nil) {
				return
			}
		}
		if err := p.wait(ctx, r.Hold[len(r.Deltas)]); err != nil {
			yield(nil, err)
			return
		}
		if r.Err != nil {
			yield(nil, r.Err)
		}
	}
}

// take records the request and removes the reply that answers it.
func (p *Provider) take(req llm.Request) (Reply, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	req.Messages = append([]llm.Message(nil), req.Messages...)
	p.requests = append(p.requests, req)
	if len(p.replies) == 0 {
		return Reply{}, false
	}
	r := p.replies[0]
	p.replies = p.replies[1:]
	return r, true
}

// rest answers a request beyond the script.
func (p *Provider) rest(ctx context.Context, req llm.Request, yield func(llm.Delta, error) bool) {
	if p.Next == nil {
		yield(nil, &llm.Error{Kind: llm.ErrInvalid, Provider: "script", Message: "the script has no further reply"})
		return
	}
	for d, err := range p.Next.Stream(ctx, req) {
		if !yield(d, err) {
			return
		}
	}
}

// wait holds a delta back for the pause and until hold lets it go.
func (p *Provider) wait(ctx context.Context, hold <-chan struct{}) error {
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	if p.Pause > 0 {
		t := time.NewTimer(p.Pause)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return &llm.Error{Kind: llm.ErrCanceled, Provider: "script", Err: err}
	}
	return nil
}
