package tui

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

// looked takes what the terminal tells of itself, whenever it does. Its
// background may have changed while it was out of sight, so it is asked again.
func (m *model) looked(msg tea.Msg) tea.Cmd {
	l := m.Look
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.Can = msg.Profile
	case themeSaved:
		m.themeSaved(msg)
		return nil
	default:
		return tea.RequestBackgroundColor
	}
	m.restyle(l)
	return nil
}

// restyle draws everything as l says.
func (m *model) restyle(l ink.Look) {
	if l == m.Look {
		return
	}
	m.Look = l
	m.Styles = l.Styles()
	m.Transcript.Restyle(m.Styles)
	m.editor.Restyle(m.Styles)
	m.dialog.Restyle(m.Styles)
	if m.lists.over != nil {
		m.lists.over.Restyle(m.Styles)
	}
}

func themeCommand(m *model, name string) (tea.Cmd, error) {
	if name != "" {
		if !slices.Contains(ink.ThemeNames(), name) {
			return nil, errors.New("there is no theme " + ink.SanitizeLine(name) + ": use " + strings.Join(ink.ThemeNames(), ", "))
		}
		return m.chooseTheme(name), nil
	}
	was := ink.ThemeNamed(m.Look.Theme).Name
	l := &list.Choice[ink.Theme]{Chooser: list.Chooser{Keys: m.Keys, St: m.Styles}, Head: "choose a theme", None: "no theme fits",
		Hint: "up and down try it · enter keeps it · esc goes back", All: ink.Themes(), Detail: func(t ink.Theme, width, height int) []string { return drawSample(m.Window, t, width, height) },
		Text: func(t ink.Theme) string { return t.Name + " " + t.What },
		Columns: func(t ink.Theme) (name, what, side string) {
			if t.Name == was {
				side = "in use"
			}
			return fmt.Sprintf("%-13s", t.Name), t.What, side
		},
		Marked: func(t ink.Theme) { m.tryTheme(t.Name) },
		Cancel: func() { m.tryTheme(was) },
		Chose:  func(t ink.Theme) tea.Cmd { return m.chooseTheme(t.Name) }}
	l.Fill(slices.Index(ink.ThemeNames(), was))
	return m.lists.show(l), nil
}

// tryTheme draws with a theme, for now.
func (m *model) tryTheme(name string) {
	l := m.Look
	l.Theme = name
	m.restyle(l)
}

// chooseTheme draws with a theme from now on.
func (m *model) chooseTheme(name string) tea.Cmd {
	m.tryTheme(name)
	if m.Styles.NoColor {
		m.Say("colours are off here, so all themes look alike (NO_COLOR, or a terminal without them)")
	}
	save := m.Options.Appearance.SaveTheme
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

func (m *model) themeSaved(s themeSaved) {
	if s.err != nil {
		m.Transcript.Add(&transcript.Problem{Text: "the theme is used, but could not be kept: " + s.err.Error()})
		m.Transcript.ShowEnd()
		return
	}
	m.Say("theme " + s.name + ", from now on")
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
