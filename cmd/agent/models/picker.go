// Package models chooses and connects the model of a session, and lists the models
// that can be chosen. It sends no prompt. Start reading at Picker.
package models

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
	"agent/internal/llm/recording"
	"agent/internal/llm/wire"
	"agent/internal/loop/chosen"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
)

// Flags are the command-line flags about the model.
type Flags struct {
	Model   string // PROVIDER/NAME
	BaseURL string
	Effort  string // of the model's reasoning
}

// Picker selects and connects models.
type Picker struct {
	Flags    Flags
	BaseFor  string // the provider that Flags.BaseURL is for; empty for the selected one
	Settings settings.Settings
	Last     string // the model used last, as PROVIDER/NAME
	// LastURL is the base URL of Last in the log: see catalog.Input.
	LastURL       string
	LastAtDefault bool   // Last used the provider's own address
	Continued     bool   // Last is the model of the resumed session
	Effort        string // of Last in the resumed session; empty for the model's default
	// WaitLocal is set if Choose searches for servers on this machine before it
	// falls back to the offline guide; otherwise FindLocal does.
	WaitLocal bool
	// Recorder records the traffic with the models; nil records nothing.
	Recorder *recording.Recorder
	// Player takes the place of the network and of all credentials; nil for the network.
	// Only the models of its recording can be connected then.
	Player *recording.Player
	// Connected has the providers that the user connected; nil for none.
	Connected *Connected

	bound    struct{ url, provider string }
	attended bool // a user can read notices and select another model
	vault    *credentials.Vault
	learned  *learnedFile
}

// New returns a picker for the flags and settings. last is the model used last. With
// wait, WaitLocal is set and no user is attending. cleanup is that of
// command.Factory.
func New(f Flags, set settings.Settings, last string, wait bool, cleanup func(func()) (forget func())) *Picker {
	return &Picker{Flags: f, Settings: set, Last: last, WaitLocal: wait, attended: !wait, vault: credentials.NewVault(set, cleanup), learned: newLearnedFile()}
}

// Secrets is that of credentials.Vault.
func (p *Picker) Secrets(add func(name, value string)) { p.vault.Secrets(add) }

// Access returns a function that finds the base URL and the credentials of a provider: see
// catalog.Input.Access. The function may be called from another goroutine.
func (p *Picker) Access(provider string) func() (base string, authorize wire.Authorize, err error) {
	in := p.input(context.Background(), "")
	return func() (string, wire.Authorize, error) { return in.Access(provider) }
}

// Environment is that of credentials.Vault.
func (p *Picker) Environment(name string) string { return p.vault.Environment(name) }

// Bind makes the base URL of c, from the flag or the session, apply to its provider
// only.
func (p *Picker) Bind(c catalog.Choice) {
	if c.Elsewhere() {
		p.bound.url, p.bound.provider = c.BaseURL, c.Provider.Name
	}
}

// Bound returns the provider that the base URL applies to; empty if there is none.
func (p *Picker) Bound() string { return p.bound.provider }

// input returns the input of the choice. name is the model that the user named;
// empty for none.
func (p *Picker) input(ctx context.Context, name string) catalog.Input {
	vault := p.vault.ForHost(p.Last, p.LastURL)
	in := catalog.Input{
		Getenv: vault.Variable, Vault: vault, Flag: name, Last: p.Last,
		LastURL: p.LastURL, LastOwn: p.LastAtDefault, Continued: p.Continued, Attended: p.attended,
		BaseURL: p.Flags.BaseURL, BaseFor: p.BaseFor, ConfigURL: p.Settings.BaseURL, Changes: p.Settings.Changes(),
		AllowHTTP: p.Settings.AllowHTTP, NoKeyring: !credentials.KeyringAvailable(), ServerLimits: p.learned.server,
	}
	if p.bound.url != "" {
		in.BaseURL, in.BaseFor = p.bound.url, p.bound.provider
	}
	if in.BaseURL != "" { // the credentials of a profile belong to its own host
		in.Getenv, in.Vault = p.vault.Environment, p.vault.WithoutProfiles()
	}
	if p.Settings.Model != "" {
		in.Config = append(in.Config, p.Settings.Model)
	}
	in.Config = append(in.Config, p.Settings.Models...)
	if p.WaitLocal && p.mayProbe() {
		in.Local = func() []catalog.Server {
			in := in
			in.Wait = serverTime
			return in.Probe(ctx)
		}
	}
	return p.Connected.apply(in, p.Settings)
}

