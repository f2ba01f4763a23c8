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
	"agent/internal/tui/transcript"
)

// look is how the screen begins: on a dark background, as most are, until the
// terminal says what it is.
func (o *Options) look() ink.Look {
	return ink.Look{Theme: o.Theme, Dark: true, NoColor: o.NoColor, Can: o.Colours, ASCII: o.ASCII, Diffs: o.Diffs}
}

// looked takes what the terminal tells of itself, whenever it does. Its
// background may have changed while it was out of sight, so it is asked again.
func (m *model) looked(msg tea.Msg) tea.Cmd {
	l := m.look
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
	if l == m.look {
		return
	}
	m.look = l
	m.st = l.Styles()
	m.list.Restyle(m.st)
	m.editor.Restyle(m.st)
	m.dialog.Restyle(m.st)
	if m.over != nil {
		m.over.Restyle(m.st)
	}
}

// themeList is the list of themes. The marked one is seen at once.
type themeList struct {
	list.Chooser
	all, found []ink.Theme
	now        string // the theme that was in use
	try        func(name string)
	chose      func(name string) tea.Cmd
}

func themeCommand(m *model, name string) (tea.Cmd, error) {
	if name != "" {
		if !slices.Contains(ink.ThemeNames(), name) {
			return nil, errors.New("there is no theme " + ink.SanitizeLine(name) + ": use " + strings.Join(ink.ThemeNames(), ", "))
		}
		return m.chooseTheme(name), nil
	}
	was := ink.ThemeNamed(m.look.Theme).Name
	l := &themeList{Chooser: list.Chooser{Keys: m.keys, St: m.st}, all: ink.Themes(), now: was, try: m.tryTheme, chose: m.chooseTheme}
	l.refine()
	l.At = slices.Index(ink.ThemeNames(), was)
	return m.show(l), nil
}

// tryTheme draws with a theme, for now.
func (m *model) tryTheme(name string) {
	l := m.look
	l.Theme = name
	m.restyle(l)
}

// chooseTheme draws with a theme from now on.
func (m *model) chooseTheme(name string) tea.Cmd {
	m.tryTheme(name)
	if m.st.NoColor {
		m.say("colours are off here, so all themes look alike (NO_COLOR, or a terminal without them)")
	}
	save := m.o.SaveTheme
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
		m.list.Add(&transcript.Problem{Text: "the theme is used, but could not be kept: " + s.err.Error()})
		m.list.ShowEnd()
		return
	}
	m.say("theme " + s.name + ", from now on")
}

// Update implements overlay.
func (l *themeList) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch l.Chooser.Update(msg) {
	case list.Narrowed:
		l.refine()
	case list.Chosen:
		return l.chose(l.found[l.At].Name), true
	case list.Closed:
		l.try(l.now)
		return nil, true
	}
	l.Clamp()
	if l.At < len(l.found) {
		l.try(l.found[l.At].Name)
	}
	return nil, false
}

func (l *themeList) refine() {
	l.found = list.Matching(&l.Chooser, l.all, func(t ink.Theme) string { return t.Name + " " + t.What })
}

// Lines implements overlay.
func (l *themeList) Lines() ([]string, *tea.Cursor) {
	return l.Draw(list.Page{Head: "choose a theme", Row: l.Row, None: "no theme fits", Marked: l.sample,
		Hint: "up and down try it · enter keeps it · esc goes back"})
}

func (l *themeList) Row(i int) string {
	facts := ""
	if l.found[i].Name == l.now {
		facts = "in use"
	}
	return l.Entry(i, fmt.Sprintf("%-13s", l.found[i].Name), l.found[i].What, facts)
}

// sample is a little of everything, drawn with the marked theme.
func (l *themeList) sample(height int) []string {
	c := transcript.Canvas{Styles: l.St, Width: max(l.Width, 1)}
	edit := &transcript.Tool{Title: "edit server.go", Effect: "write", Stage: transcript.Finished, Outcome: event.OK, Diffs: []event.Diff{{
		Path: "server.go", Added: 1, Removed: 1,
		Unified: "@@ -7,3 +7,3 @@\n // serve listens\n-\tsrv := newServer(mux, 10)\n+\tsrv := newServer(mux, timeout)\n",
	}}}
	fails := &transcript.Tool{Title: "shell go test", Effect: "execute", Stage: transcript.Finished, Outcome: event.Failed, Summary: "exit code 1"}
	lines := append((&transcript.Prompt{Text: "use the timeout"}).Draw(c), edit.Draw(c)...)
	lines = append(lines, fails.Draw(c)...)
	lines = append(lines, ink.Hang(l.St.Yellow.Render(ink.MarkAsked), []string{"shell rm -r build"})...)
	return lines[:min(len(lines), height)]
}
