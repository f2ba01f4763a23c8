package slash

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

func themeCommand(s *Session, name string) (tea.Cmd, error) {
	if name != "" {
		if !slices.Contains(ink.ThemeNames(), name) {
			return nil, errors.New("there is no theme " + ink.SanitizeLine(name) + ": use " + strings.Join(ink.ThemeNames(), ", "))
		}
		return chooseTheme(s, name), nil
	}
	was := ink.ThemeNamed(s.Look.Theme).Name
	l := &list.Choice[ink.Theme]{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles}, Head: "choose a theme", None: "no theme fits",
		Hint: "up and down try it · enter keeps it · esc goes back", All: ink.Themes(), Detail: func(t ink.Theme, width, height int) []string { return drawSample(s.Window, t, width, height) },
		Text: func(t ink.Theme) string { return t.Name + " " + t.What },
		Columns: func(t ink.Theme) (name, what, side string) {
			if t.Name == was {
				side = "in use"
			}
			return fmt.Sprintf("%-13s", t.Name), t.What, side
		},
		Marked: func(t ink.Theme) { tryTheme(s, t.Name) },
		Cancel: func() { tryTheme(s, was) },
		Chose:  func(t ink.Theme) tea.Cmd { return chooseTheme(s, t.Name) }}
	l.Fill(slices.Index(ink.ThemeNames(), was))
	return s.lists.Show(l), nil
}

// tryTheme draws with a theme, for now.
func tryTheme(s *Session, name string) {
	l := s.Look
	l.Theme = name
	s.Front.Restyle(l)
}

// chooseTheme draws with a theme from now on.
func chooseTheme(s *Session, name string) tea.Cmd {
	tryTheme(s, name)
	if s.Styles.NoColor {
		s.Say("colours are off here, so all themes look alike (NO_COLOR, or a terminal without them)")
	}
	save := s.Options.Appearance.SaveTheme
	if save == nil {
		return nil
	}
	return func() tea.Msg { return themeSaved{name, save(name)} }
}

// themeSaved brings what became of keeping a theme.
type themeSaved struct {
	name string
	err  error
}

func (s *Session) themeSaved(r themeSaved) {
	if r.err != nil {
		s.Transcript.Add(&transcript.Problem{Text: "the theme is used, but could not be kept: " + r.err.Error()})
		s.Transcript.ShowEnd()
		return
	}
	s.Say("theme " + r.name + ", from now on")
}

// drawSample draws a little of everything with the marked theme, which is tried.
func drawSample(w *screen.Window, _ ink.Theme, width, _ int) []string {
	c := transcript.Canvas{Styles: w.Styles, Width: width}
	edit := &transcript.Tool{Title: "edit server.go", Effect: "write", Stage: transcript.Finished, Outcome: event.OK, Diffs: []event.Diff{{
		Path: "server.go", Added: 1, Removed: 1,
		Unified: "@@ -7,3 +7,3 @@\n // serve listens\n-\tsrv := newServer(mux, 10)\n+\tsrv := newServer(mux, timeout)\n",
	}}}
	fails := &transcript.Tool{Title: "shell go test", Effect: "execute", Stage: transcript.Finished, Outcome: event.Failed, Summary: "exit code 1"}
	lines := append((&transcript.Prompt{Text: "use the timeout"}).Draw(c), edit.Draw(c)...)
	lines = append(lines, fails.Draw(c)...)
	return append(lines, ink.Hang(w.Styles.Yellow.Render(ink.MarkAsked), []string{"shell rm -r build"})...)
}
