// Package toolbox makes the tools that act on a workspace: the built-in ones, checks, and those
// of the configuration.
package toolbox

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"agent/cmd/agent/command"
	"agent/cmd/agent/help"
	"agent/cmd/agent/settings"
	"agent/internal/loop"
	"agent/internal/tools"
	"agent/internal/tools/check"
	"agent/internal/tools/fetch"
	"agent/internal/tools/workspace"
)

// BuiltIn returns the built-in tools on a workspace, in a fixed order. Version is that of the
// program. If jobs is nil, no command can run in the background. If format is nil, no change is
// formatted.
func BuiltIn(version string, c tools.Commands, known *workspace.Ledger, jobs *tools.Jobs, format tools.Formatter) []tools.Tool {
	c.Manual = help.Page
	ts := append(tools.FormattedFiles(c, known, format), c.Tools(jobs)...)
	return append(ts, fetch.Tool(fetch.Options{
		UserAgent: "agent/" + version + " (a coding assistant, for its user)",
		Proxy:     http.ProxyFromEnvironment,
	}, c.PDFText))
}

// Checks returns the configured checks.
func Checks(commands tools.Commands, configured []settings.Check) *check.Checks {
	var all []check.Check
	for _, c := range configured {
		all = append(all, check.Check{Files: c.Files, Command: c.Command, Limit: time.Duration(c.Timeout) * time.Second, Outside: c.Sandbox != nil && !*c.Sandbox})
	}
	return check.New(commands, all)
}

// conditional are the names of built-in tools that not every session has.
var conditional = []string{"skill", "delegate", "tool_search", "mcp_call", "mcp_resource", "symbols", "rename", "web_search"}

// Validate returns an error if a tool of the configuration cannot be used.
func Validate(set settings.Settings) error {
	_, err := Custom(set, tools.Commands{})
	return err
}

// Custom returns the tools of the configuration, by name. They run like commands of
// c. An error names the setting.
func Custom(set settings.Settings, c tools.Commands) ([]tools.Tool, error) {
	var all []tools.Tool
	for _, name := range slices.Sorted(maps.Keys(set.Tools)) {
		builtIn := slices.ContainsFunc(Every(), func(t tools.Tool) bool { return t.Accepts().Name == name })
		if builtIn || slices.Contains(conditional, name) {
			return nil, fmt.Errorf("configuration: tools.%s: there is a built-in tool with this name. Choose another one", name)
		}
		set := set.Tools[name]
		t, err := c.Custom(tools.Custom{
			Name: name, Description: set.Description, Schema: maps.Clone(set.Schema), Command: set.Command,
			Effect: tools.Effect(cmp.Or(set.Effect, string(tools.Execute))), Limit: time.Duration(set.Timeout) * time.Second,
		})
		if err != nil {
			return nil, fmt.Errorf("configuration: tools.%s.schema: %w", name, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// Known returns the built-in tools, as Every does, and those of the configuration.
// They can be described but not run.
func Known() ([]tools.Tool, error) {
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	custom, err := Custom(file.Settings, tools.Commands{})
	return append(Every(), custom...), err
}

// Every returns all built-in tools except skill, also those that need a session or checks.
// They can be described but not run.
func Every() []tools.Tool {
	jobs := tools.NewJobs()
	defer jobs.Close()
	var commands tools.Commands
	all := append(BuiltIn("", commands, nil, jobs, nil), check.New(commands, make([]check.Check, 1)).Tools()...)
	return append(all, loop.SessionTools()...)
}

// OfSessions returns the tools of a session that are not among standalone.
func OfSessions(c tools.Commands, standalone []tools.Tool) []tools.Tool {
	jobs := tools.NewJobs()
	defer jobs.Close()
	return slices.DeleteFunc(append(c.Tools(jobs), loop.SessionTools()...), func(t tools.Tool) bool {
		return slices.ContainsFunc(standalone, func(other tools.Tool) bool { return other.Spec().Name == t.Spec().Name })
	})
}
