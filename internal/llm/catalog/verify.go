package catalog

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// verifyTime limits how long a server may take to respond to a test.
const verifyTime = 15 * time.Second

// Verdict is the result of a test of a provider's server and credentials.
type Verdict struct {
	Models []Served // that the server lists
	// Verified is set if the server has accepted the credentials, or needs none.
	Verified bool
	Note     string // what the test cannot tell; empty for nothing
	// Err is why the provider cannot be used; nil if it can. Its kind is ErrKey if the
	// server has rejected the credentials.
	Err *llm.Error
}

// Verify asks the server of a provider for its list of models, with the provider's
// credentials. Where everybody gets that list, a second request tells whether the
// credentials are valid, if the provider has one for that. It sends no prompt.
func (in Input) Verify(ctx context.Context, provider string) Verdict {
	r, ok := in.Changes.Find(provider)
	if !ok || r.Dialect == Builtin {
		return Verdict{Err: &llm.Error{Kind: llm.ErrInvalid, Message: fmt.Sprintf("there is no provider %q", provider)}}
	}
	c, err := in.choice(r, "any")
	if err != nil {
		return Verdict{Err: &llm.Error{Kind: llm.ErrInvalid, Provider: r.Name, Message: err.Error()}}
	}
	if r.Local {
		return in.verifyLocal(ctx, c)
	}
	e := newExplainer(ctx, c)
	defer e.client.Close()
	v := Verdict{Verified: true}
	if v.Models, err = e.prober().listOf(ctx, c); err != nil {
		return e.listFailed(err)
	}
	switch {
	case c.Key == "" && c.Login == nil:
	case r.KeyCheck != "":
		if err := e.prober().get(ctx, wire.Join(c.BaseURL, r.KeyCheck), &struct{}{}); err != nil {
			return e.listFailed(err)
		}
	case r.Configured || r.Keyless || c.urlSource != "" || r.Listing == GitHubListing:
		without := c
		without.Key, without.Login = "", nil
		keyless := newExplainer(ctx, without)
		defer keyless.client.Close()
		if _, err := keyless.prober().listOf(ctx, c); err == nil {
			v.Verified, v.Note = false, "The server sends its list of models without a key too, so the key is not verified. The first prompt will show whether it is valid."
		}
	}
	return v
}

// verifyLocal asks a server on this machine for its models, with what it says about them.
func (in Input) verifyLocal(ctx context.Context, c Choice) Verdict {
	e := newExplainer(ctx, c)
	defer e.client.Close()
	models, err := prober{http: e}.models(ctx, c.Provider, c.BaseURL)
	switch {
	case err != nil:
		v := e.listFailed(err)
		if v.Err != nil && v.Err.Kind == llm.ErrNetwork && c.Provider.Start != "" {
			v.Err.Hint = "Start it in another terminal: " + c.Provider.Start
		}
		return v
	case len(models) == 0:
		return Verdict{Err: &llm.Error{Kind: llm.ErrNotFound, Provider: c.Provider.Name, Message: "the server has no models", Hint: "Load or download a model, then try again."}}
	}
	return Verdict{Models: models, Verified: true}
}

// explainer sends the requests of a test, and keeps the explained error of the last one.
type explainer struct {
	client *wire.Client
	ctx    context.Context
	c      Choice
	failed *llm.Error
}

func newExplainer(ctx context.Context, c Choice) *explainer {
	at := c.endpoint()
	at.Limits = wire.Limits{Connect: verifyTime, TLS: verifyTime, Headers: verifyTime, Idle: verifyTime}
	return &explainer{client: wire.New(at), ctx: ctx, c: c}
}

// Do implements sender.
func (e *explainer) Do(req *http.Request) (*http.Response, error) {
	e.failed = nil
	x := e.client.Exchange(e.ctx, "any")
	res, err := x.Do(req)
	if err != nil {
		e.failed = x.Failed(err)
		return nil, e.failed
	}
	return res, nil
}

// prober returns a prober that sends its requests through e.
func (e *explainer) prober() prober {
	return prober{http: e, headers: http.Header{"Anthropic-Version": {"2023-06-01"}}} // ignored by other providers
}

// listFailed returns the verdict of a server that sent no list of models.
func (e *explainer) listFailed(err error) Verdict {
	failed := e.failed
	at := wire.Redacted(e.c.BaseURL)
	switch {
	case failed == nil:
		failed = &llm.Error{Kind: llm.ErrProtocol, Provider: e.c.Provider.Name, Message: at + " answers, but not with a list of models", Err: err}
		failed.Hint = "Check the base URL. That of most servers ends in /v1."
	case failed.Kind == llm.ErrNotFound:
		failed.Message = "there is no list of models at " + at
		failed.Hint = "Check the base URL. That of most servers ends in /v1. A few servers have no list: you can keep the settings and type the name of a model."
	case failed.Kind == llm.ErrKey && failed.Status != 0 && e.c.Key == "" && e.c.Login == nil:
		failed.Hint = "The server requires an API key."
	case failed.Kind == llm.ErrKey && failed.Status != 0:
		failed.Hint = "Check that the whole key was copied, that it belongs to " + e.c.Provider.Name + ", and that it was not revoked."
	}
	return Verdict{Err: failed}
}

// Fact is what is known about a model of a provider.
type Fact struct {
	Name    string
	Default bool // used if only the provider is named
	Info    Info
}

// Facts returns the models of a provider: those of v or, if the server lists none, those that
// are known without a request. The default is the first, and models without data are the last.
func (in Input) Facts(provider string, v Verdict) (all []Fact) {
	r, _ := in.Changes.Find(provider)
	s := in.providerStatus(r)
	add := func(m Served) {
		if !slices.ContainsFunc(all, func(f Fact) bool { return f.Name == m.Name }) {
			all = append(all, Fact{m.Name, m.Name == s.Default, in.Known(s, m)})
		}
	}
	for _, m := range v.Models {
		add(m)
	}
	for _, name := range in.Changes.ModelsOf(s) {
		if len(v.Models) == 0 || name == s.Default {
			add(Served{Name: name})
		}
	}
	slices.SortStableFunc(all, func(a, b Fact) int { return cmp.Compare(a.rank(), b.rank()) })
	return all
}

// rank is lower for a model that the user more likely wants.
func (f Fact) rank() int {
	switch {
	case f.Default:
		return 0
	case f.Info.Exact || f.Info.Context > 0:
		return 1
	}
	return 2
}