// mayProbe reports whether the settings allow a search for servers on this machine.
func (p *Picker) mayProbe() bool { return p.Settings.Local == nil || *p.Settings.Local }

// Model returns the model called name, connected, and notices for the user. If
// name is empty, the environment, the configuration and the last model decide. An
// unknown name is a UsageError.
func (p *Picker) Model(name string) (turn.Model, []string, error) {
	choice, err := p.Choose(name)
	if err != nil {
		return turn.Model{}, nil, err
	}
	return p.Build(choice)
}

// Choose is like Model but does not connect.
func (p *Picker) Choose(name string) (catalog.Choice, error) {
	if p.Player != nil {
		return p.replayed(name)
	}
	ctx := context.Background()
	in := p.input(ctx, name)
	if in.AsksServer() {
		if in.BaseURL != "" { // it does not apply to other providers that the user selects later
			p.BaseFor, in.BaseFor = "openai", "openai"
		}
		choice, err := in.AskServer(ctx)
		if err != nil {
			return choice, command.Usage("%w", err)
		}
		return choice, nil
	}
	choice, err := catalog.Resolve(in)
	if err != nil {
		return choice, command.Usage("%w", err)
	}
	if choice.Info.Context == 0 || choice.Info.Assumed {
		choice = in.Measured(ctx, choice)
	}
	return in.Checked(ctx, choice), nil
}

// Build connects the model of a choice and its fallbacks.
func (p *Picker) Build(c catalog.Choice) (turn.Model, []string, error) {
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
func (p *Picker) connect(c catalog.Choice) (turn.Model, error) {
	if !c.Offline() {
		p.wrap(&c)
	}
	return chosen.Model(c)
}

// wantedEffort returns the effort from the flag or the configuration.
func (p *Picker) wantedEffort() string {
	if p.Flags.Effort != "" {
		return p.Flags.Effort
	}
	return p.Settings.Effort
}

// effortOf returns the reasoning effort for the model of c: the user's, else that of
// the resumed session. A level from the flag that the model does not support is a
// UsageError.
func (p *Picker) effortOf(c catalog.Choice) (string, error) {
	want := p.wantedEffort()
	if want == "" && c.ID() == p.Last {
		want = p.Effort
	}
	err := c.Info.TakesEffort(want)
	switch {
	case err == nil:
		return want, nil
	case p.Flags.Effort != "":
		return "", command.Usage("--effort: %s: %w", c.ID(), err)
	}
	return "", nil
}

// ByName returns the model that the user selects during a session, with the given
// reasoning effort.
func (p *Picker) ByName(name, effort string) (turn.Model, error) {
	q := *p
	q.Effort = "" // it applied to the model at the start of the session
	switch effort {
	case "":
	case event.DefaultEffort:
		q.Flags.Effort, q.Settings.Effort = "", ""
	default:
		q.Flags.Effort = effort
	}
	m, _, err := q.Model(name)
	m.Why = "selected by you"
	if err != nil { // the user did not type these flags
		err = errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "--model: "), "--effort: "))
	}
	return m, err
}

// FindLocal searches for a server on this machine and returns its model, unless a
// Model is connected or named. For a server that may belong to another user it
// returns a notice instead. It takes at most serverTime.
func (p *Picker) FindLocal(ctx context.Context) event.Found {
	if !p.mayProbe() {
		return event.Found{}
	}
	in := p.input(ctx, p.Flags.Model)
	in.Local, in.Wait = nil, serverTime
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
	m, _, err := p.Build(local)
	if err != nil {
		return event.Found{Notices: []string{err.Error()}}
	}
	return event.Found{Model: m.Name, Why: m.Why}
}
