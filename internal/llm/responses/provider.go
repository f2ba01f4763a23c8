// Package responses speaks OpenAI's responses dialect, which some models want
// in place of chat completions: those that call tools and think only there.
//
// The dialect is two pure functions, NewRequest and Decode; Provider joins them
// with the transport of package wire. It is used without the provider's memory:
// each request holds the whole conversation, and what the model thought goes
// along in a form that only the provider can read. That form is kept as opaque
// bytes of the message it came with, and goes back to the same model alone.
package responses

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"sync"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// Options say where a provider is and how to speak with it.
type Options struct {
	// Endpoint's Base is "https://api.openai.com/v1"; without a path /v1 is
	// meant.
	Endpoint wire.Endpoint
	Quirks   Quirks
}

// Provider reaches the models of one endpoint. It is safe for concurrent use.
type Provider struct {
	client *wire.Client
	quirks Quirks
	writer writer
	learnt sync.Map // Quirks by model, where it refused what the options say
}

// New returns a provider. It connects to nothing yet.
func New(opts Options) *Provider {
	at := opts.Endpoint
	at.Name = cmp.Or(at.Name, "openai")
	at.Base = endpoint(at.Base)
	return &Provider{client: wire.New(at), quirks: opts.Quirks}
}

// endpoint returns base without the path of this interface or of its sister.
func endpoint(base string) string {
	base, query := wire.CutQuery(strings.TrimSpace(base))
	base = strings.TrimRight(base, "/")
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/responses"), "/chat/completions")
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

// Stream asks for a reply. See llm.Provider. Where a model refuses an extra
// that the request can do without, it is asked without it.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		a, err := p.ask(ctx, req)
		defer a.close()
		if err != nil {
			yield(nil, err)
			return
		}
		d := newDecoder(req.Model)
		d.out.More = a.payloads.More
		next := func() ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if d.whole() || d.failure != nil {
				a.exchange.Hurry()
			}
			return a.payloads.Next()
		}
		d.run(next, func(delta llm.Delta, err error) bool {
			if err != nil {
				err = a.exchange.Failed(err)
			}
			return yield(delta, err)
		})
	}
}

// answer is one that has begun.
type answer struct {
	exchange *wire.Exchange
	payloads *wire.Payloads
}

func (a answer) close() {
	// What could fail here was read already, or is wanted by nobody.
	_ = a.exchange.Close()
}

// ask sends req, without the extras that were refused before, and again without
// one that is refused now. Its error is an *llm.Error.
func (p *Provider) ask(ctx context.Context, req llm.Request) (answer, error) {
	q := p.quirks
	if known, ok := p.learnt.Load(req.Model); ok {
		q = known.(Quirks)
	}
	for {
		body, err := p.writer.request(req, q)
		a := answer{exchange: p.client.Exchange(ctx, req.Model, body...)}
		if err != nil {
			return a, a.exchange.Failed(&llm.Error{Kind: llm.ErrInvalid, Message: err.Error(), Err: err})
		}
		a.payloads, err = a.exchange.Post("/responses")
		if err == nil {
			return a, nil
		}
		failure := a.exchange.Failed(err)
		less, plainer := yielding(req, q, failure)
		if less == nil {
			return a, failure
		}
		if plainer != q {
			p.learnt.Store(req.Model, plainer)
		}
		req, q = *less, plainer
	}
}

var _ llm.Provider = (*Provider)(nil)
