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

// delegate starts the agents that the prompt mentions at its beginning. It reports false
// for any other prompt. If one cannot be started, it says why, and the prompt stays.
func (p *Prompt) delegate() bool {
	names, task := parseMentions(p.editor.Text())
	if len(names) == 0 {
		return false
	}
	for _, name := range names {
		if problem := p.CheckAgent(name, task); problem != "" {
			p.Say(problem)
			return true
		}
	}
	if len(p.editor.Draft().Images) > 0 {
		p.Say("An agent cannot be sent images. Remove the image, or name its file in the text.")
		return true
	}
	p.Feed.Recall = append(p.Feed.Recall, p.editor.Take().Text)
	p.Transcript.ShowEnd()
	for _, name := range names {
		p.Send(event.StartDelegate{Agent: name, Prompt: task})
	}
	return true
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

// withMention adds "@agent:" to the suggested files if it can be what the user types. It
// is the last visible row, so that it takes the place of no better match.
func (p *Suggestions) withMention(files []list.Suggestion, query string) []list.Suggestion {
	kind := strings.TrimPrefix(event.Mention, "@")
	if !strings.HasPrefix(kind, query) || len(p.agents()) == 0 {
		return files
	}
	row := list.Suggestion{Text: event.Mention, Label: kind, What: "delegate to an agent", Continues: true}
	for i := range len(query) {
		row.At = append(row.At, i)
	}
	return slices.Insert(files, min(len(files), list.PopupRows(p.Height)-1), row)
}
