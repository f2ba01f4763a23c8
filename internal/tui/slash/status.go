package slash

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Properties is an item with a table of names and values.
type Properties struct{ Rows [][2]string }

func (f *Properties) Draw(c transcript.Canvas) []string {
	var out []string
	for _, l := range ink.Columns(c.Styles, f.Rows, max(c.Inner()-ink.Gutter, 1)) {
		out = append(out, strings.TrimPrefix(l, "  "))
	}
	return ink.Hang(" ", out)
}

// undoSizes are the sizes of the old contents of files, in bytes.
type undoSizes struct {
	own, all int64
	err      error
}

// statusCommand shows the state of the session in full.
func statusCommand(s *Session, _ string) (tea.Cmd, error) {
	read := s.Options.Session.UndoSizes
	if read == nil {
		s.showStatus(undoSizes{})
		return nil, nil
	}
	return func() tea.Msg {
		own, all, err := read()
		return undoSizes{own, all, err}
	}, nil
}

// showStatus adds the answer of /status to the transcript. The permissions follow.
func (s *Session) showStatus(undo undoSizes) {
	f := s.feed
	st := screen.Status{Model: f.State.Model, Used: f.State.Used, Context: f.State.Context, Cost: f.State.Cost, Mode: f.State.Mode, Jobs: transcript.Running(f.State.Jobs)}
	a := &Properties{}
	add := func(name, text string) {
		if text != "" {
			a.Rows = append(a.Rows, [2]string{name, ink.SanitizeLine(text)})
		}
	}
	add("model", cmp.Or(screen.ModelDetails(&s.feed.State), "none connected"))
	add("effort", cmp.Or(f.State.Effort, defaultEffort(s.feed.State.Model)))
	add("base URL", f.State.BaseURL)
	add("context window", strings.TrimPrefix(st.Tokens().Text, "context "))
	add("last turn", turnTokens(s.spending.Turn))
	add("cost", st.Spent())
	add("mode", event.Mode(f.State.Mode).Name())
	add("directory", s.Options.Files.Dir)
	add("branch", s.Options.Files.Branch)
	add("session", strings.TrimSpace(s.Options.Session.ID+" "+f.State.Title))
	add("log", s.Options.Session.Path)
	if s.Options.Session.ID == "" {
		add("session", "not saved")
	}
	add("undo", undo.text())
	add("jobs", st.Running())
	add("version", s.Options.Version)
	row := s.Show(a)
	s.agent.SendCommand(event.ListPermissions{Ref: screen.Await(&s.agent.Answers, func(now event.PermissionsNow) { s.addPermissions(row, now.Permissions) })})
}

// text describes the sizes; empty if nothing is stored.
func (u undoSizes) text() string {
	switch {
	case u.err != nil:
		return u.err.Error()
	case u.all == 0:
		return ""
	}
	return phrase.Bytes(u.own) + " of old file contents, " + phrase.Bytes(u.all) + " in all sessions"
}

// turnTokens returns the tokens of a turn, empty if it used none.
func turnTokens(turn []screen.Spent) string {
	n := 0
	for _, s := range turn {
		n += s.Usage.Total()
	}
	if n == 0 {
		return ""
	}
	return phrase.Thousands(n) + " tokens"
}

// defaultEffort describes the effort of a model without an explicit one; empty if no
// language model is connected.
func defaultEffort(model string) string {
	if s := (screen.Status{Model: model}); s.Model == "" || s.Offline() != "" {
		return ""
	}
	return "the model's default"
}

// sandboxNow describes the sandbox of the model's commands, and what the user can do if
// it is incomplete.
func sandboxNow(s event.SandboxNow) string {
	switch {
	case s.Why != "":
		return ink.SanitizeLine(s.Why)
	case s.Form == event.SandboxOff:
		return "off"
	}
	return "on"
}

// addPermissions adds the sandbox and the number of permissions to the table of /status.
func (s *Session) addPermissions(status *transcript.Row, all []event.Permission) {
	granted := 0
	for _, p := range all {
		if p.Granted {
			granted++
		}
	}
	count := phrase.Count(len(all)-granted, "rule") + ", " + phrase.Count(granted, "standing permission") + " (/permissions)"
	rows := [][2]string{{"sandbox", sandboxNow(s.feed.Sandbox)}, {"permissions", count}}
	if s.Front.Screen == nil { // printed lines cannot change
		s.Show(&Properties{rows})
	} else {
		a := status.Item.(*Properties)
		a.Rows = append(a.Rows, rows...)
		status.Touch()
	}
}
