package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/configuration"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tui/ink"
)

// newCmdConfig returns `agent config`.
func newCmdConfig(f *command.Factory, o *flags) *cobra.Command {
	cmd := configuration.NewCmd(&configuration.Options{IO: f.IO, Settings: f.Settings, Sources: func() (overrides, defaults []configuration.Source) { return configSources(*o, os.Getenv) }})
	const used = "model base-url mode max-steps token-budget max-cost max-time session-budget effort system append-system"
	withFlags(cmd, used)
	for _, sub := range cmd.Commands() {
		if sub.Name() == "show" {
			withFlags(sub, used)
		}
	}
	return cmd
}

// configSources returns the settings from flags and environment variables, in order
// of precedence, and the defaults.
func configSources(f flags, getenv func(string) string) (overrides, defaults []configuration.Source) {
	mode := f.permit.Mode
	if m, err := event.ParseMode(f.permit.Mode); err == nil { // replace an alias
		mode = m.Name()
	}
	limit := func(l event.Limit) string {
		if amount, ok := f.budget.Turn[l]; ok {
			return strconv.FormatFloat(amount, 'f', -1, 64)
		}
		return ""
	}
	of := func(name, value, from string) configuration.Source {
		return configuration.Source{Name: name, Value: value, From: from}
	}
	for _, o := range []configuration.Source{
		of("model", f.Model, "--model"), of("model", getenv("AGENT_MODEL"), "AGENT_MODEL"),
		of("base_url", f.BaseURL, "--base-url"), of("base_url", getenv("OPENAI_BASE_URL"), "OPENAI_BASE_URL"),
		of("mode", mode, "--mode"), of("max_steps", limit(event.LimitSteps), "--max-steps"), of("token_budget", limit(event.LimitTokens), "--token-budget"),
		of("max_cost", limit(event.LimitCost), "--max-cost"), of("max_time", limitTime(f.budget.Turn), "--max-time"), of("session_budget", f.budget.Session, "--session-budget"),
		of("effort", f.Effort, "--effort"),
		of("system", f.prompt.System, "--system"), of("append_system", f.prompt.AppendSystem, "--append-system"),
	} {
		if o.Value != "" {
			overrides = append(overrides, o)
		}
	}
	return overrides, []configuration.Source{
		of("model", "first available", "default"), of("mode", event.ModeAsk.Name(), "default"),
		of("max_steps", fmt.Sprint(turn.DefaultMaxSteps), "default"), of("max_reply_bytes", fmt.Sprint(llm.MaxReplyBytes), "default"), of("effort", "default of the model", "default"), of("local", "true", "default"),
		of("sessions.keep_days", "never", "default"), of("theme", ink.ThemeNames()[0], "default"), of("diff", string(ink.Auto), "default"),
		of("notify", "auto", "default"), of("notify_after_seconds", "10", "default"),
	}
}

// limitTime returns the time limit of b; empty if it has none.
func limitTime(b event.Budget) string {
	if amount, ok := b[event.LimitTime]; ok {
		return time.Duration(amount * float64(time.Second)).String()
	}
	return ""
}
