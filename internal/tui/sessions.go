package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// stopFirst is what is said to somebody who wants to leave a turn that runs.
const stopFirst = "a turn runs: stop it first"

func renameCommand(m *model, title string) (tea.Cmd, error) {
	if title == "" {
		return nil, errors.New("use /rename TITLE")
	}
	m.SendCommand(event.Rename{Title: title})
	return nil, nil
}

func compactCommand(m *model, _ string) (tea.Cmd, error) {
	m.SendCommand(event.Compact{})
	return nil, nil
}

func newCommand(m *model, _ string) (tea.Cmd, error) {
	return m.switchTo(Exit{New: true}), nil
}

func resumeCommand(m *model, _ string) (tea.Cmd, error) { return pickSession(m, false), nil }

func sessionsCommand(m *model, _ string) (tea.Cmd, error) { return pickSession(m, true), nil }

// pickSession opens the list of sessions.
func pickSession(m *model, tree bool) tea.Cmd {
	if m.Options.Session.List == nil {
		m.Say("there are no other sessions here")
		return nil
	}
	if m.Feed.Running {
		m.Say(stopFirst)
		return nil
	}
	p := list.NewPicker(pickerSource(&m.Options, m.Styles, m.Now), m.Keys, m.Styles, m.Now, func(s list.Session) tea.Cmd {
		if s.Current || s.ID == m.Options.Session.ID {
			return nil
		}
		return m.switchTo(Exit{Open: s.ID})
	})
	p.Tree, p.After = tree, m.After
	return tea.Batch(m.lists.show(p), p.Read(""))
}

// switchTo ends the screen for another session.
func (m *model) switchTo(next Exit) tea.Cmd {
	if m.Feed.Running {
		m.Say(stopFirst)
		return nil
	}
	m.next = next
	return m.leave()
}

// exported brings what became of an export.
type exported struct {
	path string
	err  error
}

func exportCommand(m *model, format string) (tea.Cmd, error) {
	if format == "" {
		format = "md"
	}
	switch {
	case m.Options.Session.Export == nil:
		m.Say("there is no session to export here")
		return nil, nil
	case !slices.Contains([]string{"md", "html", "json"}, format):
		return nil, errors.New("use /export md, /export html or /export json")
	}
	export := m.Options.Session.Export
	return func() tea.Msg {
		path, err := export(format)
		return exported{path, err}
	}, nil
}

func reportExport(s *screen.Conversation, e exported) {
	if e.err != nil {
		s.Transcript.Add(&transcript.Problem{Text: e.err.Error()})
		s.Transcript.ShowEnd()
		return
	}
	s.Say("exported to " + e.path)
}
