package catalog

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
)

// Input is everything that the choice of a model depends on. Models are written
// PROVIDER/NAME, PROVIDER for its default, or NAME if the name identifies the
// provider.
type Input struct {
	Getenv func(string) string
	Flag   string   // --model
	Config []string // from the configuration: the first usable one is chosen, the others are fallbacks
	Last   string   // last used model: of the continued session, otherwise of this directory
	// LastURL is the base URL of Last in the session's log: redacted, and empty
	// if it was the provider's own or is unknown.
	LastURL   string
	LastOwn   bool   // the log says that Last was at the provider's own base URL
	Continued bool   // Last is the model of a continued session
	Attended  bool   // a user can read notices and select another model
	BaseURL   string // --base-url: overrides the provider's
	BaseFor   string // provider that BaseURL is for; empty for the chosen one
	// AllowHTTP are the hosts, with or without port, to which keys may be sent
	// over plain HTTP.
	AllowHTTP []string
	ConfigURL string  // from the configuration: overrides openai's
	Changes   Changes // from the configuration
	Vault     Vault   // API keys outside the environment; may be nil
	NoKeyring bool    // the machine has no keyring: do not suggest to store a key
	// Local finds the servers on this machine. It is called if nothing else
	// determines a model; nil finds none.
	Local func() []Server
	Wait  time.Duration // time limit of Probe; 0 for ProbeTime
	// ServerLimits returns the store of facts about the server at a base URL. If it is
	// nil, facts are kept only for the life of a connection.
	ServerLimits func(base string) wire.ServerLimits
	// Listeners returns the users whose processes listen on an address of this
	// machine, as far as known; nil queries the system.
	Listeners func(netip.AddrPort) (uids []int)

	keepURL bool // LastURL applies to all models of the provider of Last
}

// Choice is the chosen model.
type Choice struct {
	Provider Row
	Model    string // the provider's name for it
	Info     Info
	BaseURL  string
	Key      Key
	KeyName  string   // where the key is from, or should be set
	Login    *Login   // client credentials instead of a key
	Why      string   // "set by --model"
	Named    bool     // the user named it
	Held     bool     // the guide, because Last cannot be used at LastURL, or the server offers no single model
	Several  bool     // Held, because the server offers several models
	Notices  []string // other notices for the user
	Next     []Choice // fallbacks, in this order
	Confirm  *Confirm // what the user must approve before the first request; nil for nothing
	// LearnedNoTools is set if Info has no tool calls because the server rejected
	// them before.
	LearnedNoTools bool
	Wrap           func(http.RoundTripper) http.RoundTripper `json:"-"` // as in wire.Endpoint

	urlSource string // source of the base URL; empty for the table

	renew     func(ctx context.Context, old Key) (Key, error) // see Renewer; nil for none
	allowHTTP bool                                            // the configuration allows sending its key over plain HTTP
	learned   wire.ServerLimits
}

// Elsewhere reports whether --base-url or the session sets the base URL.
func (c Choice) Elsewhere() bool { return c.urlSource == sourceFlag || c.urlSource == sourceSession }

// At returns the base URL without secrets, to be stored and shown.
func (c Choice) At() string { return wire.Redacted(c.BaseURL) }

