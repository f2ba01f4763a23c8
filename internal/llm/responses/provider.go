// Package responses speaks OpenAI's responses dialect, which some models want
// in place of chat completions: those that call tools and think only there.
//
// The dialect is two pure functions, NewRequest and Decode; Provider joins them
// with the transport of package wire. It is used without the provider's memory:
// each request holds the whole conversation, and what the model thought goes
// along in a form that only the provider can read. That form is kept as opaque
// bytes of the message it came with, and goes back to the same model alone.
package responses

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options say where a provider is and how to speak with it.
type Options struct {
	// Endpoint's Base is "https://api.openai.com/v1"; without a path /v1 is
	// meant.
	Endpoint wire.Endpoint
	Quirks   Quirks
}

// Provider reaches the models of one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	quirks Quirks
	learnt sync.Map // Quirks by model, where it refused what the options say
}

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	at.Base = wire.APIBase(at.Base)
	return &Provider{Client: wire.New(at), quirks: opts.Quirks}
}

// Stream asks for a reply. See llm.Provider. Where a model refuses an extra
// that the request can do without, it is asked without it.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x, payloads, err := p.ask(ctx, req)
		defer func() { _ = x.Close() }()
		if err != nil {
			yield(nil, err)
			return
		}
		x.Stream(payloads, newDecoder(req.Model), yield)
	}
}

// ask sends req, without the extras that were refused before, and again without
// one that is refused now. Its error is an *llm.Error.
func (p *Provider) ask(ctx context.Context, req llm.Request) (*wire.Exchange, *wire.Payloads, error) {
	q := p.quirks
	if known, ok := p.learnt.Load(req.Model); ok {
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
		less, plainer := yielding(req, q, failure)
		if less == nil {
			return x, nil, failure
		}
		if plainer != q {
			p.learnt.Store(req.Model, plainer)
		}
		req, q = *less, plainer
	}
}

var _ llm.Provider = (*Provider)(nil)
