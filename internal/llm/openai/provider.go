// Package openai speaks the chat completions dialect, as OpenAI and the many
// that imitate it do.
//
// The dialect is two pure functions, NewRequest and Decode. Provider joins them
// with a transport: the go-openai library makes the request and reads the
// stream, behind an HTTP client that gives it only what it can digest (a plain
// row of JSON events and one clear end) and turns every failure into an
// *llm.Error. What the library would lose on the way (reasoning, errors inside
// a stream, a cut) is decoded here.
package openai

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm"
)

// Options say where a provider is and how to speak with it.
type Options struct {
	Name    string // for people: "groq"
	BaseURL string // "https://api.openai.com/v1"; without a path /v1 is meant
	Key     string // sent as a bearer token, unless empty
	KeyName string // the variable that the key belongs in
	Local   bool   // a server on this machine
	Headers map[string]string
	Quirks  Quirks
	Limits  Limits
	// Transport replaces the one made here; Connect and TLS are its own then.
	Transport http.RoundTripper
	// Dial replaces the dialer of the transport made here.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Limits are how long to wait for what. Zero stands for the value named here.
type Limits struct {
	Connect time.Duration // resolving and connecting: 10 s
	TLS     time.Duration // the handshake: 10 s
	Headers time.Duration // from the request to the answer's headers: 60 s
	Idle    time.Duration // between two bytes of the answer: 120 s
	Tail    time.Duration // for what may follow the finish reason, such as usage: 5 s
}

// Provider reaches the models of one endpoint. It is safe for concurrent use.
type Provider struct {
	opts Options
	base string
	http *http.Client
}

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	for _, l := range []struct {
		d        *time.Duration
		standard time.Duration
	}{
		{&opts.Limits.Connect, 10 * time.Second},
		{&opts.Limits.TLS, 10 * time.Second},
		{&opts.Limits.Headers, 60 * time.Second},
		{&opts.Limits.Idle, 120 * time.Second},
		{&opts.Limits.Tail, 5 * time.Second},
	} {
		if *l.d == 0 {
			*l.d = l.standard
		}
	}
	if opts.Name == "" {
		opts.Name = "openai"
	}
	p := &Provider{opts: opts, base: endpoint(opts.BaseURL)}
	p.http = &http.Client{Transport: opts.Transport, CheckRedirect: sameHost}
	if opts.Transport == nil {
		p.http.Transport = newTransport(opts)
	}
	return p
}

// endpoint returns base as the library wants it: whole, without the path of
// chat completions.
func endpoint(base string) string {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	base = strings.TrimSuffix(base, "/chat/completions")
	if u, err := url.Parse(base); err == nil && u.Host != "" && u.Path == "" {
		base += "/v1"
	}
	return base
}

// BaseURL returns where requests go.
func (p *Provider) BaseURL() string { return p.base }

// Close ends the connections that are kept for the next request.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// Format prints the name alone, never the key.
func (p *Provider) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.opts.Name) }

// Stream asks for a reply. See llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		body, err := NewRequest(req, p.opts.Quirks)
		if err != nil {
			yield(nil, p.explain(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err}, req.Model))
			return
		}
		x := &exchange{p: p, body: body}
		config := api.DefaultConfig(p.opts.Key)
		config.BaseURL, config.HTTPClient = p.base, x
		stream, err := api.NewClientWithConfig(config).CreateChatCompletionStream(ctx, api.ChatCompletionRequest{})
		if err != nil {
			yield(nil, p.failed(ctx, err, req.Model))
			return
		}
		defer func() { _ = stream.Close() }()
		dec := newDecoder(req.Model, p.opts.Quirks.KeepThinking)
		next := func() ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if dec.finish != "" {
				x.hurry()
			}
			return stream.RecvRaw()
		}
		dec.run(next, func(d llm.Delta, err error) bool {
			if err != nil {
				err = p.failed(ctx, err, req.Model)
			}
			return yield(d, err)
		})
	}
}
