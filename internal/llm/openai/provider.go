// Package openai implements the Chat Completions API of OpenAI and of the many
// servers that copy it.
//
// The dialect is two pure functions, NewRequest and Decode. Provider joins them
// with a transport: the go-openai library makes the request with an HTTP client
// that adds what the library cannot express and turns failures into *llm.Error.
// The response is decoded in this package, because the library drops reasoning,
// errors inside a stream, and truncation.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/url"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options configure a Provider.
type Options struct {
	// Endpoint.Base is "https://api.openai.com/v1". If it has no path, /v1 is
	// used.
	Endpoint wire.Endpoint
	// Path is the path of requests below Base, if it is not the default;
	// {model} in it is replaced by the model.
	Path   string
	Quirks Quirks
}

// Provider sends requests to one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	path   string
	quirks Quirks
}

// New returns a provider. It does not connect yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	if opts.Path == "" {
		at.Base = wire.APIBase(at.Base)
	}
	return &Provider{Client: wire.New(at), path: opts.Path, quirks: opts.Quirks}
}

// Stream implements llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := p.Exchange(ctx, req.Model)
		defer func() { _ = x.Close() }()
		do := &doer{x: x, url: p.url(req.Model), request: newRequest(req, p.quirks)}
		config := api.DefaultConfig("")
		config.BaseURL, config.HTTPClient = p.BaseURL(), do
		stream, err := api.NewClientWithConfig(config).CreateChatCompletionStream(ctx, do.request.ChatCompletionRequest)
		if _, ok := errors.AsType[*json.MarshalerError](err); ok { // the library could not encode the request
			err = &llm.Error{Kind: llm.ErrInvalid, Message: "write the request: " + err.Error(), Err: err}
		}
		if err != nil {
			yield(nil, x.Failed(err))
			return
		}
		defer func() { _ = stream.Close() }()
		x.Stream(do.got, newDecoder(req.Model, p.quirks.KeepThinking), yield)
	}
}

// url returns the URL of requests for model.
func (p *Provider) url(model string) string {
	if p.path == "" {
		return p.URL("/chat/completions")
	}
	return p.URL(strings.ReplaceAll(p.path, "{model}", url.PathEscape(model)))
}

var _ llm.Provider = (*Provider)(nil)
