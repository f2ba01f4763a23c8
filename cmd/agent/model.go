package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/cmd/agent/command"
	"agent/cmd/agent/credentials"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/llm/offline"
	"agent/internal/llm/text"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// picker finds the model that answers.
type picker struct {
	flags    flags
	settings settings.Settings
	last     string // the model used last, as PROVIDER/NAME
	// lastURL is its base URL, as the log has it: see catalog.Input.
	lastURL       string
	lastAtDefault bool // it was at the provider's own address
	continued     bool // last is the model of a session that is continued
	guideHeld     bool // the guide answers because last cannot be used: no server is looked for
	// bound is the base URL that the flag or the session gave at the start. It
	// holds for one provider alone.
	bound  struct{ url, provider string }
	effort string // that it had in the session that goes on; empty if that was its own
	// wait says that servers on this machine are looked for before the guide is
	// chosen; otherwise local does it.
	waitLocal bool
	// attended says that a user can read notices and select another model.
	attended bool
	vault    *credentials.Vault
}

// newPicker returns a picker that chooses by what the person said.
func newPicker(f flags, set settings.Settings, last string, wait bool) picker {
	return picker{flags: f, settings: set, last: last, waitLocal: wait, attended: !wait, vault: credentials.NewVault(set, f.end.cleanup)}
}

// input is all that the choice depends on, with the name that the person gave.
func (p picker) input(ctx context.Context, name string) catalog.Input {
	in := catalog.Input{
		Getenv: p.vault.Getenv, Vault: p.vault, Flag: name, Last: p.last,
		LastURL: p.lastURL, LastOwn: p.lastAtDefault, Continued: p.continued, Attended: p.attended,
		BaseURL: p.flags.baseURL, BaseFor: p.flags.baseFor, ConfigURL: p.settings.BaseURL, Changes: p.settings.Changes(),
		AllowHTTP: p.settings.AllowHTTP,
	}
	if p.bound.url != "" {
		in.BaseURL, in.BaseFor = p.bound.url, p.bound.provider
	}
	if p.settings.Model != "" {
		in.Config = append(in.Config, p.settings.Model)
	}
	in.Config = append(in.Config, p.settings.Models...)
	if p.waitLocal && p.mayProbe() {
		in.Local = func() []catalog.Server { return in.Probe(ctx) }
	}
	return in
}

// mayProbe reports whether servers on this machine may be looked for.
func (p picker) mayProbe() bool { return p.settings.Local == nil || *p.settings.Local }

// model returns the model that name says, or where it is empty the one that the
// environment, the configuration and what was used before say, and what the
// person should know about that. A name that means nothing is wrong usage.
func (p picker) model(name string) (turn.Model, []string, error) {
	choice, err := p.choose(name)
	if err != nil {
		return turn.Model{}, nil, err
	}
	return p.build(choice)
}

// choose is model without connecting it.
func (p picker) choose(name string) (catalog.Choice, error) {
	in := p.input(context.Background(), name)
	choice, err := catalog.Resolve(in)
	if err != nil {
		return choice, command.Usage("%w", err)
	}
	if choice.Info.Context == 0 {
		choice = in.Measured(context.Background(), choice)
	}
	return choice, nil
}

// build connects the model of a choice, and those that stand in for it.
func (p picker) build(c catalog.Choice) (turn.Model, []string, error) {
	m, err := p.connect(c)
	if err != nil {
		return m, nil, err
	}
	notices := c.Notices
	if m.Effort, err = p.effortOf(c); err != nil {
		return m, nil, err
	}
	if want := p.wantedEffort(); want != "" && want != m.Effort {
		notices = append(notices, fmt.Sprintf("%s: effort %s of the configuration is left out: %v", m.Name, want, c.Info.TakesEffort(want)))
	}
	for _, n := range c.Next {
		next, err := p.connect(n)
		if err != nil {
			notices = append(notices, err.Error())
			continue
		}
		if want := p.wantedEffort(); n.Info.TakesEffort(want) == nil {
			next.Effort = want
		}
		m.Fallbacks = append(m.Fallbacks, next)
	}
	return m, notices, nil
}

// connect returns the model of a choice alone.
func (p picker) connect(c catalog.Choice) (turn.Model, error) {
	m := turn.Model{
		Name: c.ID(), ID: c.Model, Why: c.Why,
		Context: c.Info.Context, Cost: c.Info.Cost, Blind: c.Info.Vision != nil && !*c.Info.Vision,
	}
	if c.Offline() {
		m.Provider = offline.New()
		return m, nil
	}
	m.BaseURL, m.Host = c.At(), c.Host()
	if q := c.Confirm; q != nil {
		m.Confirm = &turn.Confirm{Question: q.Question, Why: q.Why, Remedy: q.Remedy}
	}
	provider, err := c.Connect()
	if err != nil {
		return m, err
	}
	asText := text.Wrap(provider, text.Form(c.Info.Form))
	if c.Info.WritesCalls() {
		m.Provider = asText
		return m, nil
	}
	m.Provider, m.AsText = provider, asText
	return m, nil
}

// wantedEffort is the effort that the person set.
func (p picker) wantedEffort() string {
	if p.flags.effort != "" {
		return p.flags.effort
	}
	return p.settings.Effort
}

// effortOf returns how hard the model of c shall think: as the person set it, else
// as it did in the session that goes on. What was asked for with the flag and the
// model does not take is wrong usage.
func (p picker) effortOf(c catalog.Choice) (string, error) {
	want := p.wantedEffort()
	if want == "" && c.ID() == p.last {
		want = p.effort
	}
	err := c.Info.TakesEffort(want)
	switch {
	case err == nil:
		return want, nil
	case p.flags.effort != "":
		return "", command.Usage("--effort: %s: %w", c.ID(), err)
	}
	return "", nil
}

// byName returns the model of a name that the person gives while the program
// runs, with the effort that they want of it.
func (p picker) byName(name, effort string) (turn.Model, error) {
	p.effort = "" // it was of the session as it began
	switch effort {
	case "":
	case event.DefaultEffort:
		p.flags.effort, p.settings.Effort = "", ""
	default:
		p.flags.effort = effort
	}
	m, _, err := p.model(name)
	m.Why = "you chose it"
	if err != nil { // nobody typed the flags whose places these have
		err = errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "--model: "), "--effort: "))
	}
	return m, err
}

// findLocal looks for a server on this machine and returns its model, if nothing
// else is connected and nobody named a model. A server that may belong to
// another user gets a notice instead. It takes no longer than catalog.ProbeTime.
func (p picker) findLocal(ctx context.Context) event.Found {
	if !p.mayProbe() {
		return event.Found{}
	}
	p.waitLocal = false
	in := p.input(ctx, p.flags.model)
	chosen, err := catalog.Resolve(in)
	if err != nil || !chosen.Offline() || chosen.Named {
		return event.Found{}
	}
	servers := in.Probe(ctx)
	near, ok := in.Nearby(servers)
	if ctx.Err() != nil {
		return event.Found{}
	}
	if !ok {
		return event.Found{Notices: slices.DeleteFunc(catalog.Offers(servers), func(text string) bool { return slices.Contains(chosen.Notices, text) })}
	}
	m, _, err := p.build(near)
	if err != nil {
		return event.Found{Notices: []string{err.Error()}}
	}
	return event.Found{Model: m.Name, Why: m.Why}
}
