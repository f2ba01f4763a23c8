package delegate

import (
	"slices"
	"strings"

	"agent/internal/loop/event"
)

// Mentioned returns the names of the agents that a prompt mentions, each once, and an
// error for each name that no agent has.
func (p *Pool) Mentioned(prompt string) (names []string, unknown []error) {
	var seen []string
	for at := strings.Index(prompt, event.Mention); at >= 0; at = strings.Index(prompt, event.Mention) {
		var name string
		name, prompt, _ = event.CutMention(prompt[at:])
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		if a, err := p.agent(name); err != nil {
			unknown = append(unknown, err)
		} else if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names, unknown
}
