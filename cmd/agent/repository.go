package main

import (
	"agent/cmd/agent/agents"
	"agent/cmd/agent/command"
	"agent/cmd/agent/hooks"
	"agent/cmd/agent/languages"
	servers "agent/cmd/agent/mcp"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/project"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/trust"
)

// repositorySources returns what finds the items of a repository that need the user's
// confirmation. The function collect returns the agents.
func repositorySources(set settings.Settings, collect agents.Collect) []trust.Source {
	return []trust.Source{servers.Items(set.MCP), hooks.Items, languages.Source(set), agents.Source(collect)}
}

// openTrust returns the review of what the repository of the current directory configures.
func openTrust() (*trust.Review, error) {
	dir, err := command.Absolute(".")
	if err != nil {
		return nil, err
	}
	file, err := command.ReadSettings()
	if err != nil {
		return nil, err
	}
	p, err := permit.Collect(dir, permit.Flags{}, file, systemFile)
	if err != nil {
		return nil, err
	}
	for _, n := range p.Notices {
		command.System().Warn("%s", n)
	}
	return trust.NewReview(dir, p.File, p.Project.Confirmed, repositorySources(file.Settings, project.AgentsIn)...), nil
}
