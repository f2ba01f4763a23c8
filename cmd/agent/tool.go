package main

import (
	"os"
	"slices"

	"agent/cmd/agent/command"
	"agent/cmd/agent/tool"
	"agent/internal/loop"
	"agent/internal/loop/policy"
	"agent/internal/tools"
	"agent/internal/tools/check"
	"agent/internal/tools/workspace"
)

// singleTools returns the tools in the current directory for `agent tool`.
func singleTools() (*tool.Set, error) {
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	dir, err := command.Absolute(".")
	if err != nil {
		return nil, err
	}
	w, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	commands := tools.Commands{Workspace: w, Limits: shellLimits(file.Settings), MaxOutput: file.Settings.Shell.MaxOutput}
	checks := newChecks(commands, file.Checks)
	ts := newTools(commands, nil, nil, checks, nil)
	custom, err := customTools(file.Settings, commands)
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	ts = append(ts, custom...)
	if p := openInstructions(dir, os.Getenv); len(p.Skills()) > 0 {
		ts = append(ts, p.SkillTool())
	}
	return &tool.Set{
		Tools: ts, Session: sessionTools(commands, ts),
		Interceptors: tools.Intercept(checks), Paths: judgingPaths(dir, file.Settings),
		Rules: func() ([]policy.Rule, error) {
			admin, err := systemFile.Read()
			return admin.Rules, err
		},
		Close: func() { _ = w.Close() },
	}, nil
}

// knownTools returns the built-in tools, as everyTool does, and those of the configuration.
// They can be described but not run.
func knownTools() ([]tools.Tool, error) {
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	custom, err := customTools(file.Settings, tools.Commands{})
	return append(everyTool(), custom...), err
}

// everyTool returns all built-in tools except skill, also those that need a session or checks.
// They can be described but not run.
func everyTool() []tools.Tool {
	jobs := tools.NewJobs()
	defer jobs.Close()
	var commands tools.Commands
	all := newTools(commands, nil, jobs, check.New(commands, make([]check.Check, 1)), nil)
	return append(all, loop.SessionTools()...)
}

// sessionTools returns the tools of a session that are not among standalone.
func sessionTools(c tools.Commands, standalone []tools.Tool) []tools.Tool {
	jobs := tools.NewJobs()
	defer jobs.Close()
	return slices.DeleteFunc(append(c.Tools(jobs), loop.SessionTools()...), func(t tools.Tool) bool {
		return slices.ContainsFunc(standalone, func(other tools.Tool) bool { return other.Spec().Name == t.Spec().Name })
	})
}
