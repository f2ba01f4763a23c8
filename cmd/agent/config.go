package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/wire"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tui/ink"
)

// configOptions are what the commands of `agent config` need.
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
		Short: "where the configuration is, what is set and what can be",
		Args:  command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return command.Usage("say which: agent config path, agent config show or agent config schema")
		},
	}
	for _, c := range []struct {
		use, short, example string
		run                 command.RunFunc[configOptions]
	}{
		{"path", "print where the configuration file is, or would be", "", configPathRun},
		{"show", "print every setting in force and where it comes from, never a key", "", configShowRun},
		{"schema", "print the JSON schema of the configuration file, for editors",
			`  agent config schema > ~/.config/agent/schema.json   # and "$schema": "schema.json" in config.json`, configSchemaRun},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: c.use, Short: c.short, Example: c.example, Args: command.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), opts) },
		})
	}
	return cmd
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

// source is a setting that stands elsewhere than in the file.
type source struct{ name, value, from string }

// configSources returns what flags and variables say, the stronger first, and what
// holds where nothing is said.
func configSources(f flags, getenv func(string) string) (said, otherwise []source) {
	steps := ""
	if f.maxSteps != 0 {
		steps = fmt.Sprint(f.maxSteps)
	}
	for _, o := range []source{
		{"model", f.model, "--model"}, {"model", getenv("AGENT_MODEL"), "AGENT_MODEL"},
		{"base_url", f.baseURL, "--base-url"}, {"base_url", getenv("OPENAI_BASE_URL"), "OPENAI_BASE_URL"},
		{"mode", f.mode, "--mode"}, {"max_steps", steps, "--max-steps"}, {"effort", f.effort, "--effort"},
	} {
		if o.value != "" {
			said = append(said, o)
		}
	}
	return said, []source{
		{"model", "the first that can be used", "default"}, {"mode", string(event.ModeAsk), "default"},
		{"max_steps", fmt.Sprint(turn.DefaultMaxSteps), "default"}, {"max_reply_bytes", fmt.Sprint(llm.MaxReplyBytes), "default"}, {"effort", "the model's own", "default"}, {"local", "true", "default"},
		{"sessions.keep_days", "never", "default"}, {"theme", ink.ThemeNames()[0], "default"}, {"diff", string(ink.Auto), "default"},
		{"notify", "auto", "default"}, {"notify_after_seconds", "10", "default"},
	}
}

// showConfig prints each setting in force and where it comes from.
func showConfig(out io.Writer, file settings.File, f flags, getenv func(string) string) error {
	b, err := json.Marshal(file.Settings)
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	rows := map[string]source{}
	flatten(tree, "", func(name, value string) {
		rows[name] = source{name, redact(name, value), fmt.Sprintf("%s:%d", file.Path, file.Lines[name])}
	})
	said, otherwise := configSources(f, getenv)
	for _, o := range slices.Backward(said) {
		rows[o.name] = source{o.name, redact(o.name, o.value), o.from}
	}
	for _, o := range otherwise {
		if _, set := rows[o.name]; !set && (o.name != "model" || file.Models == nil) {
			rows[o.name] = o
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tFROM")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", ink.SanitizeLine(name), ink.SanitizeLine(rows[name].value), ink.SanitizeLine(rows[name].from))
	}
	return w.Flush()
}

// flatten tells of every value in a tree of objects.
func flatten(v any, path string, tell func(name, value string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			flatten(below, strings.TrimPrefix(path+"."+k, "."), tell)
		}
	case string:
		tell(path, v)
	default:
		b, _ := json.Marshal(v) // it came from JSON
		tell(path, string(b))
	}
}

// redact is a value as it may be shown: headers and the arguments of commands
// may hold keys, and addresses too.
func redact(name, value string) string {
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
