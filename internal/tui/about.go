package tui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// about is an item that tells how things stand.
type about struct{ rows [][2]string }

func (a *about) class() class { return said }

func (a *about) draw(c canvas) []string {
	var out []string
	for _, l := range columns(c.st, a.rows, max(c.inner()-ink.Gutter, 1)) {
		out = append(out, strings.TrimPrefix(l, "  "))
	}
	return ink.Hang(" ", out)
}

// slashStatus tells how things stand: all that the last line has no room for.
func (m *model) slashStatus(string) tea.Cmd {
	f := m.feed
	s := status{model: f.model, used: f.used, context: f.context, cost: f.cost, mode: f.mode, jobs: alive(f.jobs)}
	a := &about{}
	add := func(name, text string) {
		if text != "" {
			a.rows = append(a.rows, [2]string{name, ink.SanitizeLine(text)})
		}
	}
	add("model", m.answering())
	add("effort", cmp.Or(f.effort, m.defaultEffort()))
	add("base URL", f.baseURL)
	add("window", s.tokens().text)
	add("cost", s.spent())
	add("mode", modeWords(f.mode))
	add("directory", m.o.Dir)
	add("branch", m.o.Branch)
	add("session", strings.TrimSpace(m.o.SessionID+" "+f.title))
	add("log", m.o.SessionPath)
	if m.o.SessionID == "" {
		add("session", "kept nowhere")
	}
	add("jobs", s.running())
	add("version", m.o.Version)
	m.described = m.list.add(a)
	m.order(event.ListPermissions{})
	return nil
}

// defaultEffort is what /status says of a model whose effort is not set; empty
// where no language model answers.
func (m *model) defaultEffort() string {
	if s := (status{model: m.feed.model}); s.model == "" || s.offline() != "" {
		return ""
	}
	return "the model's default"
}

// permissionsCame adds the standing permissions to what /status shows.
func (m *model) permissionsCame(allowed []string) {
	if m.described == nil {
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
		m.list.add(&about{rows})
	} else {
		a := m.described.item.(*about)
		a.rows = append(a.rows, rows...)
		m.described.touch()
	}
	m.described = nil
}
