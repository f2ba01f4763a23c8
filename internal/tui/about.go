package tui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// about is an item that tells how things stand.
type about struct{ rows [][2]string }

func (a *about) Draw(c transcript.Canvas) []string {
	var out []string
	for _, l := range columns(c.Styles, a.rows, max(c.Inner()-ink.Gutter, 1)) {
		out = append(out, strings.TrimPrefix(l, "  "))
	}
	return ink.Hang(" ", out)
}

// statusCommand tells how things stand: all that the last line has no room for.
func statusCommand(m *model, _ string) (tea.Cmd, error) {
	f := m.Feed
	s := status{model: f.Model, used: f.Used, context: f.Context, cost: f.Cost, mode: f.Mode, jobs: transcript.Running(f.Jobs)}
	a := &about{}
	add := func(name, text string) {
		if text != "" {
			a.rows = append(a.rows, [2]string{name, ink.SanitizeLine(text)})
		}
	}
	add("model", m.AboutModel())
	add("effort", cmp.Or(f.Effort, defaultEffort(m.Conversation)))
	add("base URL", f.BaseURL)
	add("window", s.tokens().text)
	add("cost", s.spent())
	add("mode", modeWords(f.Mode))
	add("directory", m.Options.Files.Dir)
	add("branch", m.Options.Files.Branch)
	add("session", strings.TrimSpace(m.Options.Session.ID+" "+f.Title))
	add("log", m.Options.Session.Path)
	if m.Options.Session.ID == "" {
		add("session", "kept nowhere")
	}
	add("jobs", s.running())
	add("version", m.Options.Version)
	m.Described = m.Transcript.Add(a)
	m.SendCommand(event.ListPermissions{})
	return nil, nil
}

// defaultEffort is what /status says of a model whose effort is not set; empty
// where no language model answers.
func defaultEffort(m *screen.Conversation) string {
	if s := (status{model: m.Feed.Model}); s.model == "" || s.offline() != "" {
		return ""
	}
	return "the model's default"
}

// permissionsCame adds the standing permissions to what /status shows.
func (m *model) permissionsCame(allowed []string) {
	if m.Described == nil {
		return
	}
	rows := [][2]string{{"allowed", "nothing beyond the permission mode"}}
	for i, text := range allowed {
		text = "always: " + ink.SanitizeLine(text)
		if i == 0 {
			rows[0][1] = text
			continue
		}
		rows = append(rows, [2]string{"", text})
	}
	if m.lines { // what was printed stays
		m.Transcript.Add(&about{rows})
	} else {
		a := m.Described.Item.(*about)
		a.rows = append(a.rows, rows...)
		m.Described.Touch()
	}
	m.Described = nil
}
