package prompt

import (
	"slices"
	"strings"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// Mentioned returns the names of the agents at the beginning of a prompt: "a" and "b"
// for "@agent:a @agent:b do it".
func Mentioned(text string) (names []string) {
	names, _ = parseMentions(text)
	return names
}

// parseMentions splits a prompt that begins with mentions of agents into their names
// and the task.
func parseMentions(text string) (names []string, task string) {
	for {
		text = strings.TrimSpace(text)
		name, rest, ok := event.CutMention(text)
		if !ok {
			return names, text
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		text = strings.TrimLeft(rest, ",:;")
	}
}

// suggestAgents shows the agents that match the name being typed.
func (p *Suggestions) suggestAgents(w word) {
	p.close()
	p.word = w
	var prefixed, containing []list.Suggestion
	query := strings.ToLower(w.query)
	for _, a := range p.agents() {
		name := ink.SanitizeLine(a.Name)
		s := list.Suggestion{Text: event.Mention + a.Name, Label: event.Mention + name, What: ink.SanitizeLine(a.Description)}
		i := strings.Index(strings.ToLower(name), query)
		for n := range len(query) {
			s.At = append(s.At, len(event.Mention)+i+n)
		}
		switch {
		case i == 0:
			prefixed = append(prefixed, s)
		case i > 0:
			containing = append(containing, s)
		}
	}
	p.offer(append(prefixed, containing...))
}

// withMentions adds "@agent:" and "@SERVER:" to the suggested files, if they can be what the
// user types. They are the last visible rows, and at most half of them, so that they take
// the place of no better match.
func (p *Suggestions) withMentions(files []list.Suggestion, query string) []list.Suggestion {
	var rows []list.Suggestion
	add := func(kind, what string) {
		if !strings.HasPrefix(kind, query) {
			return
		}
		row := list.Suggestion{Text: "@" + kind, Label: kind, What: what, Continues: true}
		for i := range len(query) {
			row.At = append(row.At, i)
		}
		rows = append(rows, row)
	}
	if len(p.agents()) > 0 {
		add(strings.TrimPrefix(event.Mention, "@"), "delegate to an agent")
	}
	for _, server := range p.withResources() {
		add(server+":", "resources of an MCP server")
	}
	visible := list.PopupRows(p.Height)
	return slices.Insert(files, min(len(files), max(visible-len(rows), visible/2)), rows...)
}
