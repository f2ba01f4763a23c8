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
	// ServerLimits remembers what the server rejects; nil for the life of the
	// Provider.
	ServerLimits wire.ServerLimits
}

// Provider sends requests to one endpoint. It is safe for concurrent use.
type Provider struct {
	*wire.Client
	path    string
	quirks  Quirks
	learned wire.ServerLimits
	encoder encoder
}

// New returns a provider. It does not connect yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	if opts.Path == "" {
		at.Base = wire.APIBase(at.Base)
	}
	p := &Provider{Client: wire.New(at), path: opts.Path, quirks: opts.Quirks, learned: opts.ServerLimits, encoder: newEncoder()}
	if p.learned == nil {
		p.learned = wire.NewServerLimits()
	}
	return p
}

// Body returns the body that Stream sends for req first, adapted to the known facts
// about the server.
func (p *Provider) Body(req llm.Request) ([]byte, error) {
	return NewRequest(req, p.quirks.with(p.learned.Limits(req.Model)...))
}

// maxForms limits how often a rejected request is sent in another form.
const maxForms = 5

// Stream implements llm.Provider. If the server rejects a form of the request
// that another one can avoid, the request is sent again in that form.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		q := p.quirks.with(p.learned.Limits(req.Model)...)
		var learned []string
		accepted := func() { // the server accepts the new form, so the facts are right
			for _, fact := range learned {
				p.learned.Learn(req.Model, fact)
			}
		}
		for {
			e := p.stream(ctx, req, q, accepted, yield)
			if e == nil {
				return
			}
			fact := q.lesson(e)
			if fact == "" || len(learned) == maxForms {
				yield(nil, e)
				return
			}
			learned, q = append(learned, fact), q.with(fact)
		}
	}
}

// stream sends req, calls accepted if the server answers, and yields the reply.
// Its error is that of a response without a reply; it yields all others.
func (p *Provider) stream(ctx context.Context, req llm.Request, q Quirks, accepted func(), yield func(llm.Delta, error) bool) *llm.Error {
	x := p.Exchange(ctx, req.Model)
	defer func() { _ = x.Close() }()
	do := &doer{x: x, url: p.url(req.Model), request: newRequest(req, q, p.encoder)}
	config := api.DefaultConfig("")
	config.BaseURL, config.HTTPClient = p.BaseURL(), do
	stream, err := api.NewClientWithConfig(config).CreateChatCompletionStream(ctx, do.request.ChatCompletionRequest)
	if _, ok := errors.AsType[*json.MarshalerError](err); ok { // the library could not encode the request
		err = &llm.Error{Kind: llm.ErrInvalid, Message: "write the request: " + err.Error(), Err: err}
	}
	if err != nil {
		return x.Failed(err)
	}
	defer func() { _ = stream.Close() }()
	accepted()
	x.Stream(do.got, newDecoder(req.Model, q.KeepThinking), yield)
	return nil
}

// url returns the URL of requests for model.
func (p *Provider) url(model string) string {
	if p.path == "" {
		return p.URL("/chat/completions")
	}
	return p.URL(strings.ReplaceAll(p.path, "{model}", url.PathEscape(model)))
}

var _ llm.Provider = (*Provider)(nil)
