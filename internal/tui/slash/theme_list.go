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

// themeCommand sets the theme called name. Without a name it opens the list, which
// previews the marked theme.
func themeCommand(s *Session, name string) (tea.Cmd, error) {
	if name != "" {
		if !slices.Contains(ink.ThemeNames(), name) {
			return nil, errors.New("unknown theme " + ink.SanitizeLine(name) + ": use " + strings.Join(ink.ThemeNames(), ", "))
		}
		return chooseTheme(s, name), nil
	}
	current := ink.ThemeNamed(s.Look.Theme).Name
	l := &list.Choice[ink.Theme]{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles}, Head: "Select a theme", None: "No matching theme.",
		Hint: "up and down preview · enter select · esc cancel", All: ink.Themes(), Detail: func(t ink.Theme, width, height int) []string { return drawSample(s.Window, t, width, height) },
		Text: func(t ink.Theme) string { return t.Name + " " + t.What },
		Columns: func(t ink.Theme) (name, what, side string) {
			if t.Name == current {
				side = "current"
			}
			return fmt.Sprintf("%-13s", t.Name), t.What, side
		},
		Marked: func(t ink.Theme) { previewTheme(s, t.Name) },
		Cancel: func() { previewTheme(s, current) },
		Chose:  func(t ink.Theme) tea.Cmd { return chooseTheme(s, t.Name) }}
	l.Fill(slices.Index(ink.ThemeNames(), current))
	return s.Front.Lists.Show(l), nil
}

// previewTheme applies a theme without saving it.
func previewTheme(s *Session, name string) {
	l := s.Look
	l.Theme = name
	s.Front.Restyle(l)
}

// chooseTheme applies and saves a theme.
func chooseTheme(s *Session, name string) tea.Cmd {
	previewTheme(s, name)
	if s.Styles.NoColor {
		s.Say("Colors are off (NO_COLOR, or a terminal without colors), so all themes look the same.")
	}
	save := s.Options.Appearance.SaveTheme
	if save == nil {
		return nil
	}
	return func() tea.Msg { return themeSaved{name, save(name)} }
}

// themeSaved is the result of saving a theme.
type themeSaved struct {
	name string
	err  error
}

func (s *Session) themeSaved(r themeSaved) {
	if r.err != nil {
		s.Show(&transcript.Problem{Text: "cannot save the theme, it applies to this session only: " + r.err.Error()})
		return
	}
	s.Say("Theme set to " + r.name + ".")
}

// drawSample draws the sample of the theme that is previewed.
func drawSample(w *screen.Window, _ ink.Theme, width, _ int) []string {
	c := transcript.Canvas{Styles: w.Styles, Width: width}
	edit := &transcript.Tool{Title: "edit server.go", Effect: "write", Stage: transcript.Finished, Outcome: event.OK, Diffs: []event.Diff{{
		Path: "server.go", Added: 1, Removed: 1,
		Unified: "@@ -7,3 +7,3 @@\n // serve listens\n-\tsrv := newServer(mux, 10)\n+\tsrv := newServer(mux, timeout)\n",
	}}}
	fails := &transcript.Tool{Title: "shell go test", Effect: event.ExecuteEffect, Stage: transcript.Finished, Outcome: event.Failed, Summary: "exit code 1"}
	lines := append((&transcript.Prompt{Text: "use the timeout"}).Draw(c), edit.Draw(c)...)
	lines = append(lines, fails.Draw(c)...)
	return append(lines, ink.Hang(w.Styles.Yellow.Render(ink.MarkAsked), []string{"shell rm -r build"})...)
}
