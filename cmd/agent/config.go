package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tui/ink"
)

// configOptions are the options of `agent config` and its commands.
type configOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	flags    *flags
}

// newCmdConfig returns `agent config`.
func newCmdConfig(f *command.Factory, o *flags) *cobra.Command {
	opts := &configOptions{IO: f.IO, Settings: f.Settings, flags: o}
	cmd := &cobra.Command{
		Use:   "config",
		Short: "show the configuration and its location",
		Args:  command.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return configRun(cmd.Context(), opts) },
	}
	withFlags(cmd, configFlags)
	for _, c := range []struct {
		use, short, example string
		run                 command.RunFunc[configOptions]
	}{
		{"path", "print the path of the configuration file", "", configPathRun},
		{"show", "print the effective settings and their sources; API keys are never printed", "", configShowRun},
		{"schema", "print the JSON schema of the configuration file",
			`  agent config schema > ~/.config/agent/schema.json   # and "$schema": "schema.json" in config.json`, configSchemaRun},
	} {
		sub := &cobra.Command{
			Use: c.use, Short: c.short, Example: c.example, Args: command.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), opts) },
		}
		if c.use == "show" {
			withFlags(sub, configFlags)
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// configFlags are the global flags that override settings.
const configFlags = "model base-url mode max-steps token-budget max-cost max-time session-budget effort system append-system"

// configRun prints where the configuration file is and the effective settings.
func configRun(ctx context.Context, opts *configOptions) error {
	path, err := settings.Path(os.Getenv)
	if err != nil {
		return err
	}
	missing := ""
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		missing = " (does not exist)"
	}
	fmt.Fprintf(opts.IO.Out, "Configuration file: %s%s\n\n", ink.SanitizeLine(path), missing)
	return configShowRun(ctx, opts)
}

func configPathRun(_ context.Context, opts *configOptions) error {
	path, err := settings.Path(os.Getenv)
	if err == nil {
		fmt.Fprintln(opts.IO.Out, path)
	}
	return err
}

func configShowRun(_ context.Context, opts *configOptions) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	return showConfig(opts.IO.Out, file, *opts.flags, os.Getenv)
}

func configSchemaRun(_ context.Context, opts *configOptions) error {
	b, err := settings.JSONSchema()
	if err == nil {
		_, err = opts.IO.Out.Write(b)
	}
	return err
}

// source is the value of a setting and where it comes from.
type source struct{ name, value, from string }

// configSources returns the settings from flags and environment variables, in order
// of precedence, and the defaults.
func configSources(f flags, getenv func(string) string) (overrides, defaults []source) {
	mode := f.permit.Mode
	if m, err := event.ParseMode(f.permit.Mode); err == nil { // replace an alias
		mode = string(m)
	}
	limit := func(l event.Limit) string {
		if amount, ok := f.budget.turn[l]; ok {
			return strconv.FormatFloat(amount, 'f', -1, 64)
		}
		return ""
	}
	for _, o := range []source{
		{"model", f.Model, "--model"}, {"model", getenv("AGENT_MODEL"), "AGENT_MODEL"},
		{"base_url", f.BaseURL, "--base-url"}, {"base_url", getenv("OPENAI_BASE_URL"), "OPENAI_BASE_URL"},
		{"mode", mode, "--mode"}, {"max_steps", limit(event.LimitSteps), "--max-steps"}, {"token_budget", limit(event.LimitTokens), "--token-budget"},
		{"max_cost", limit(event.LimitCost), "--max-cost"}, {"max_time", limitTime(f.budget.turn), "--max-time"}, {"session_budget", f.budget.session, "--session-budget"},
		{"effort", f.Effort, "--effort"},
		{"system", f.prompt.System, "--system"}, {"append_system", f.prompt.AppendSystem, "--append-system"},
	} {
		if o.value != "" {
			overrides = append(overrides, o)
		}
	}
	return overrides, []source{
		{"model", "first available", "default"}, {"mode", string(event.ModeAsk), "default"},
		{"max_steps", fmt.Sprint(turn.DefaultMaxSteps), "default"}, {"max_reply_bytes", fmt.Sprint(llm.MaxReplyBytes), "default"}, {"effort", "default of the model", "default"}, {"local", "true", "default"},
		{"sessions.keep_days", "never", "default"}, {"theme", ink.ThemeNames()[0], "default"}, {"diff", string(ink.Auto), "default"},
		{"notify", "auto", "default"}, {"notify_after_seconds", "10", "default"},
	}
}

// limitTime returns the time limit of b; empty if it has none.
func limitTime(b event.Budget) string {
	if amount, ok := b[event.LimitTime]; ok {
		return time.Duration(amount * float64(time.Second)).String()
	}
	return ""
}

// showConfig prints the effective settings and their sources.
func showConfig(out io.Writer, file settings.File, f flags, getenv func(string) string) error {
	b, err := json.Marshal(file.Settings)
	if err != nil {
		return fmt.Errorf("encode the settings: %w", err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return fmt.Errorf("decode the settings: %w", err)
	}
	rows := map[string]source{}
	flatten(tree, "", func(name, value string) {
		rows[name] = source{name, hideSecret(name, value), fmt.Sprintf("%s:%d", file.Path, file.Lines[name])}
	})
	overrides, defaults := configSources(f, getenv)
	for _, o := range slices.Backward(overrides) {
		rows[o.name] = source{o.name, hideSecret(o.name, o.value), o.from}
	}
	for _, o := range defaults {
		if _, set := rows[o.name]; !set && (o.name != "model" || file.Models == nil) {
			rows[o.name] = o
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tSOURCE")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", ink.SanitizeLine(name), ink.SanitizeLine(rows[name].value), ink.SanitizeLine(rows[name].from))
	}
	return w.Flush()
}

// flatten calls yield for every value in a tree of objects, with its dotted path.
func flatten(v any, path string, yield func(name, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			flatten(child, strings.TrimPrefix(path+"."+k, "."), yield)
		}
	case string:
		yield(path, v)
	default:
		b, _ := json.Marshal(v) // cannot fail: v was decoded from JSON
		yield(path, string(b))
	}
}

// hideSecret returns a value without secrets: headers, the arguments of commands and
// base URLs can hold API keys.
func hideSecret(name, value string) string {
	switch {
	case regexp.MustCompile(`^providers\..+\.headers\.`).MatchString(name):
		return "(set)"
	case strings.HasSuffix(name, ".key.command"):
		var words []string
		if json.Unmarshal([]byte(value), &words) != nil {
			words = strings.Fields(value)
		}
		if len(words) > 1 {
			return words[0] + " …"
		}
		return strings.Join(words, "")
	case strings.HasSuffix(name, "base_url"):
		return wire.Redacted(value)
	}
	return value
}
