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

// picker selects and connects models.
type picker struct {
	flags    flags
	settings settings.Settings
	last     string // the model used last, as PROVIDER/NAME
	// lastURL is the base URL of last in the log: see catalog.Input.
	lastURL       string
	lastAtDefault bool // last used the provider's own address
	continued     bool // last is the model of the resumed session
	guideHeld     bool // the offline guide replaces last, which cannot be used: do not search for servers
	// bound is the base URL from the flag or the session. It applies to one provider
	// only.
	bound  struct{ url, provider string }
	effort string // of last in the resumed session; empty for the model's default
	// waitLocal is set if choose searches for servers on this machine before it
	// falls back to the offline guide; otherwise findLocal does.
	waitLocal bool
	// attended is set if a user can read notices and select another model.
	attended bool
	vault    *credentials.Vault
	learned  *learnedFile
}

// newPicker returns a picker for the flags and settings. last is the model used
// last.
func newPicker(f flags, set settings.Settings, last string, wait bool) picker {
	return picker{flags: f, settings: set, last: last, waitLocal: wait, attended: !wait, vault: credentials.NewVault(set, f.end.cleanup), learned: newLearnedFile()}
}

// input returns the input of the choice. name is the model that the user named;
// empty for none.
func (p picker) input(ctx context.Context, name string) catalog.Input {
	vault := p.vault.ForLast(p.last, p.lastURL)
	in := catalog.Input{
		Getenv: vault.Getenv, Vault: vault, Flag: name, Last: p.last,
		LastURL: p.lastURL, LastOwn: p.lastAtDefault, Continued: p.continued, Attended: p.attended,
		BaseURL: p.flags.baseURL, BaseFor: p.flags.baseFor, ConfigURL: p.settings.BaseURL, Changes: p.settings.Changes(),
		AllowHTTP: p.settings.AllowHTTP, NoKeyring: !credentials.KeyringAvailable(), Learned: p.learned.server,
	}
	if p.bound.url != "" {
		in.BaseURL, in.BaseFor = p.bound.url, p.bound.provider
	}
	if in.BaseURL != "" { // the credentials of a profile belong to its own host
		in.Getenv, in.Vault = p.vault.Environment, p.vault.WithoutProfiles()
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

// mayProbe reports whether the settings allow a search for servers on this machine.
func (p picker) mayProbe() bool { return p.settings.Local == nil || *p.settings.Local }

// model returns the model called name, connected, and notices for the user. If
// name is empty, the environment, the configuration and the last model decide. An
// unknown name is a UsageError.
func (p picker) model(name string) (turn.Model, []string, error) {
	choice, err := p.choose(name)
	if err != nil {
		return turn.Model{}, nil, err
	}
	return p.build(choice)
}

// choose is like model but does not connect.
func (p picker) choose(name string) (catalog.Choice, error) {
	in := p.input(context.Background(), name)
	choice, err := catalog.Resolve(in)
	if err != nil {
		return choice, command.Usage("%w", err)
	}
	if choice.Info.Context == 0 || choice.Info.Assumed {
		choice = in.Measured(context.Background(), choice)
	}
	return choice, nil
}

// build connects the model of a choice and its fallbacks.
func (p picker) build(c catalog.Choice) (turn.Model, []string, error) {
	m, err := p.connect(c)
	if err != nil {
		return m, nil, err
	}
	notices := c.Notices
	if m.Effort, err = p.effortOf(c); err != nil {
		return m, nil, err
	}
	if c.LearnedNoTools {
		notices = append(notices, m.Name+" rejected tool calls before, so they are written as text. To try again, set catalog."+m.Name+".tools to true in the configuration.")
	}
	if want := p.wantedEffort(); want != "" && want != m.Effort {
		notices = append(notices, fmt.Sprintf("%s: effort %s from the configuration is ignored: %v", m.Name, want, c.Info.TakesEffort(want)))
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

// connect connects the model of a choice, without fallbacks.
func (p picker) connect(c catalog.Choice) (turn.Model, error) {
	m := turn.Model{
		Name: c.ID(), ID: c.Model, Why: c.Why,
		Context: c.Info.Context, Cost: c.Info.Cost, NoImages: c.Info.Vision != nil && !*c.Info.Vision,
	}
	if c.Offline() {
		m.Provider = offline.New()
		return m, nil
	}
	m.BaseURL, m.Host = c.At(), c.Host()
	if c.Info.Assumed {
		m.Window = &turn.AssumedWindow{Measure: c.Window, Advice: c.Provider.RaiseWindow()}
	}
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
	m.NoTools = func() { c.Learn(catalog.NoTools) }
	return m, nil
}

// wantedEffort returns the effort from the flag or the configuration.
func (p picker) wantedEffort() string {
	if p.flags.effort != "" {
		return p.flags.effort
	}
	return p.settings.Effort
}

// effortOf returns the reasoning effort for the model of c: the user's, else that of
// the resumed session. A level from the flag that the model does not support is a
// UsageError.
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

// byName returns the model that the user selects during a session, with the given
// reasoning effort.
func (p picker) byName(name, effort string) (turn.Model, error) {
	p.effort = "" // it applied to the model at the start of the session
	switch effort {
	case "":
	case event.DefaultEffort:
		p.flags.effort, p.settings.Effort = "", ""
	default:
		p.flags.effort = effort
	}
	m, _, err := p.model(name)
	m.Why = "selected by you"
	if err != nil { // the user did not type these flags
		err = errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "--model: "), "--effort: "))
	}
	return m, err
}

// findLocal searches for a server on this machine and returns its model, unless a
// model is connected or named. For a server that may belong to another user it
// returns a notice instead. It takes at most catalog.ProbeTime.
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
	local, ok := in.Nearby(servers)
	if ctx.Err() != nil {
		return event.Found{}
	}
	if !ok {
		return event.Found{Notices: slices.DeleteFunc(catalog.Offers(servers), func(text string) bool { return slices.Contains(chosen.Notices, text) })}
	}
	m, _, err := p.build(local)
	if err != nil {
		return event.Found{Notices: []string{err.Error()}}
	}
	return event.Found{Model: m.Name, Why: m.Why}
}
