package models

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"agent/internal/llm/catalog"
	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
)

// ModelStatus says whether the models that the user connected can be used.
type ModelStatus struct {
	Model string // the model of a new session, as PROVIDER/NAME
	Why   string // why it is selected
	Err   error  // why no model can be selected
	// Offline is set if no model is connected, so that the guide answers.
	Offline bool
	Servers []Server // of the connected providers
}

// Server is the server of a connected provider.
type Server struct {
	Provider string
	State    string // where it is, and how the program found it
	Models   int    // that the server lists
	Untested bool   // nothing was sent to the server
	Err      error  // why the server cannot be used
}

// ModelStatus returns the connected providers. With ask, it also queries the servers that the
// user configured and those on this machine, each for a few seconds at most. The
// result contains no secrets.
func (p *Picker) ModelStatus(ctx context.Context, ask bool) ModelStatus {
	in := p.input(ctx, "")
	in.Wait = serverTime
	var local []catalog.Server
	if ask && p.mayProbe() {
		local = in.Probe(ctx)
		in.Local = func() []catalog.Server { return local }
	}
	h := ModelStatus{}
	choice, err := catalog.Resolve(in)
	if err != nil {
		h.Err = err
	} else {
		h.Model, h.Why, h.Offline = choice.ID(), choice.Why, choice.Offline()
	}
	for _, s := range local {
		h.Servers = append(h.Servers, Server{Provider: s.Row.Name, State: "running at " + wire.Redacted(s.BaseURL), Models: len(s.Models)})
	}
	statuses := in.ProviderStatuses()
	asked := make([]*Server, len(statuses))
	var all sync.WaitGroup
	for i, s := range statuses {
		if s.Usable && !(s.Row.Local && s.Here) {
			all.Go(func() { asked[i] = health(ctx, in, s, ask) })
		}
	}
	all.Wait()
	for _, s := range asked {
		if s != nil {
			h.Servers = append(h.Servers, *s)
		}
	}
	p.hideSecrets(&h)
	return h
}

// health queries the server of a provider if ask is set.
func health(ctx context.Context, in catalog.Input, s catalog.ProviderStatus, ask bool) *Server {
	out := &Server{Provider: s.Row.Name, State: s.Why}
	if s.BaseURL != "" {
		out.State = wire.Redacted(s.BaseURL) + ", " + s.Why
	}
	if !ask || !in.Lists(s) {
		out.Untested = true
		return out
	}
	served, err := in.List(ctx, s)
	out.Models, out.Err = len(served), err
	return out
}

// hideSecrets removes API keys from messages: a server can repeat the key that it got.
func (p *Picker) hideSecrets(h *ModelStatus) {
	var secrets []string
	p.Secrets(func(_, value string) {
		if value != "" {
			secrets = append(secrets, value, "[key]")
		}
	})
	hide := strings.NewReplacer(secrets...)
	clean := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s", hide.Replace(err.Error()))
	}
	h.Err = clean(h.Err)
	for i := range h.Servers {
		h.Servers[i].State, h.Servers[i].Err = hide.Replace(h.Servers[i].State), clean(h.Servers[i].Err)
	}
}

// String describes the server in a few words.
func (s Server) String() string {
	switch {
	case s.Err != nil:
		return s.State
	case s.Untested:
		return s.State + ", not tested"
	}
	return s.State + ", answers with " + phrase.Count(s.Models, "model")
}
