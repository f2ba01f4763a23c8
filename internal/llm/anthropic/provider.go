// Package anthropic implements Anthropic's Messages API.
//
// The dialect is two pure functions, NewRequest and Decode, on the transport of
// package wire. It does not use Anthropic's own library, which costs 3 MiB of
// memory at every start, a third of the program's file and 8 KB per event, and
// fails on unexpected events.
package anthropic

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options configure a Provider.
type Options struct {
	// Endpoint.Base is "https://api.anthropic.com", with or without /v1. The
	// API key belongs in the header x-api-key; see wire.KeyHeader.
	Endpoint wire.Endpoint
	// MaxTokens limits the replies to requests without a limit. 0 selects a
	// limit by the name of the model.
	MaxTokens int
	// Window is the context window of the model in tokens, 0 if it is unknown. A reply gets a
	// fifth of it if its limit would leave less than half for the request.
	Window int
	// Strict is set if the endpoint can enforce the schemas of tools.
	Strict bool
}

// Provider sends requests to one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	maxTokens int
	window    int
	strict    bool
	encoder   encoder
}

// versionHeader names the header with the API version.
const versionHeader = "anthropic-version"

// New returns a provider. It does not connect yet.
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
	return &Provider{Client: wire.New(at), maxTokens: opts.MaxTokens, window: opts.Window, strict: opts.Strict, encoder: newEncoder()}
}

// endpoint returns base without the path that requests append.
func endpoint(base string) string {
	base, query := wire.CutQuery(strings.TrimSpace(base))
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/messages")
	return strings.TrimRight(strings.TrimSuffix(base, "/v1"), "/") + query
}

// Stream implements llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := p.Exchange(ctx, req.Model)
		defer func() { _ = x.Close() }()
		body, err := p.encoder.request(p.fill(req))
		if err != nil {
			yield(nil, x.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err}))
			return
		}
		payloads, err := x.Post("/v1/messages", body)
		if err != nil {
			yield(nil, x.Failed(err))
			return
		}
		x.Stream(payloads.SkipDone(), newDecoder(req.Model), yield)
	}
}

// Body returns the body that Stream sends for req.
func (p *Provider) Body(req llm.Request) ([]byte, error) { return NewRequest(p.fill(req)) }

// fill returns req with the fields that the options of p set.
func (p *Provider) fill(req llm.Request) llm.Request {
	req.MaxTokens = cmp.Or(req.MaxTokens, p.maxTokens, traitsOf(req.Model).limit)
	if p.window > 0 && req.MaxTokens > p.window/2 {
		req.MaxTokens = p.window / 5
	}
	if !p.strict {
		req.Tools = withoutStrict(req.Tools)
	}
	return req
}

// withoutStrict returns tools whose schemas are not enforced.
func withoutStrict(tools []llm.ToolSpec) []llm.ToolSpec {
	out := slices.Clone(tools)
	for i := range out {
		out[i].Strict = nil
	}
	return out
}

var _ llm.Provider = (*Provider)(nil)
