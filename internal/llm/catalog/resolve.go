package catalog

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
)

// Input is all that the choice of a model depends on. Models are written
// PROVIDER/NAME, PROVIDER alone for its default, or NAME alone where that says
// whose it is.
type Input struct {
	Getenv func(string) string
	Flag   string   // --model
	Config []string // from the configuration: the first that can be used counts, the others stand in for it
	Last   string   // the model used last: in the session that is continued, else in this directory
	// LastURL is the base URL of Last, as the session's log has it: redacted, and
	// empty where it was the provider's own or the log has none.
	LastURL   string
	LastOwn   bool   // the log says that Last was at the provider's own address
	Continued bool   // Last is the model of a session that is continued
	Attended  bool   // a user can read notices and select another model
	BaseURL   string // --base-url: overrides the provider's
	BaseFor   string // the provider that BaseURL is for; empty is the chosen one
	// AllowHTTP are the hosts, with or without a port, to which a key may be sent
	// over plain http.
	AllowHTTP []string
	ConfigURL string  // from the configuration: overrides openai's
	Changes   Changes // from the configuration
	Vault     Vault   // keys that are not in the environment; may be nil
	NoKeyring bool    // the machine has no keyring: do not suggest to store a key
	// Local finds the servers on this machine. It is asked when nothing else
	// names a model; nil finds none.
	Local func() []Server
	Wait  time.Duration // how long they may take; 0 is ProbeTime
	// Listeners returns the users whose processes listen on an address of this
	// machine, as far as that can be found out; nil asks the system.
	Listeners func(netip.AddrPort) (uids []int)

	stays bool // LastURL counts for all models of the provider of Last
}

// Choice is the model that answers.
type Choice struct {
	Provider Row
	Model    string // as the provider knows it
	Info     Info
	BaseURL  string
	Key      Key
	KeyName  string   // what the key came from, or belongs in
	Login    *Login   // in place of a key
	Why      string   // "chosen by --model"
	Named    bool     // a person named it
	Held     bool     // the guide answers because Last cannot be used at LastURL
	Notices  []string // what the person should know besides
	Next     []Choice // stand in for it when it cannot answer, in this order
	Confirm  *Confirm // what the user must approve before the first request; nil for nothing
	from     string   // what says where the provider is; empty for the table

	allowHTTP bool // the configuration allows its key to go over plain http
}

// Elsewhere reports whether --base-url or the session says where the provider is.
func (c Choice) Elsewhere() bool { return c.from == byFlag || c.from == byRecord }

// At returns the base URL as it may be stored and shown.
func (c Choice) At() string { return wire.Redacted(c.BaseURL) }

// Host returns the host and port that requests go to, if that is not the
// provider's own address; else it is empty.
func (c Choice) Host() string {
	own := c.Provider
	if r, found := Find(own.Name); found {
		own = r
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || c.BaseURL == own.below(own.BaseURL) {
		return ""
	}
	return u.Host
}

// ID returns PROVIDER/NAME.
func (c Choice) ID() string { return c.Provider.Name + "/" + c.Model }

// Offline reports whether the built-in guide answers, which is no dialect.
func (c Choice) Offline() bool { return c.Provider.Dialect == Builtin }

// Resolve decides which model answers: what --model, AGENT_MODEL or the
// configuration names, in this order; else the one used last, if it still can
// be; else the default of the first provider that can be used; else one of a
// server on this machine; else the guide. What a person named and cannot be
// used is an error.
func Resolve(in Input) (Choice, error) {
	in.stays = in.Continued
	for _, u := range []struct{ from, url string }{
		{"--base-url", in.BaseURL}, {"OPENAI_BASE_URL", in.env("OPENAI_BASE_URL")}, {"base_url in the configuration", in.ConfigURL},
	} {
		if err := checkURL(u.url); err != nil {
			return Choice{}, fmt.Errorf("%s: %w", u.from, err)
		}
	}
	for _, named := range []struct{ from, model string }{{"--model", in.Flag}, {"AGENT_MODEL", in.env("AGENT_MODEL")}} {
		if strings.TrimSpace(named.model) == "" {
			continue
		}
		c, err := in.named(named.model)
		if err != nil {
			return Choice{}, fmt.Errorf("%s: %w", named.from, err)
		}
		c.Why, c.Named = "chosen by "+named.from, true
		return in.backed(c), nil
	}
	if in.Continued && in.LastURL != "" {
		return in.unnamed() // a session stays where it was
	}
	if len(in.Config) > 0 {
		c, err := in.configured()
		if err == nil && in.Continued && c.ID() == in.Last {
			c = in.guarded(c)
		}
		return c, err
	}
	return in.unnamed()
}

// configured chooses among the models of the configuration.
func (in Input) configured() (Choice, error) {
	var notices []string
	var first error
	for _, name := range in.Config {
		c, err := in.named(name)
		if err == nil {
			c.Why, c.Named, c.Notices = "chosen in the configuration", true, notices
			return in.backed(c), nil
		}
		err = fmt.Errorf("model in the configuration: %w", err)
		if first == nil {
			first = err
		}
		notices = append(notices, err.Error())
	}
	return Choice{}, first
}

// backed gives c the models that stand in for it: where it is one of the
// configuration's list, the others of that list that can be used.
//
// Where c is not at the provider's own address because the flag or the session
// says so, only models of the same provider stand in.
func (in Input) backed(c Choice) Choice {
	moved := c.Elsewhere()
	if moved && in.BaseFor == "" {
		in.BaseFor = c.Provider.Name
	}
	var others []Choice
	listed := false
	for _, name := range in.Config {
		o, err := in.named(name)
		switch {
		case err != nil:
		case o.ID() == c.ID():
			listed = true
		case moved && o.Provider.Name != c.Provider.Name:
		default:
			o.Why = "stands in for " + c.ID()
			others = append(others, o)
		}
	}
	if listed {
		c.Next = others
	}
	return c
}

// unnamed chooses where nobody named a model.
func (in Input) unnamed() (Choice, error) {
	var notices []string
	if in.Last != "" {
		in.stays = true
		c, err := in.named(in.Last)
		in.stays = in.Continued
		if err == nil && !c.Offline() {
			c.Why = "used last in this directory"
			c = in.guarded(c)
			foreign := in.foreign(c)
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
			return in.held(err)
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf("%s was used last in this directory, but: %v", in.Last, err))
		}
	}
	for _, r := range in.Changes.Providers() {
		model, why := in.presumed(r)
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
			c.Notices = append(notices, c.ID()+" answers: "+c.Why+".")
			return c, nil
		}
		for _, text := range Offers(servers) {
			if !slices.Contains(notices, text) {
				notices = append(notices, text)
			}
		}
	}
	guide, _ := Find("offline")
	return Choice{Provider: guide, Model: guide.Default, Notices: notices,
		Why: "no model is connected: no provider's key is set"}, nil
}

