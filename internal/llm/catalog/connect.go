package catalog

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/text"
	"agent/internal/llm/wire"
)

// localHeaders is the time limit for the response headers of a local or custom
// server, which first processes the whole prompt.
const localHeaders = 10 * time.Minute

// Connect returns the provider of the choice, without connecting yet. The guide
// is not one of them; see Offline.
func (c Choice) Connect() (llm.Provider, error) {
	at := c.endpoint()
	// A server at another address may use a chat template that fails on the types
	// of strict schemas.
	official := c.Host() == "" || c.Provider.BaseURL == ""
	switch c.Dialect() {
	case OpenAI:
		quirks := c.quirks()
		quirks.Strict = quirks.Strict && official
		return openai.New(openai.Options{Endpoint: at, Path: c.Provider.Path, Quirks: quirks, ServerLimits: c.learned}), nil
	case Anthropic:
		return anthropic.New(anthropic.Options{Endpoint: at, MaxTokens: c.Info.Output, Window: c.Info.Context, Strict: official}), nil
	case Responses:
		plain := c.Info.Exact && c.Info.Effort != nil && len(c.Info.Effort) == 0
		quirks := responses.Quirks{Plain: plain, CacheKey: c.takesCacheKey(), Loose: !official || !c.Provider.Quirks.Strict}
		return responses.New(responses.Options{Endpoint: at, Quirks: quirks, ServerLimits: c.learned}), nil
	}
	return nil, fmt.Errorf("unknown dialect %q of provider %s", c.Dialect(), c.Provider.Name)
}

// Dialect returns the wire format for the model: the provider's, unless the
// model needs another one that the provider supports.
func (c Choice) Dialect() Dialect {
	if c.Info.Dialect != "" && c.Provider.Several {
		return c.Info.Dialect
	}
	return c.Provider.Dialect
}

// endpoint describes how to reach the provider of the choice.
func (c Choice) endpoint() wire.Endpoint {
	at := wire.Endpoint{
		Name:      c.Provider.Name,
		Base:      c.BaseURL,
		KeyName:   c.KeyName,
		Local:     c.Provider.Local,
		Here:      loopback(c.BaseURL),
		AllowHTTP: c.allowHTTP,
		Headers:   c.Provider.Headers,
		Authorize: c.authorize(),
		Wrap:      c.Wrap,
	}
	if c.Provider.Local || c.BaseURL != c.Provider.BaseURL {
		at.Limits.Headers = localHeaders
	}
	if c.renew != nil && c.Key != "" {
		r := &renewable{c: c}
		at.Authorize, at.Renew = r.authorize, r.refresh
	}
	return at
}

// authorize returns the credentials of the choice.
func (c Choice) authorize() wire.Authorize {
	switch {
	case c.Login != nil:
		return newTokens(c).authorize
	case c.Provider.KeyHeader != "" && !c.hasToken():
		return wire.KeyHeader(c.Provider.KeyHeader, c.Key.Reveal())
	}
	return wire.Bearer(c.Key.Reveal())
}

// hasToken reports whether the key of c is a token of another program, which is sent as a
// bearer token.
func (c Choice) hasToken() bool {
	return len(c.Provider.Token) > 0 && c.Key != "" && c.KeyName == c.Provider.TokenCommand()
}

// renewable holds a key that can be renewed. It is safe for concurrent use.
type renewable struct {
	mu sync.Mutex
	c  Choice // its Key is the current one
}

// authorize implements wire.Authorize.
func (r *renewable) authorize(ctx context.Context, h http.Header) error {
	r.mu.Lock()
	authorize := r.c.authorize()
	r.mu.Unlock()
	return authorize(ctx, h)
}

// refresh renews the key.
func (r *renewable) refresh(ctx context.Context) error {
	r.mu.Lock()
	old := r.c.Key
	r.mu.Unlock()
	key, err := r.c.renew(ctx, old)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.c.Key = key
	r.mu.Unlock()
	return nil
}

// Described returns the choice of a model, PROVIDER/NAME, as requests to it are
// encoded. It has no credentials, so it cannot send any. base is its base URL; empty
// for the provider's own. If d is empty, the model decides the dialect.
func (in Input) Described(model, base string, d Dialect) Choice {
	provider, name, _ := Split(model)
	r, found := in.Changes.Find(provider)
	if !found || r.Dialect == Builtin {
		r = Row{Name: provider, Dialect: OpenAI}
	}
	c := Choice{Provider: r, Model: name, Info: in.Changes.Lookup(provider, name), BaseURL: cmp.Or(base, r.withSuffix(r.BaseURL))}
	if d != "" {
		c.Provider.Dialect, c.Info.Dialect = d, ""
	}
	return in.withLimits(c)
}

// Encode returns the body of a request, as the provider of c sends it.
func (c Choice) Encode(req llm.Request) ([]byte, error) {
	p, err := c.Connect()
	if err != nil {
		return nil, err
	}
	if c.Info.TextToolCalls() {
		req = text.NewRequest(req, text.Form(c.Info.Form))
	}
	return p.(interface {
		Body(llm.Request) ([]byte, error)
	}).Body(req)
}
