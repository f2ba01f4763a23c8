package prompt

import (
	"strings"
	"unicode"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// resourcesLimit is the maximum number of suggested resources.
const resourcesLimit = 50

// withResources returns the names of the MCP servers that have resources.
func (p *Suggestions) withResources() []string {
	if p.Options.MCP.WithResources == nil {
		return nil
	}
	return p.Options.MCP.WithResources()
}

// suggestResources shows the resources of an MCP server that match the URI being typed.
func (p *Suggestions) suggestResources(w word) {
	p.close()
	p.word = w
	server, query, _ := strings.Cut(w.query, ":")
	var rows []list.Suggestion
	for _, r := range p.Options.MCP.FindResources(server, query, resourcesLimit) {
		s := list.Suggestion{Text: "@" + server + ":" + r.URI, Label: ink.SanitizeLine(r.URI), Continues: r.Template}
		switch blank := strings.ContainsFunc(r.URI, unicode.IsSpace); {
		case strings.Contains(r.URI, `"`) && blank:
			continue // it cannot be written as a mention
		case blank:
			s.Text = `@"` + server + ":" + r.URI + `"`
		}
		s.What = ink.SanitizeLine(strings.TrimPrefix(r.Name+": "+r.Description, ": "))
		s.What = strings.TrimSuffix(s.What, ": ")
		if r.Template {
			s.What = strings.TrimSuffix("replace the {variables} · "+s.What, " · ")
		}
		if i := strings.Index(strings.ToLower(s.Label), strings.ToLower(query)); i >= 0 && s.Label == r.URI {
			for n := range len(query) {
				s.At = append(s.At, i+n)
			}
		}
		rows = append(rows, s)
	}
	p.offer(rows)
}