// held decides what happens if the model used last cannot be used at its base
// URL because of err. No other host gets prompts unless the user selects it: a
// new session on a screen starts with the guide and a notice, everything else
// fails.
func (in Input) held(err error) (Choice, error) {
	if in.Continued || !in.Attended {
		return Choice{}, fmt.Errorf("%s: %w, or select a model of another provider with --model", in.Last, err)
	}
	guide, _ := Find("offline")
	return Choice{Provider: guide, Model: guide.Default, Held: true, Why: "the model used last cannot be used",
		Notices: []string{fmt.Sprintf("%s was used last in this directory and cannot be used now: %v, or select a model of another provider with /model.", in.Last, err)}}, nil
}

// presumed returns the model of r that is meant when nothing is said but that r
// can be used, and why; "" if there is none.
func (in Input) presumed(r Row) (model, why string) {
	model = r.Default
	if env := in.env(r.DefaultName); env != "" {
		model = env
	}
	base, from, err := in.address(r)
	if r.Local || model == "" || base == "" || err != nil {
		return "", ""
	}
	if r.Name == "openai" && from != "" || r.Configured && r.Keyless {
		return model, "default of " + r.Name + ", as " + from + " is set"
	}
	if where, ok := in.holds(r); ok {
		return model, "default of " + r.Name + ", the first provider whose key is set (" + where + ")"
	}
	return "", "" // an address alone says nothing
}

// named returns the model that a person named, if it can be used.
func (in Input) named(model string) (Choice, error) {
	r, name, err := in.whose(strings.TrimSpace(model))
	if err != nil {
		return Choice{}, err
	}
	if name == "" && r.DefaultName != "" {
		return Choice{}, fmt.Errorf("%s has no default model: write %s/NAME, or set %s", r.Name, r.Name, r.DefaultName)
	}
	if name == "" {
		return Choice{}, fmt.Errorf("%s has no default model: write %s/NAME", r.Name, r.Name)
	}
	return in.choice(r, name)
}

// whose returns the provider that model belongs to, and its name there.
func (in Input) whose(model string) (Row, string, error) {
	provider, name, ok := Split(model)
	if r, found := in.Changes.Find(provider); found {
		if !ok {
			name = r.Default
			if env := in.env(r.DefaultName); env != "" {
				name = env
			}
		}
		return r, name, nil
	}
	own, _ := in.Changes.Find("openai")
	if _, from, _ := in.address(own); from != "" { // a server of one's own may call its models anything
		return own, model, nil
	}
	for _, r := range in.Changes.Providers() {
		if slices.ContainsFunc(r.Prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) {
			return r, model, nil
		}
	}
	if near := phrase.Nearest(provider, in.Changes.names()); near != "" {
		if !ok {
			return Row{}, "", fmt.Errorf("%q is neither a provider nor a model known here: did you mean %s?", model, near)
		}
		return Row{}, "", fmt.Errorf("there is no provider %q: did you mean %s/%s?", provider, near, name)
	}
	if ok {
		return Row{}, "", fmt.Errorf("there is no provider %q: there are %s", provider, strings.Join(in.Changes.names(), ", "))
	}
	return Row{}, "", fmt.Errorf("%q does not say whose model it is: write PROVIDER/NAME, for example openrouter/%s", model, model)
}

// choice fills in where r is, what is known of the model, and the key.
func (in Input) choice(r Row, model string) (Choice, error) {
	base, from, err := in.address(r)
	if err != nil {
		return Choice{}, err
	}
	if base == "" && r.Dialect != Builtin {
		return Choice{}, fmt.Errorf("%s needs an address: %s", r.Name, r.whereabouts())
	}
	c := Choice{Provider: r, Model: model, BaseURL: base, from: from, Info: in.Changes.lookup(r, model, r.elsewhere(from))}
	if err := in.prove(&c, !r.Local && !r.Keyless && !r.elsewhere(from)); err != nil {
		return c, err
	}
	return c, in.mayProve(&c)
}

// whereabouts says how r gets an address.
func (r Row) whereabouts() string {
	if r.URLName == "" {
		return "give it a base_url in the configuration"
	}
	return "set " + r.URLName + ", or start with --base-url URL"
}

// env returns a variable of the environment without blanks around it.
func (in Input) env(name string) string {
	if in.Getenv == nil || name == "" {
		return ""
	}
	return strings.TrimSpace(in.Getenv(name))
}
