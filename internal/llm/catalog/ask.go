package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agent/internal/llm/wire"
)

// maxNamed limits the models that a message names.
const maxNamed = 20

// AsksServer reports whether the server at the base URL of --base-url or of the
// configuration decides on the model, because the user named none.
func (in Input) AsksServer() bool {
	if strings.TrimSpace(in.Flag) != "" || in.env("AGENT_MODEL") != "" {
		return false
	}
	own, _ := in.Changes.Find("openai")
	if in.BaseURL == "" {
		_, from, _ := in.address(own)
		return from == sourceConfig && len(in.Config) == 0 && !in.Continued &&
			(in.Last == "" || in.lastRow().Name == own.Name && !in.lastAt(in.ConfigURL))
	}
	if in.BaseFor != "" {
		return false
	}
	speaks := func(r Row) bool { return r.Dialect == OpenAI }
	if len(in.Config) > 0 && !(in.Continued && in.LastURL != "") {
		return !slices.ContainsFunc(in.Config, func(model string) bool {
			r, _, err := in.findProvider(strings.TrimSpace(model))
			return err == nil && speaks(r)
		})
	}
	return in.Last == "" || !in.lastAt(in.BaseURL) && !(in.Continued && speaks(in.lastRow()))
}

// lastRow returns the provider of the last used model.
func (in Input) lastRow() Row {
	provider, _, _ := Split(in.Last)
	r, _ := in.Changes.Find(provider)
	return r
}

// lastAt reports whether the last used model was at a base URL.
func (in Input) lastAt(base string) bool {
	return in.LastURL != "" && wire.Redacted(in.lastRow().withSuffix(base)) == in.LastURL
}

// AskServer asks the server at the base URL for its models and chooses the only
// one. If there are several, or none is listed, an attending user gets the guide
// and a notice.
func (in Input) AskServer(ctx context.Context) (Choice, error) {
	r, _ := in.Changes.Find("openai")
	s := in.providerStatus(r)
	base, from, err := in.address(r)
	if err != nil {
		return Choice{}, err
	}
	served, err := in.listSoon(ctx, s)
	server := "the server at " + wire.Redacted(base)
	if err == nil && len(served) == 1 {
		c, err := in.choice(r, served[0].Name)
		c.Info = in.Changes.override(c.Info.withServed(served[0]), r, c.Model)
		c.Why = "the only model of " + server
		return c, err
	}
	problem := ""
	switch {
	case err != nil && from == sourceConfig:
		c, failed := Resolve(in)
		c.Notices = append(c.Notices, fmt.Sprintf("%s: cannot list the models of %s: %v. To choose a model, set \"model\" in the configuration.", from, server, err))
		return c, failed
	case err != nil:
		problem = fmt.Sprintf("%s: cannot list the models of %s: %v. Check the URL and that the server is running, or select a model", from, server, err)
	case len(served) == 0:
		problem = fmt.Sprintf("%s: %s lists no models. Select a model", from, server)
	default:
		problem = fmt.Sprintf("%s: %s offers several models: %s. Select one", from, server, listed(r, served))
	}
	if !in.Attended {
		return Choice{}, fmt.Errorf("%s with --model openai/NAME", problem)
	}
	guide, _ := Find("offline")
	return Choice{Provider: guide, Model: guide.Models.Default, Held: true, Several: len(served) > 1, Why: "no model is selected",
		Notices: []string{problem + " with /model openai/NAME."}}, nil
}

// listed names the models of a server.
func listed(r Row, served []Served) string {
	var names []string
	for _, m := range served[:min(len(served), maxNamed)] {
		names = append(names, r.Name+"/"+m.Name)
	}
	if more := len(served) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// listSoon is List with a shorter limit if a user waits for the screen.
func (in Input) listSoon(ctx context.Context, s ProviderStatus) ([]Served, error) {
	if in.Attended {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, windowTime)
		defer stop()
	}
	return in.List(ctx, s)
}

// Checked returns c with the context window that the server at a base URL of the
// user reports, and with a notice if that server does not list the model.
func (in Input) Checked(ctx context.Context, c Choice) Choice {
	if c.Offline() || c.Provider.Dialect != OpenAI || !c.Elsewhere() && c.urlSource != sourceConfig {
		return c
	}
	s := in.providerStatus(c.Provider)
	if !in.Lists(s) || s.BaseURL != c.BaseURL {
		return c
	}
	served, err := in.listSoon(ctx, s)
	server := "The server at " + c.At()
	if err != nil {
		if !refused(err) {
			c.Notices = append(c.Notices, fmt.Sprintf("%s cannot be asked for its models: %v.", server, err))
		}
		return c
	}
	for _, m := range served {
		if m.Name == c.Model || m.Name == c.Model+":latest" {
			c.Info = in.Changes.override(c.Info.withServed(m), c.Provider, c.Model)
			return c
		}
	}
	if len(served) > 0 {
		c.Notices = append(c.Notices, fmt.Sprintf("%s does not list the model %q. It lists %s.", server, c.Model, listed(c.Provider, served)))
	}
	return c
}
