package agents

import (
	"errors"

	"agent/cmd/agent/trust"
	"agent/internal/llm/phrase"
	"agent/internal/loop/delegate"
)

// Item returns what the user confirms of an agent of a repository: its file.
func Item(a delegate.Agent) trust.Item {
	return trust.Item{Kind: trust.Agent, Name: a.Name, File: a.Source, Content: a.Text, Live: true}
}

// Source returns the trust.Source of the agents of a repository. Its error counts the
// problems with agent files and does not list them, because files for other programs can
// have many.
func Source(collect Collect) trust.Source {
	return func(dir string) ([]trust.Item, error) {
		all, problems := collect(dir)
		var items []trust.Item
		for _, a := range all {
			if a.FromRepository {
				items = append(items, Item(a))
			}
		}
		if len(problems) > 0 {
			return items, errors.New(phrase.Count(len(problems), "problem") + " with agent files. To show details: agent agents")
		}
		return items, nil
	}
}
