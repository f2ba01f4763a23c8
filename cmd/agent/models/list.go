package models

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"agent/cmd/agent/command"
	"agent/internal/llm/catalog"
	"agent/internal/llm/phrase"
	"agent/internal/llm/wire"
	"agent/internal/tui/ink"
)

// List is the output of `agent models`: the available models, and what the other
// providers need.
type List struct {
	Models  []Model   `json:"models"`
	Missing []Missing `json:"others"`
}

// Model is an available model.
type Model struct {
	Model   string   `json:"model"` // PROVIDER/NAME
	Context int      `json:"context,omitempty"`
	Input   *float64 `json:"input_usd,omitempty"` // per million tokens
	Output  *float64 `json:"output_usd,omitempty"`
	Tools   *bool    `json:"tools,omitempty"`
	Images  *bool    `json:"images,omitempty"`
	// Thinking is set if the model has levels of reasoning effort.
	Thinking *bool  `json:"thinking,omitempty"`
	Default  bool   `json:"default,omitempty"` // used if only the provider is named
	Why      string `json:"why"`
}

// Missing is a provider that is not configured or not reachable.
type Missing struct {
	Provider string `json:"provider"`
	Needs    string `json:"needs"`
}

// serverTime is the time limit of servers on this machine when nothing else waits
// for them, or only they can answer. If none is running, the search takes no time.
const serverTime = 2 * time.Second

// List returns the available models of all providers, or of only if it is not empty.
// With probe, it queries the servers on this machine if the settings allow it.
func (p *Picker) List(ctx context.Context, only string, probe bool) (List, error) {
	in := p.input(ctx, "")
	in.Wait = serverTime
	return ListOf(ctx, in, only, probe && p.mayProbe())
}

// ListOf returns the available models of all providers for in, or of only if it is
// not empty. With probe, it queries the servers on this machine.
func ListOf(ctx context.Context, in catalog.Input, only string, probe bool) (List, error) {
	l := List{Models: []Model{}, Missing: []Missing{}}
	if in.BaseURL != "" && in.BaseFor == "" {
		provider, _, _ := catalog.Split(in.Flag)
		r, named := in.Changes.Find(provider)
		if in.BaseFor = cmp.Or(only, "openai"); only == "" && named {
			in.BaseFor = r.Name
		}
		only = in.BaseFor
	}
	if _, found := in.Changes.Find(only); only != "" && !found {
		return l, command.Usage("unknown provider %q. To list providers: agent models", only)
	}
	statuses := slices.DeleteFunc(in.ProviderStatuses(), func(s catalog.ProviderStatus) bool {
		return only != "" && s.Row.Name != strings.ToLower(only)
	})
	var servers []catalog.Server
	if probe {
		servers = in.Probe(ctx)
	}
	parts := make([]List, len(statuses))
	var all sync.WaitGroup
	for i, s := range statuses {
		all.Go(func() { parts[i] = providerModels(ctx, in, s, servers, only != "") })
	}
	all.Wait()
	for _, p := range parts {
		l.Models = append(l.Models, p.Models...)
		l.Missing = append(l.Missing, p.Missing...)
	}
	if guide, _ := catalog.Find("offline"); only == "" || only == guide.Name {
		free := 0.0
		l.Models = append(l.Models, Model{Model: guide.Name + "/" + guide.Models.Default, Input: &free, Output: &free, Default: true, Why: "built in, not a language model"})
	}
	return l, nil
}

// providerModels returns the models of one provider. It queries the provider if the
// built-in table does not apply, as with another base URL, or if ask is set.
func providerModels(ctx context.Context, in catalog.Input, s catalog.ProviderStatus, servers []catalog.Server, ask bool) (l List) {
	if !s.Usable {
		return List{Missing: []Missing{{s.Row.Name, s.Why}}}
	}
	if i := slices.IndexFunc(servers, func(o catalog.Server) bool { return o.Row.Name == s.Row.Name }); i >= 0 {
		for _, m := range servers[i].Models {
			why := "running at " + s.BaseURL
			if in.Known(s, m).Assumed {
				why += ", context window assumed"
			}
			l.Models = append(l.Models, modelRow(in, s, m, why))
		}
		if len(l.Models) == 0 {
			l.Missing = append(l.Missing, Missing{s.Row.Name, "running at " + wire.Redacted(s.BaseURL) + ", but it has no models"})
		}
		return l
	}
	if s.Row.Local && s.Here {
		return List{Missing: []Missing{{s.Row.Name, "not running at " + wire.Redacted(s.BaseURL) + ": start it with " + s.Row.Start}}}
	}
	names := in.Changes.ModelsOf(s)
	var served []catalog.Served
	var refused error
	if ask || s.Moved || s.Row.Configured || len(names) == 0 {
		if served, refused = in.List(ctx, s); refused == nil && len(served) > 0 {
			names = slices.DeleteFunc(s.Named, func(name string) bool {
				return slices.ContainsFunc(served, func(m catalog.Served) bool { return m.Name == name })
			})
		}
	}
	for _, m := range served {
		l.Models = append(l.Models, modelRow(in, s, m, s.Why))
	}
	for _, name := range names {
		l.Models = append(l.Models, modelRow(in, s, catalog.Served{Name: name}, s.Why))
	}
	if refused != nil && len(l.Models) == 0 {
		l.Missing = append(l.Missing, Missing{s.Row.Name, fmt.Sprintf("a model name: %s/NAME (%s): %v", s.Row.Name, s.Why, refused)})
	}
	return l
}

// modelRow returns the line for one model.
func modelRow(in catalog.Input, s catalog.ProviderStatus, m catalog.Served, why string) Model {
	out := described(in.Known(s, m))
	out.Model, out.Default, out.Why = s.Row.Name+"/"+m.Name, m.Name == s.Default, why
	return out
}

// Text prints the list as tables.
func (l List) Text(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(l.Models) > 0 {
		fmt.Fprintln(w, "MODEL\tCONTEXT\tIN\tOUT\tWHY")
	}
	for _, m := range l.Models {
		why := m.Why
		if m.Default {
			why += " (default)"
		}
		if m.Tools != nil && !*m.Tools {
			why += ", no native tool calls"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", ink.SanitizeLine(m.Model), tokens(m.Context), price(m.Input), price(m.Output), ink.SanitizeLine(why))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(l.Missing) > 0 && len(l.Models) > 0 {
		fmt.Fprintln(out)
	}
	if len(l.Missing) > 0 {
		fmt.Fprintln(w, "OTHER PROVIDERS\tTO CONFIGURE")
	}
	for _, m := range l.Missing {
		fmt.Fprintf(w, "%s\t%s\n", m.Provider, ink.SanitizeLine(m.Needs))
	}
	return w.Flush()
}

// tokens formats a context window: 400k, 1M, 1.05M; empty if it is unknown.
func tokens(n int) string {
	switch {
	case n == 0:
		return ""
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.FormatFloat(float64((n+5_000)/10_000)/100, 'f', -1, 64) + "M"
}

// price formats a price: $1.25, $0.005, free; empty if it is unknown.
func price(usd *float64) string {
	switch {
	case usd == nil:
		return ""
	case *usd == 0:
		return "free"
	}
	return phrase.Price(*usd)
}
