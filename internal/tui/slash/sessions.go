package slash

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// interruptFirst is the notice for a command that cannot run during a turn.
const interruptFirst = "A turn is running: interrupt it first."

func renameCommand(s *Session, title string) (tea.Cmd, error) {
	if title == "" {
		return nil, errors.New("usage: /rename TITLE")
	}
	s.agent.SendCommand(event.Rename{Title: title})
	return nil, nil
}

func newCommand(s *Session, _ string) (tea.Cmd, error) {
	return s.ExitTo(screen.Exit{New: true}), nil
}

func resumeCommand(s *Session, _ string) (tea.Cmd, error) { return pickSession(s, false), nil }

func sessionsCommand(s *Session, _ string) (tea.Cmd, error) { return pickSession(s, true), nil }

// pickSession opens the session picker, as a tree of forks if tree is set.
func pickSession(s *Session, tree bool) tea.Cmd {
	if s.Options.Session.List == nil {
		s.Say("There are no other sessions.")
		return nil
	}
	if s.feed.Running {
		s.Say(interruptFirst)
		return nil
	}
	p := list.NewPicker(PickerSource(&s.Options, s.Styles, s.Now), s.Keys, s.Styles, s.Now, func(row list.Session) tea.Cmd {
		if row.Current || row.ID == s.Options.Session.ID {
			return nil
		}
		return s.ExitTo(screen.Exit{Open: row.ID})
	})
	p.Tree, p.After = tree, s.After
	return tea.Batch(s.Front.Lists.Show(p), p.Read(""))
}

// ExitTo closes the front end to continue with next, unless a turn runs.
func (s *Session) ExitTo(next screen.Exit) tea.Cmd {
	if s.feed.Running {
		s.Say(interruptFirst)
		return nil
	}
	return s.Front.Quit(next)
}

// exported is the result of an export.
type exported struct {
	path string
	err  error
}

func exportCommand(s *Session, format string) (tea.Cmd, error) {
	if format == "" {
		format = "md"
	}
	switch {
	case s.Options.Session.Export == nil:
		s.Say("There is no session to export.")
		return nil, nil
	case !slices.Contains([]string{"md", "html", "json"}, format):
		return nil, errors.New("usage: /export [md|html|json]")
	}
	export := s.Options.Session.Export
	return func() tea.Msg {
		path, err := export(format)
		return exported{path, err}
	}, nil
}

// showExported shows the result of an export.
func (s *Session) showExported(e exported) {
	if e.err != nil {
		s.Show(&transcript.Problem{Text: e.err.Error()})
		return
	}
	s.Say("Exported to " + e.path)
}
