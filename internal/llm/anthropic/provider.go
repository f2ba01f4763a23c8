// Package anthropic speaks Anthropic's messages dialect.
//
// The dialect is two pure functions, NewRequest and Decode. The library
// anthropic-sdk-go gives the types of the request and sends it, over the
// transport of package wire. The events of the answer are read here: the
// library's one type for all of them costs 8 KB an event, and fails on what is
// not as it expects.
package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

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
	client    *wire.Client
	maxTokens int
}

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "anthropic")
	at.Base = endpoint(at.Base)
	return &Provider{client: wire.New(at), maxTokens: opts.MaxTokens}
}

// endpoint returns base without what the library adds to it.
func endpoint(base string) string {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	base = strings.TrimSuffix(base, "/messages")
	return strings.TrimRight(strings.TrimSuffix(base, "/v1"), "/")
}

// BaseURL returns where requests go.
func (p *Provider) BaseURL() string { return p.client.Base() }

// Close ends the connections that are kept for the next request.
func (p *Provider) Close() { p.client.Close() }

// Format prints the name alone, never the key.
func (p *Provider) Format(f fmt.State, verb rune) { p.client.Format(f, verb) }

// Stream asks for a reply. See llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if req.MaxTokens == 0 {
			req.MaxTokens = p.maxTokens
		}
		body, err := NewRequest(req)
		x := p.client.Exchange(ctx, req.Model, body)
		defer func() { _ = x.Close() }()
		if err != nil {
			yield(nil, x.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err}))
			return
		}
		payloads, err := p.post(ctx, x, body)
		if err != nil {
			yield(nil, x.Failed(err))
			return
		}
		next := func() ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return payloads.Next()
		}
		dec := newDecoder(req.Model)
		dec.out.More = payloads.More
		dec.run(next, func(d llm.Delta, err error) bool {
			if err != nil {
				err = x.Failed(err)
			} else if _, ok := d.(llm.Finish); ok {
				x.Drain()
			}
			return yield(d, err)
		})
	}
}

// post sends body with the library. Its client is made without the function
// for that, which would look for keys and addresses in the environment and in
// files of its own.
func (p *Provider) post(ctx context.Context, x *wire.Exchange, body []byte) (*wire.Payloads, error) {
	client := api.Client{Options: []option.RequestOption{
		option.WithBaseURL(p.client.Base()),
		option.WithHTTPClient(x),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
	}}
	var res *http.Response
	if err := client.Post(ctx, "v1/messages", body, &res); err != nil {
		return nil, err
	}
	return wire.NewPayloads(res.Body), nil
}

var (
	_ llm.Provider      = (*Provider)(nil)
	_ option.HTTPClient = (*wire.Exchange)(nil)
)
