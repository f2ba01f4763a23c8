package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/tools"
)

// conditional are the names of built-in tools that not every session has.
var conditional = []string{"skill", "delegate", "tool_search", "mcp_call", "mcp_resource", "symbols", "rename", "web_search"}

// checkTools returns an error if a tool of the configuration cannot be used.
func checkTools(set settings.Settings) error {
	_, err := customTools(set, tools.Commands{})
	return err
}

// customTools returns the tools of the configuration, by name. They run like commands of
// c. An error names the setting.
func customTools(set settings.Settings, c tools.Commands) ([]tools.Tool, error) {
	var all []tools.Tool
	for _, name := range slices.Sorted(maps.Keys(set.Tools)) {
		builtIn := slices.ContainsFunc(everyTool(), func(t tools.Tool) bool { return t.Accepts().Name == name })
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
