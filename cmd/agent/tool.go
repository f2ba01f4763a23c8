package main

import (
	"os"

	"agent/cmd/agent/command"
	"agent/cmd/agent/project"
	"agent/cmd/agent/redact"
	"agent/cmd/agent/tool"
	"agent/cmd/agent/toolbox"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
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
	commands := tools.Commands{Workspace: w, Limits: redact.Limits(file.Settings), MaxOutput: file.Settings.Shell.MaxOutput}
	checks := toolbox.Checks(commands, file.Checks)
	ts := append(toolbox.BuiltIn(version, commands, nil, nil, nil), checks.Tools()...)
	custom, err := toolbox.Custom(file.Settings, commands)
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	ts = append(ts, custom...)
	if p := project.Open(dir, os.Getenv); len(p.Skills()) > 0 {
		ts = append(ts, p.SkillTool())
	}
	return &tool.Set{
		Tools: ts, Session: toolbox.OfSessions(commands, ts),
		Interceptors: tools.Intercept(checks), Paths: judgingPaths(dir, file.Settings),
		Rules: func() ([]rule.Rule, error) {
			admin, err := systemFile.Read()
			return admin.Rules, err
		},
		Close: func() { _ = w.Close() },
	}, nil
}