// Host returns the host and port of requests if that is not the provider's own
// address, otherwise "".
func (c Choice) Host() string {
	own := c.Provider
	if r, found := Find(own.Name); found {
		own = r
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || c.BaseURL == own.withSuffix(own.BaseURL) {
		return ""
	}
	return u.Host
}

// ID returns PROVIDER/NAME.
func (c Choice) ID() string { return c.Provider.Name + "/" + c.Model }

// Offline reports whether the choice is the built-in guide, which has no
// dialect.
func (c Choice) Offline() bool { return c.Provider.Dialect == Builtin }

// Resolve chooses a model: the one named by --model, AGENT_MODEL or the
// configuration, in this order; else the last used one, if it can still be
// used; else the default of the first usable provider; else one of a server on
// this machine; else the guide. It fails if a model that the user named cannot
// be used.
func Resolve(in Input) (Choice, error) {
	in.keepURL = in.Continued
	for _, u := range []struct{ from, url string }{
		{"--base-url", in.BaseURL}, {"OPENAI_BASE_URL", in.env("OPENAI_BASE_URL")}, {sourceConfig, in.ConfigURL},
	} {
		if err := CheckURL(u.url); err != nil {
			return Choice{}, fmt.Errorf("%s: %w", u.from, err)
		}
	}
	for _, named := range []struct{ from, model string }{{"--model", in.Flag}, {"AGENT_MODEL", in.env("AGENT_MODEL")}} {
		if strings.TrimSpace(named.model) == "" {
			continue
		}
		c, err := in.choiceByName(named.model)
		if err != nil {
			return Choice{}, fmt.Errorf("%s: %w", named.from, err)
		}
		c.Why, c.Named = "set by "+named.from, true
		return in.withFallbacks(c), nil
	}
	if in.Continued && in.LastURL != "" {
		return in.defaultChoice() // a session keeps its base URL
	}
	if len(in.Config) > 0 {
		c, err := in.configured()
		if err == nil && in.Continued && c.ID() == in.Last {
			c = in.withConfirm(c)
		}
		return c, err
	}
	return in.defaultChoice()
}

// configured chooses among the models of the configuration.
func (in Input) configured() (Choice, error) {
	var notices []string
	var first error
	for _, name := range in.Config {
		c, err := in.choiceByName(name)
		if err == nil {
			c.Why, c.Named, c.Notices = "set in the configuration", true, notices
			return in.withFallbacks(c), nil
		}
		err = fmt.Errorf("model in the configuration: %w", err)
		if first == nil {
			first = err
		}
		notices = append(notices, err.Error())
	}
	return Choice{}, first
}

// withFallbacks sets the fallbacks of c: if c is a model of the configuration's
// list, the other usable models of that list.
//
// If the flag or the session sets the base URL of c, only models of the same
// provider are fallbacks.
func (in Input) withFallbacks(c Choice) Choice {
	moved := c.Elsewhere()
	if moved && in.BaseFor == "" {
		in.BaseFor = c.Provider.Name
	}
	var others []Choice
	listed := false
	for _, name := range in.Config {
		o, err := in.choiceByName(name)
		switch {
		case err != nil:
		case o.ID() == c.ID():
			listed = true
		case moved && o.Provider.Name != c.Provider.Name:
		default:
			o.Why = "fallback for " + c.ID()
			others = append(others, o)
		}
	}
	if listed {
		c.Next = others
	}
	return c
}

// defaultChoice chooses a model if the user named none.
func (in Input) defaultChoice() (Choice, error) {
	var notices []string
	if in.Last != "" {
		in.keepURL = true
		c, err := in.choiceByName(in.Last)
		in.keepURL = in.Continued
		if err == nil && !c.Offline() {
			c.Why = "last used in this directory"
			c = in.withConfirm(c)
			foreign := in.foreignNotice(c)
			switch {
			case foreign == "":
				return c, nil
			case in.Continued:
				c.Confirm = confirmForeign(c)
				return c, nil
			}
			notices = append(notices, foreign)
		}
		if err != nil && in.LastURL != "" {
			return in.unusableLast(err)
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf("%s, last used in this directory, is not available: %v", in.Last, err)+in.forgotten(err))
		}
	}
	for _, r := range in.Changes.Providers() {
		model, why := in.defaultModel(r)
		if model == "" {
			continue
		}
		c, err := in.choice(r, model)
		if err != nil {
			notices = append(notices, err.Error())
			continue
		}
		c.Why, c.Notices = why, notices
		return c, nil
	}
	if in.Local != nil {
		servers := in.Local()
		if c, ok := in.Nearby(servers); ok {
			c.Notices = append(notices, "Using "+c.ID()+": "+c.Why+".")
			return c, nil
		}
		for _, text := range Offers(servers) {
			if !slices.Contains(notices, text) {
				notices = append(notices, text)
			}
		}
	}
	guide, _ := Find("offline")
	return Choice{Provider: guide, Model: guide.Models.Default, Notices: notices,
		Why: "no model is connected: no API key is set"}, nil
}

// forgotten says to the user of a session that /connect may have kept a missing key only until
// the program ended.
func (in Input) forgotten(err error) string {
	if none, ok := errors.AsType[missingKey](err); ok && in.Attended {
		return ". A key that was kept only until you quit must be entered again: /connect " + none.provider
	}
	return ""
}

