package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Input is all that the choice of a model depends on. Models are written
// PROVIDER/NAME, PROVIDER alone for its default, or NAME alone where that says
// whose it is.
type Input struct {
	Getenv    func(string) string
	Flag      string // --model
	Config    string // from the configuration
	Last      string // the model used last in this directory
	BaseURL   string // --base-url: overrides the chosen provider's
	ConfigURL string // from the configuration: overrides openai's
}

// Choice is the model that answers.
type Choice struct {
	Provider Row
	Model    string // as the provider knows it
	BaseURL  string
	Key      Key
	KeyName  string   // the variable the key came from, or belongs in
	Why      string   // "chosen by --model"
	Notices  []string // what the person should know besides
}

// ID returns PROVIDER/NAME.
func (c Choice) ID() string { return c.Provider.Name + "/" + c.Model }

// Offline reports whether the built-in guide answers, which is no dialect.
func (c Choice) Offline() bool { return c.Provider.Dialect == Builtin }

// Resolve decides which model answers: what --model, AGENT_MODEL or the
// configuration names, in this order; else the one used last, if it still can
// be; else the default of the first provider that can be used; else the guide.
// What a person named and cannot be used is an error.
func Resolve(in Input) (Choice, error) {
	if in.Getenv == nil {
		in.Getenv = func(string) string { return "" }
	}
	for _, u := range []struct{ from, url string }{
		{"--base-url", in.BaseURL}, {"OPENAI_BASE_URL", in.Getenv("OPENAI_BASE_URL")}, {"base_url in the configuration", in.ConfigURL},
	} {
		if err := checkURL(u.url); err != nil {
			return Choice{}, fmt.Errorf("%s: %w", u.from, err)
		}
	}
	for _, named := range []struct{ from, model, why string }{
		{"--model", in.Flag, "chosen by --model"},
		{"AGENT_MODEL", in.Getenv("AGENT_MODEL"), "chosen by AGENT_MODEL"},
		{"model in the configuration", in.Config, "chosen in the configuration"},
	} {
		if strings.TrimSpace(named.model) == "" {
			continue
		}
		c, err := in.named(named.model)
		if err != nil {
			return Choice{}, fmt.Errorf("%s: %w", named.from, err)
		}
		c.Why = named.why
		return c, nil
	}
	return in.unnamed(), nil
}

// unnamed chooses where nobody named a model.
func (in Input) unnamed() Choice {
	var notices []string
	for _, r := range Providers() {
		if name, _ := in.key(r); name != "" && !r.Built() {
			notices = append(notices, fmt.Sprintf("%s is set, but %s is not built yet", name, r.Name))
		}
	}
	if in.Last != "" {
		c, err := in.named(in.Last)
		if err == nil && !c.Offline() {
			c.Why, c.Notices = "used last in this directory", notices
			return c
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf("%s was used last in this directory, but: %v", in.Last, err))
		}
	}
	for _, r := range Providers() {
		keyName, _ := in.key(r)
		from := in.movedBy(r)
		if r.Name != "openai" {
			from = "" // an address alone says nothing of another provider
		}
		if !r.Built() || r.Default == "" || r.Local || keyName == "" && from == "" {
			continue
		}
		c := in.choice(r, r.Default)
		c.Notices = notices
		if c.Why = "default of " + r.Name + ", the first provider whose key is set (" + keyName + ")"; from != "" {
			c.Why = "default of " + r.Name + ", as " + from + " is set"
		}
		return c
	}
	guide, _ := Find("offline")
	return Choice{Provider: guide, Model: guide.Default, Notices: notices,
		Why: "no model is connected: no provider's key is set"}
}

// named returns the model that a person named, if it can be used.
func (in Input) named(model string) (Choice, error) {
	r, name, err := in.whose(strings.TrimSpace(model))
	if err != nil {
		return Choice{}, err
	}
	if !r.Built() {
		return Choice{}, fmt.Errorf("%s is not built yet", r.Name)
	}
	if name == "" {
		return Choice{}, fmt.Errorf("%s has no default model: write %s/NAME", r.Name, r.Name)
	}
	c := in.choice(r, name)
	if c.Key == "" && !r.Local && in.movedBy(r) == "" {
		return Choice{}, fmt.Errorf("%s needs a key: set %s", r.Name, strings.Join(r.KeyNames, " or "))
	}
	return c, nil
}

// whose returns the provider that model belongs to, and its name there.
func (in Input) whose(model string) (Row, string, error) {
	provider, name, ok := Split(model)
	if r, found := Find(provider); found {
		if !ok {
			name = r.Default
		}
		return r, name, nil
	}
	custom, _ := Find("openai")
	if in.movedBy(custom) != "" { // a server of one's own may call its models anything
		return custom, model, nil
	}
	for _, r := range Providers() {
		if slices.ContainsFunc(r.Prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) {
			return r, model, nil
		}
	}
	if near := nearest(provider); near != "" {
		if !ok {
			return Row{}, "", fmt.Errorf("%q is neither a provider nor a model known here: did you mean %s?", model, near)
		}
		return Row{}, "", fmt.Errorf("there is no provider %q: did you mean %s/%s?", provider, near, name)
	}
	if ok {
		return Row{}, "", fmt.Errorf("there is no provider %q: there are %s", provider, names())
	}
	return Row{}, "", fmt.Errorf("%q does not say whose model it is: write PROVIDER/NAME, for example openrouter/%s", model, model)
}

// choice fills in where r is and its key.
func (in Input) choice(r Row, model string) Choice {
	c := Choice{Provider: r, Model: model, BaseURL: r.BaseURL}
	c.KeyName, c.Key = in.key(r)
	if c.KeyName == "" && len(r.KeyNames) > 0 {
		c.KeyName = r.KeyNames[0]
	}
	switch in.movedBy(r) {
	case "":
	case "--base-url":
		c.BaseURL = in.BaseURL
	case r.URLName:
		c.BaseURL = in.Getenv(r.URLName)
	default:
		c.BaseURL = in.ConfigURL
	}
	return c
}

// key returns r's key and the variable that holds it.
func (in Input) key(r Row) (name string, key Key) {
	for _, name := range r.KeyNames {
		if v := strings.TrimSpace(in.Getenv(name)); v != "" {
			return name, Key(v)
		}
	}
	return "", ""
}

// movedBy returns what says that r is elsewhere than usual, if anything does.
func (in Input) movedBy(r Row) string {
	switch {
	case r.Dialect == Builtin:
		return ""
	case in.BaseURL != "":
		return "--base-url"
	case r.URLName != "" && in.Getenv(r.URLName) != "":
		return r.URLName
	case r.Name == "openai" && in.ConfigURL != "":
		return "base_url in the configuration"
	}
	return ""
}

func checkURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is no base URL: write it like http://127.0.0.1:8080/v1", s)
	}
	return nil
}
