// Package configuration implements `agent config`.
package configuration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/wire"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Options are what `agent config` and its commands need.
type Options struct {
	IO       command.IO
	Settings func() (settings.File, error)
	// Sources returns the settings from flags and environment variables, in order of
	// precedence, and the defaults.
	Sources func() (overrides, defaults []Source)
}

// NewCmd returns `agent config`.
func NewCmd(opts *Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "show the configuration and its location",
		Args:  command.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opts) },
	}
	for _, c := range []struct {
		use, short, example string
		do                  command.RunFunc[Options]
	}{
		{"path", "print the path of the configuration file", "", pathRun},
		{"show", "print the effective settings and their sources; API keys are never printed", "", showRun},
		{"schema", "print the JSON schema of the configuration file",
			`  agent config schema > ~/.config/agent/schema.json   # and "$schema": "schema.json" in config.json`, schemaRun},
	} {
		sub := &cobra.Command{
			Use: c.use, Short: c.short, Example: c.example, Args: command.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return c.do(cmd.Context(), opts) },
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// run prints where the configuration file is and the effective settings.
func run(ctx context.Context, opts *Options) error {
	path, err := settings.Path(os.Getenv)
	if err != nil {
		return err
	}
	missing := ""
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		missing = " (does not exist)"
	}
	fmt.Fprintf(opts.IO.Out, "Configuration file: %s%s\n\n", ink.SanitizeLine(path), missing)
	return showRun(ctx, opts)
}

func pathRun(_ context.Context, opts *Options) error {
	path, err := settings.Path(os.Getenv)
	if err == nil {
		fmt.Fprintln(opts.IO.Out, path)
	}
	return err
}

func showRun(_ context.Context, opts *Options) error {
	file, err := opts.Settings()
	if err != nil {
		return err
	}
	return show(opts, file)
}

func schemaRun(_ context.Context, opts *Options) error {
	b, err := settings.JSONSchema()
	if err == nil {
		_, err = opts.IO.Out.Write(b)
	}
	return err
}

// Source is the value of a setting and where it comes from.
type Source struct{ Name, Value, From string }

// show prints the effective settings and their sources.
func show(opts *Options, file settings.File) error {
	b, err := json.Marshal(file.Settings)
	if err != nil {
		return fmt.Errorf("encode the settings: %w", err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return fmt.Errorf("decode the settings: %w", err)
	}
	rows := map[string]Source{}
	flatten(tree, "", func(name, value string) {
		if m, err := event.ParseMode(value); name == "mode" && err == nil {
			value = m.Name()
		}
		rows[name] = Source{name, hideSecret(name, value), fmt.Sprintf("%s:%d", file.Path, file.Lines[name])}
	})
	overrides, defaults := opts.Sources()
	for _, o := range slices.Backward(overrides) {
		rows[o.Name] = Source{o.Name, hideSecret(o.Name, o.Value), o.From}
	}
	for _, o := range defaults {
		if _, set := rows[o.Name]; !set && (o.Name != "model" || file.Models == nil) {
			rows[o.Name] = o
		}
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tSOURCE")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", ink.SanitizeLine(name), ink.SanitizeLine(rows[name].Value), ink.SanitizeLine(rows[name].From))
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