// unusableLast handles a last used model that cannot be used at its base URL
// because of err. Prompts must not go to another host unless the user selects
// it: a new session with a user starts with the guide and a notice, everything
// else fails.
func (in Input) unusableLast(err error) (Choice, error) {
	if in.Continued || !in.Attended {
		return Choice{}, fmt.Errorf("%s: %w, or select a model of another provider with --model", in.Last, err)
	}
	guide, _ := Find("offline")
	return Choice{Provider: guide, Model: guide.Models.Default, Held: true, Why: "the last used model is not available",
		Notices: []string{fmt.Sprintf("%s, last used in this directory, is not available: %v, or select a model of another provider with /model.", in.Last, err)}}, nil
}

// defaultModel returns the default model of r if r can be used, and the reason;
// "" if it cannot.
func (in Input) defaultModel(r Row) (model, why string) {
	model = r.Models.Default
	if env := in.env(r.Models.DefaultName); env != "" {
		model = env
	}
	base, from, err := in.address(r)
	if r.Local || model == "" || base == "" || err != nil {
		return "", ""
	}
	if r.Name == "openai" && from != "" || r.Configured && r.Keyless {
		return model, "default of " + r.Name + ", because " + from + " is set"
	}
	if where, ok := in.keys().source(r); ok {
		return model, "default of " + r.Name + ", the first provider with an API key (" + where + ")"
	}
	return "", "" // a base URL alone does not make it the default
}

// choiceByName returns the model that the user named, if it can be used.
func (in Input) choiceByName(model string) (Choice, error) {
	r, name, err := in.findProvider(strings.TrimSpace(model))
	if err != nil {
		return Choice{}, err
	}
	if name == "" && r.Models.DefaultName != "" {
		return Choice{}, fmt.Errorf("%s has no default model: write %s/NAME, or set %s", r.Name, r.Name, r.Models.DefaultName)
	}
	if name == "" {
		return Choice{}, fmt.Errorf("%s has no default model: write %s/NAME", r.Name, r.Name)
	}
	return in.choice(r, name)
}

// findProvider returns the provider of a model, and the model's name there.
func (in Input) findProvider(model string) (Row, string, error) {
	provider, name, ok := Split(model)
	if r, found := in.Changes.Find(provider); found {
		if !ok {
			name = r.Models.Default
			if env := in.env(r.Models.DefaultName); env != "" {
				name = env
			}
		}
		return r, name, nil
	}
	own, _ := in.Changes.Find("openai")
	if _, from, _ := in.address(own); from != "" { // a custom server may use any model names
		return own, model, nil
	}
	for _, r := range in.Changes.Providers() {
		if slices.ContainsFunc(r.Models.Prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) {
			return r, model, nil
		}
	}
	if near := phrase.Nearest(provider, in.Changes.names()); near != "" {
		if !ok {
			return Row{}, "", fmt.Errorf("unknown provider or model %q: did you mean %s?", model, near)
		}
		return Row{}, "", fmt.Errorf("unknown provider %q: did you mean %s/%s?", provider, near, name)
	}
	if ok {
		return Row{}, "", fmt.Errorf("unknown provider %q: the providers are %s", provider, strings.Join(in.Changes.names(), ", "))
	}
	return Row{}, "", fmt.Errorf("no provider in model %q: write PROVIDER/NAME, for example openrouter/%s", model, model)
}

// choice returns the choice of a model with its base URL, data and key.
func (in Input) choice(r Row, model string) (Choice, error) {
	base, from, err := in.address(r)
	if err != nil {
		return Choice{}, err
	}
	if base == "" && r.Dialect != Builtin {
		return Choice{}, fmt.Errorf("%s needs a base URL: %s", r.Name, r.urlHint())
	}
	c := Choice{Provider: r, Model: model, BaseURL: base, urlSource: from, Info: in.Changes.lookup(r, model, r.moved(from))}
	if c.Info = c.Info.assumed(r); r.Local && in.ServerLimits != nil && !c.Offline() {
		c.Info = in.Changes.override(c.Info.withTold(in.ServerLimits(c.BaseURL).Limits(c.Model)), r, c.Model)
	}
	c = in.withLimits(c)
	if err := in.keys().set(&c, !r.Local && !r.Keyless && !r.moved(from)); err != nil {
		return c, err
	}
	return c, in.checkEncrypted(&c)
}

// urlHint returns how to set r's base URL.
func (r Row) urlHint() string {
	if r.URLName == "" {
		return "set its base_url in the configuration"
	}
	return "set " + r.URLName + ", or start with --base-url URL"
}

// env returns a variable of the environment, trimmed.
func (in Input) env(name string) string {
	if in.Getenv == nil || name == "" {
		return ""
	}
	return strings.TrimSpace(in.Getenv(name))
}
