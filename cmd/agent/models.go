package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/llm/wire"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// serverTime is the time limit of servers on this machine when the user lists
// models.
const serverTime = time.Second

// modelsOptions are what `agent models` needs.
type modelsOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	flags    *flags

	Provider string // empty for all providers
	JSON     bool
}

// newCmdModels returns `agent models`.
func newCmdModels(f *command.Factory, o *flags, runF command.RunFunc[modelsOptions]) *cobra.Command {
	opts := &modelsOptions{IO: f.IO, Settings: f.Settings, flags: o}
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "list the available models, and what other providers need",
		Long: `Models lists the available models, including those of servers on this machine:
context window in tokens, price of input and output in US dollars per million
tokens, and why the model is available. Unknown values are empty. The other
providers follow, with what each one needs to be configured.

With PROVIDER, query that provider for all its models.`,
		Example: "  agent models\n  agent models groq\n  agent models --json | jq '.models[].model'",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
			case 1:
				opts.Provider = args[0]
			default:
				return command.Usage("too many arguments: agent models takes at most one provider")
			}
			return command.Or(runF, modelsRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.JSON, "json", false, "print one JSON object")
	return withFlags(cmd, "base-url")
}

func modelsRun(ctx context.Context, opts *modelsOptions) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	pick := newPicker(*opts.flags, file.Settings, "", false)
	in := pick.input(ctx, "")
	in.Wait = serverTime
	l, err := listModels(ctx, in, opts.Provider, pick.mayProbe())
	if err != nil {
		return err
	}
	if opts.JSON {
		return opts.IO.Out.JSON(l)
	}
	return l.text(opts.IO.Out)
}

// modelList is the output of `agent models`.
type modelList struct {
	Models  []modelLine   `json:"models"`
	Missing []missingLine `json:"others"`
}

// modelLine is an available model.
type modelLine struct {
	Model   string   `json:"model"` // PROVIDER/NAME
	Context int      `json:"context,omitempty"`
	Input   *float64 `json:"input_usd,omitempty"` // per million tokens
	Output  *float64 `json:"output_usd,omitempty"`
	Tools   *bool    `json:"tools,omitempty"`
	Default bool     `json:"default,omitempty"` // used if only the provider is named
	Why     string   `json:"why"`
}

// missingLine is a provider that is not configured or not reachable.
type missingLine struct {
	Provider string `json:"provider"`
	Needs    string `json:"needs"`
}

// listModels returns the available models of all providers, or of only if it is
// not empty. With probe, it queries the servers on this machine.
func listModels(ctx context.Context, in catalog.Input, only string, probe bool) (modelList, error) {
	l := modelList{Models: []modelLine{}, Missing: []missingLine{}}
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
	parts := make([]modelList, len(statuses))
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
		l.Models = append(l.Models, modelLine{Model: guide.Name + "/" + guide.Default, Input: &free, Output: &free, Default: true, Why: "built in, not a language model"})
	}
	return l, nil
}

// providerModels returns the models of one provider. It queries the provider if the
// built-in table does not apply, as with another base URL, or if ask is set.
func providerModels(ctx context.Context, in catalog.Input, s catalog.ProviderStatus, servers []catalog.Server, ask bool) (l modelList) {
	if !s.Usable {
		return modelList{Missing: []missingLine{{s.Row.Name, s.Why}}}
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
			l.Missing = append(l.Missing, missingLine{s.Row.Name, "running at " + wire.Redacted(s.BaseURL) + ", but it has no models"})
		}
		return l
	}
	if s.Row.Local && s.Here {
		return modelList{Missing: []missingLine{{s.Row.Name, "not running at " + wire.Redacted(s.BaseURL) + ": start it with " + s.Row.Start}}}
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
		l.Missing = append(l.Missing, missingLine{s.Row.Name, fmt.Sprintf("a model name: %s/NAME (%s): %v", s.Row.Name, s.Why, refused)})
	}
	return l
}

// modelRow returns the line for one model.
func modelRow(in catalog.Input, s catalog.ProviderStatus, m catalog.Served, why string) modelLine {
	info := in.Known(s, m)
	out := modelLine{Model: s.Row.Name + "/" + m.Name, Context: info.Context, Tools: info.Tools, Default: m.Name == s.Default, Why: why}
	if info.Price != nil {
		out.Input, out.Output = &info.Price.Input, &info.Price.Output
	}
	return out
}

func (l modelList) text(out io.Writer) error {
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", ink.SanitizeLine(m.Model), tokens(m.Context), dollars(m.Input), dollars(m.Output), ink.SanitizeLine(why))
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

// dollars formats a price: $1.25, $0.005, free; empty if it is unknown.
func dollars(usd *float64) string {
	switch {
	case usd == nil:
		return ""
	case *usd == 0:
		return "free"
	}
	s := strconv.FormatFloat(*usd, 'f', -1, 64)
	if whole, cents, _ := strings.Cut(s, "."); len(cents) < 2 {
		return "$" + whole + "." + (cents + "00")[:2]
	}
	return "$" + s
}

// offlineTime is the time limit for listing models without a query.
const offlineTime = 100 * time.Millisecond

// models returns the available models. If all is set, it queries the servers on
// this machine and adds what the other providers need.
func (a *app) models(ctx context.Context, all bool) ([]screen.Model, error) {
	if !all {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, offlineTime)
		defer stop()
	}
	in := a.pick.input(ctx, "")
	in.Wait = serverTime
	only := ""
	if a.pick.flags.baseURL != "" { // it belongs to the selected provider
		only = a.pick.bound.provider
	}
	l, err := listModels(ctx, in, only, all && a.pick.mayProbe())
	if err != nil {
		return nil, err
	}
	var models []screen.Model
	for _, d := range l.Models {
		models = append(models, screen.Model{Name: d.Model, Context: d.Context, Input: d.Input, Output: d.Output, Why: d.Why, Default: d.Default})
	}
	if all {
		for _, d := range l.Missing {
			models = append(models, screen.Model{Name: d.Provider, Needs: d.Needs})
		}
	}
	return models, nil
}
