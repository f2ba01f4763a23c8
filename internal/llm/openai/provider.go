// Package openai speaks the chat completions dialect, as OpenAI and the many
// that imitate it do.
//
// The dialect is two pure functions, NewRequest and Decode. Provider joins them
// with a transport: the go-openai library makes the request, behind an HTTP
// client that adds to it what the library cannot express, and turns every
// failure into an *llm.Error. The answer is read and decoded here, as the library
// would lose a part of it (reasoning, errors inside a stream, a cut).
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
	*wire.Client
	path   string
	quirks Quirks
}

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	if opts.Path == "" {
		at.Base = wire.APIBase(at.Base)
	}
	return &Provider{Client: wire.New(at), path: opts.Path, quirks: opts.Quirks}
}

// Stream asks for a reply. See llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := p.Exchange(ctx, req.Model)
		defer func() { _ = x.Close() }()
		do := &doer{x: x, url: p.url(req.Model), request: newRequest(req, p.quirks)}
		config := api.DefaultConfig("")
		config.BaseURL, config.HTTPClient = p.BaseURL(), do
		stream, err := api.NewClientWithConfig(config).CreateChatCompletionStream(ctx, do.request.ChatCompletionRequest)
		if _, ok := errors.AsType[*json.MarshalerError](err); ok { // the library could not write the request
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

// url returns where requests for the model go.
func (p *Provider) url(model string) string {
	if p.path == "" {
		return p.URL("/chat/completions")
	}
	return p.URL(strings.ReplaceAll(p.path, "{model}", url.PathEscape(model)))
}

var _ llm.Provider = (*Provider)(nil)
