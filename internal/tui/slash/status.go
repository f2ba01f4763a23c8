package slash

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// Facts is an item of named facts, one per row.
type Facts struct{ Rows [][2]string }

func (a *Facts) Draw(c transcript.Canvas) []string {
	var out []string
	for _, l := range ink.Columns(c.Styles, a.Rows, max(c.Inner()-ink.Gutter, 1)) {
		out = append(out, strings.TrimPrefix(l, "  "))
	}
	return ink.Hang(" ", out)
}

// statusCommand tells how things stand: all that the last line has no room for.
func statusCommand(s *Session, _ string) (tea.Cmd, error) {
	f := s.Feed
	st := screen.Status{Model: f.Model, Used: f.Used, Context: f.Context, Cost: f.Cost, Mode: f.Mode, Jobs: transcript.Running(f.Jobs)}
	a := &Facts{}
	add := func(name, text string) {
		if text != "" {
			a.Rows = append(a.Rows, [2]string{name, ink.SanitizeLine(text)})
		}
	}
	add("model", s.AboutModel())
	add("effort", cmp.Or(f.Effort, defaultEffort(s.Conversation)))
	add("base URL", f.BaseURL)
	add("window", st.Tokens().Text)
	add("cost", st.Spent())
	add("mode", screen.ModeWords(f.Mode))
	add("directory", s.Options.Files.Dir)
	add("branch", s.Options.Files.Branch)
	add("session", strings.TrimSpace(s.Options.Session.ID+" "+f.Title))
	add("log", s.Options.Session.Path)
	if s.Options.Session.ID == "" {
		add("session", "kept nowhere")
	}
	add("jobs", st.Running())
	add("version", s.Options.Version)
	s.Described = s.Transcript.Add(a)
	s.SendCommand(event.ListPermissions{})
	return nil, nil
}

// defaultEffort is what /status says of a model whose effort is not set; empty
// where no language model answers.
func defaultEffort(m *screen.Conversation) string {
	if s := (screen.Status{Model: m.Feed.Model}); s.Model == "" || s.Offline() != "" {
		return ""
	}
	return "the model's default"
}

// permissionsCame adds the standing permissions to what /status shows.
func (s *Session) permissionsCame(allowed []string) {
	if s.Described == nil {
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
	if s.Front.Screen == nil { // what was printed stays
		s.Transcript.Add(&Facts{rows})
	} else {
		a := s.Described.Item.(*Facts)
		a.Rows = append(a.Rows, rows...)
		s.Described.Touch()
	}
	s.Described = nil
}
