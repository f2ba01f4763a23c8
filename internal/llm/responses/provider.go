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
	"slices"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options configure a Provider.
type Options struct {
	// Endpoint.Base is "https://api.openai.com/v1". If it has no path, /v1 is
	// used.
	Endpoint wire.Endpoint
	Quirks   Quirks
	// ServerLimits remembers what the server rejects; nil for the life of the
	// Provider.
	ServerLimits wire.ServerLimits
}

// Provider sends requests to one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	quirks  Quirks
	learned wire.ServerLimits
	encoder encoder
}

// New returns a provider. It does not connect yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	at.Base = wire.APIBase(at.Base)
	p := &Provider{Client: wire.New(at), quirks: opts.Quirks, learned: opts.ServerLimits, encoder: newEncoder()}
	if p.learned == nil {
		p.learned = wire.NewServerLimits()
	}
	return p
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

// Body returns the body that Stream sends for req first, adapted to the known facts
// about the model.
func (p *Provider) Body(req llm.Request) ([]byte, error) {
	return NewRequest(req, p.quirks.with(p.learned.Limits(req.Model)...))
}

// ask sends req without the parameters that were rejected before, and again
// without one that is rejected now. Its error is an *llm.Error.
func (p *Provider) ask(ctx context.Context, req llm.Request) (*wire.Exchange, *wire.Payloads, error) {
	q := p.quirks.with(p.learned.Limits(req.Model)...)
	var learned []string
	for {
		x := p.Exchange(ctx, req.Model)
		body, err := p.encoder.request(req, q)
		if err != nil {
			return x, nil, x.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
		}
		payloads, err := x.Post("/responses", body)
		if err == nil {
			for _, fact := range learned {
				p.learned.Learn(req.Model, fact)
			}
			return x, payloads, nil
		}
		failure := x.Failed(err)
		if fact := q.lesson(failure, freeform(req.Tools) != nil); fact != "" {
			learned, q = append(learned, fact), q.with(fact)
			continue
		}
		if !cannotDecrypt(failure) || !hasReasoning(req) {
			return x, nil, failure
		}
		req.Messages = slices.Clone(req.Messages)
		for i := range req.Messages {
			req.Messages[i].Opaque = nil
		}
	}
}

var _ llm.Provider = (*Provider)(nil)
