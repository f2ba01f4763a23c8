// Package script is a Provider that plays a fixed list of replies. It is the
// fake for tests of the loop and the screen, and the demo plays its replies.
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
	// Err ends the reply after Deltas instead of a Finish.
	Err error
	// Before is called with the request before the first delta. It may block
	// until ctx ends.
	Before func(ctx context.Context, req llm.Request)
	// Hold blocks delivery: the delta with index i is sent only after a receive
	// from Hold[i], the end of the reply after one from Hold[len(Deltas)].
	Hold map[int]<-chan struct{}
}

// Provider plays its replies in order, one per request. It is safe for
// concurrent use.
type Provider struct {
	// Pause is the delay before each delta, so that users can watch.
	Pause time.Duration

	mu       sync.Mutex
	replies  []Reply
	requests []llm.Request
}

// New returns a provider that plays replies.
func New(replies ...Reply) *Provider { return &Provider{replies: replies} }

// Requests returns the requests so far.
func (p *Provider) Requests() []llm.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]llm.Request(nil), p.requests...)
}

// Stream implements llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r, ok := p.pop(req)
		if !ok {
			yield(nil, &llm.Error{Kind: llm.ErrInvalid, Provider: "script", Message: "the script has no more replies"})
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

// pop records the request and removes the next reply.
func (p *Provider) pop(req llm.Request) (Reply, bool) {
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

// wait waits for hold and then for Pause.
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
