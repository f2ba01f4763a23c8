package models

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// Trial is a provider with the settings that the user tries.
type Trial struct {
	Provider string
	URL      string      // its base URL; empty if that is already known
	Key      catalog.Key // empty if none is needed, or the program already has it
	Where    string      // where the key is from, for messages
	// Again gets the key again from its source; nil if that is not possible.
	Again func(context.Context) (catalog.Key, error)
}

// Connected holds the providers that the user connected since the program started. All
// sessions of the process share it, and each Picker uses it before the environment and the
// vault. It is safe for concurrent use.
type Connected struct {
	mu        sync.Mutex
	providers map[string]settings.Provider // additions to those of the configuration
	keys      map[string]Trial             // by provider
}

// NewConnected returns a Connected without providers.
func NewConnected() *Connected {
	return &Connected{providers: map[string]settings.Provider{}, keys: map[string]Trial{}}
}

// with returns a copy of c to which t is added.
func (c *Connected) with(t Trial) *Connected {
	c.mu.Lock()
	more := &Connected{providers: maps.Clone(c.providers), keys: maps.Clone(c.keys)}
	c.mu.Unlock()
	more.add(t)
	return more
}

// add adds a provider, in place of an earlier one with that name.
func (c *Connected) add(t Trial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.URL != "" {
		c.providers[t.Provider] = settings.Provider{BaseURL: t.URL}
	}
	if t.Key != "" {
		c.keys[t.Provider] = t
	}
}

// apply adds the connected providers to in, which was made from set. c may be nil.
func (c *Connected) apply(in catalog.Input, set settings.Settings) catalog.Input {
	if c == nil {
		return in
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.providers) > 0 {
		all := maps.Clone(set.Providers)
		if all == nil {
			all = map[string]settings.Provider{}
		}
		for name, p := range c.providers {
			old := all[name]
			old.BaseURL = p.BaseURL
			all[name] = old
		}
		set.Providers = all
		in.Changes = set.Changes()
	}
	if len(c.keys) == 0 {
		return in
	}
	hidden := map[string]bool{}
	for name := range c.keys {
		r, _ := in.Changes.Find(name)
		for _, n := range r.KeyNames {
			hidden[n] = true
		}
		if r.Client != nil {
			hidden[r.Client.IDName] = true
		}
	}
	getenv := in.Getenv
	in.Getenv = func(name string) string {
		if hidden[name] {
			return ""
		}
		return getenv(name)
	}
	in.Vault = connectedVault{in.Vault, c}
	return in
}

// connectedVault is a vault that also has the keys of connected providers.
type connectedVault struct {
	catalog.Vault
	connected *Connected
}

// trial returns the connected key of a provider.
func (v connectedVault) trial(provider string) (Trial, bool) {
	v.connected.mu.Lock()
	defer v.connected.mu.Unlock()
	t, ok := v.connected.keys[provider]
	return t, ok
}

// Renew implements catalog.Renewer.
func (v connectedVault) Renew(ctx context.Context, provider string, old catalog.Key) (catalog.Key, error) {
	t, ok := v.trial(provider)
	if !ok {
		if r, ok := v.Vault.(catalog.Renewer); ok {
			return r.Renew(ctx, provider, old)
		}
	}
	if t.Key != "" && t.Key != old {
		return t.Key, nil // another request has renewed it
	}
	if t.Again == nil {
		return "", errors.New("there is no other API key")
	}
	key, err := t.Again(ctx)
	switch {
	case err != nil:
		return "", err
	case key == old:
		return "", errors.New("there is no other API key")
	}
	t.Key = key
	v.connected.add(t)
	return key, nil
}

// Has implements catalog.Vault.
func (v connectedVault) Has(provider string) (where string, ok bool) {
	if t, ok := v.trial(provider); ok {
		return t.Where, true
	}
	return v.Vault.Has(provider)
}

// Key implements catalog.Vault.
func (v connectedVault) Key(provider string) (key catalog.Key, where string, err error) {
	if t, ok := v.trial(provider); ok {
		return t.Key, t.Where, nil
	}
	return v.Vault.Key(provider)
}

// Statuses returns the status of every provider, and the servers that run on this machine.
func (p *Picker) Statuses(ctx context.Context) ([]catalog.ProviderStatus, []catalog.Server) {
	in := p.input(ctx, "")
	in.Wait = serverTime
	var servers []catalog.Server
	if p.mayProbe() {
		servers = in.Probe(ctx)
	}
	return in.ProviderStatuses(), servers
}

// Verify tests a provider: see catalog.Input.Verify. From now on, the key of t is a secret of
// the session.
func (p *Picker) Verify(ctx context.Context, t Trial) (catalog.Verdict, []Model) {
	if t.Key != "" {
		p.vault.Found(t.Provider, t.Key)
	}
	in := p.trying(ctx, t)
	v := in.Verify(ctx, t.Provider)
	return v, p.modelsOf(in, t, v)
}

// Connect connects a provider from now on.
func (p *Picker) Connect(t Trial) {
	if again := t.Again; again != nil {
		t.Again = func(ctx context.Context) (catalog.Key, error) {
			key, err := again(ctx)
			if err == nil {
				p.vault.Found(t.Provider, key)
			}
			return key, err
		}
	}
	p.Connected.add(t)
}

// trying returns the input of the choice with the provider of t.
func (p *Picker) trying(ctx context.Context, t Trial) catalog.Input {
	q := *p
	q.Connected = p.Connected.with(t)
	return q.input(ctx, "")
}

// modelsOf returns the models of a provider.
func (p *Picker) modelsOf(in catalog.Input, t Trial, v catalog.Verdict) (all []Model) {
	for _, f := range in.Facts(t.Provider, v) {
		m := described(f.Info)
		m.Model, m.Default = t.Provider+"/"+f.Name, f.Default
		all = append(all, m)
	}
	return all
}

// described returns a model with what is known about it.
func described(i catalog.Info) Model {
	m := Model{Context: i.Context, Tools: i.Tools, Images: i.Vision}
	if i.Effort != nil {
		m.Thinking = new(len(i.Effort) > 0)
	}
	if i.Price != nil {
		m.Input, m.Output = &i.Price.Input, &i.Price.Output
	}
	return m
}

// FreeName returns the name for another provider: custom, or custom-2 and so on if a server
// has that name.
func (p *Picker) FreeName() string {
	in := p.input(context.Background(), "")
	statuses := in.ProviderStatuses()
	for n := 1; ; n++ {
		name := "custom"
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		i := slices.IndexFunc(statuses, func(s catalog.ProviderStatus) bool { return s.Row.Name == name })
		if i < 0 || statuses[i].BaseURL == "" {
			return name
		}
	}
}
