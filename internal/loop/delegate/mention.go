package delegate

import (
	"slices"
	"strings"

	"agent/internal/loop/event"
)

// Mentioned returns the names of the agents that a prompt mentions, each once.
func (p *Pool) Mentioned(prompt string) (names []string) {
	agents := p.o.Agents()
	for at := strings.Index(prompt, event.Mention); at >= 0; at = strings.Index(prompt, event.Mention) {
		var name string
		name, prompt, _ = event.CutMention(prompt[at:])
		known := slices.ContainsFunc(agents, func(a Agent) bool { return a.Name == name })
		if known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
