// Package openai speaks the chat completions dialect, as OpenAI and the many
// that imitate it do.
//
// The dialect is two pure functions, NewRequest and Decode. Provider joins them
// with a transport: the go-openai library makes the request, behind an HTTP
// client that turns every failure into an *llm.Error. The answer is read and
// decoded here, as the library would lose a part of it (reasoning, errors inside
// a stream, a cut).
package openai

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options say where a provider is and how to speak with it.
type Options struct {
	// Endpoint's Base is "https://api.openai.com/v1"; without a path /v1 is
	// meant.
	Endpoint wire.Endpoint
	// Path is what requests go to below Base, if that is not the dialect's own
	// path; {model} in it stands for the model.
	Path   string
	Quirks Quirks
}

// Provider reaches the models of one endpoint. It is safe for concurrent use.
type Provider struct {
	client *wire.Client
	path   string
	quirks Quirks
	writer writer
}

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	if opts.Path == "" {
		at.Base = endpoint(at.Base)
	}
	return &Provider{client: wire.New(at), path: opts.Path, quirks: opts.Quirks}
}

// endpoint returns base as the library wants it: whole, without the path of
// chat completions.
func endpoint(base string) string {
	base, query := wire.CutQuery(strings.TrimSpace(base))
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/chat/completions")
	if u, err := url.Parse(base); err == nil && u.Host != "" && u.Path == "" {
		base += "/v1"
	}
	return base + query
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
		body, err := p.writer.request(req, p.quirks)
		x := p.client.Exchange(ctx, req.Model, body...)
		if err != nil {
			yield(nil, x.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err}))
			return
		}
		config := api.DefaultConfig("")
		do := &doer{x: x, url: p.url(req.Model)}
		config.BaseURL, config.HTTPClient = p.client.Base(), do
		stream, err := api.NewClientWithConfig(config).CreateChatCompletionStream(ctx, api.ChatCompletionRequest{})
		if err != nil {
			yield(nil, failed(x, err))
			return
		}
		defer func() { _ = stream.Close() }()
		dec := newDecoder(req.Model, p.quirks.KeepThinking)
		dec.out.More = do.got.More
		next := func() ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if dec.finish != "" {
				x.Hurry()
			}
			return do.got.Next()
		}
		dec.run(next, func(d llm.Delta, err error) bool {
			if err != nil {
				err = failed(x, err)
			}
			return yield(d, err)
		})
	}
}

// url returns where requests for the model go.
func (p *Provider) url(model string) string {
	if p.path == "" {
		return p.client.URL("/chat/completions")
	}
	return p.client.URL(strings.ReplaceAll(p.path, "{model}", url.PathEscape(model)))
}

var _ llm.Provider = (*Provider)(nil)
