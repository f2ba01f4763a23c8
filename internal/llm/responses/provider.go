// Package responses implements OpenAI's Responses API, which some models
// require for tool calls or reasoning.
//
// The dialect is two pure functions, NewRequest and Decode; Provider joins them
// with the transport of package wire. The provider's server-side state is not
// used: each request holds the whole conversation. Reasoning is returned
// encrypted; it is kept as opaque bytes of its message and sent back only to
// the same model.
package responses

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options configure a Provider.
type Options struct {
	// Endpoint.Base is "https://api.openai.com/v1". If it has no path, /v1 is
	// used.
	Endpoint wire.Endpoint
	Quirks   Quirks
}

// Provider sends requests to one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	quirks  Quirks
	learned sync.Map // Quirks by model, learned from rejected requests
}

// New returns a provider. It does not connect yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	at.Base = wire.APIBase(at.Base)
	return &Provider{Client: wire.New(at), quirks: opts.Quirks}
}

// Stream implements llm.Provider. If the model rejects an optional parameter,
// the request is sent again without it.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x, payloads, err := p.ask(ctx, req)
		defer func() { _ = x.Close() }()
		if err != nil {
			yield(nil, err)
			return
		}
		x.Stream(payloads, newDecoder(req.Model, freeform(req.Tools)), yield)
	}
}

// ask sends req without the parameters that were rejected before, and again
// without one that is rejected now. Its error is an *llm.Error.
func (p *Provider) ask(ctx context.Context, req llm.Request) (*wire.Exchange, *wire.Payloads, error) {
	q := p.quirks
	if known, ok := p.learned.Load(req.Model); ok {
		q = known.(Quirks)
	}
	for {
		x := p.Exchange(ctx, req.Model)
		body, err := NewRequest(req, q)
		if err != nil {
			return x, nil, x.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
		}
		payloads, err := x.Post("/responses", body)
		if err == nil {
			return x, payloads, nil
		}
		failure := x.Failed(err)
		less, plainer := withoutRejected(req, q, failure)
		if less == nil {
			return x, nil, failure
		}
		if plainer != q {
			p.learned.Store(req.Model, plainer)
		}
		req, q = *less, plainer
	}
}

var _ llm.Provider = (*Provider)(nil)
