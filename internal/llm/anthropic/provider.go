// Package anthropic speaks Anthropic's messages dialect.
//
// The dialect is two pure functions, NewRequest and Decode, over the transport of
// package wire. The maker's own library would take 3 MiB of memory at every start
// and a third of the program's file for the few types that are needed of it, and
// its one type for all events of an answer costs 8 KB an event, and fails on what
// is not as it expects.
package anthropic

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options say where a provider is and how to speak with it.
type Options struct {
	// Endpoint's Base is "https://api.anthropic.com", with or without /v1. Its
	// key goes into the header x-api-key: see wire.KeyHeader.
	Endpoint wire.Endpoint
	// MaxTokens limits the replies to requests that name no limit. 0 is what the
	// name of the model lets expect.
	MaxTokens int
}

// Provider reaches the models of one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	maxTokens int
}

// versionHeader says which version of the dialect is spoken.
const versionHeader = "anthropic-version"

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "anthropic")
	at.Base = endpoint(at.Base)
	at.Headers = maps.Clone(at.Headers)
	if at.Headers == nil {
		at.Headers = map[string]string{}
	}
	if at.Headers[versionHeader] == "" {
		at.Headers[versionHeader] = "2023-06-01"
	}
	return &Provider{Client: wire.New(at), maxTokens: opts.MaxTokens}
}

// endpoint returns base without what requests add to it.
func endpoint(base string) string {
	base, query := wire.CutQuery(strings.TrimSpace(base))
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/messages")
	return strings.TrimRight(strings.TrimSuffix(base, "/v1"), "/") + query
}

// Stream asks for a reply. See llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if req.MaxTokens == 0 {
			req.MaxTokens = p.maxTokens
		}
		x := p.Exchange(ctx, req.Model)
		defer func() { _ = x.Close() }()
		body, err := NewRequest(req)
		if err != nil {
			yield(nil, x.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err}))
			return
		}
		payloads, err := x.Post("/v1/messages", body)
		if err != nil {
			yield(nil, x.Failed(err))
			return
		}
		x.Stream(payloads.PassDone(), newDecoder(req.Model), yield)
	}
}

var _ llm.Provider = (*Provider)(nil)
