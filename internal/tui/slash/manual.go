package slash

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// helpCommand shows the help; with the name of a topic that topic, with other words a list of
// the passages that have them.
func helpCommand(s *Session, words string) (tea.Cmd, error) {
	m := s.Options.Manual
	topic := strings.ToLower(words)
	switch {
	case words == "":
		s.Front.Help()
		return nil, nil
	case m.Has(topic):
		return s.openManual(screen.Passage{Topic: topic}, nil), nil
	}
	found := m.Search(words)
	if len(found) == 0 {
		text := "No help topic mentions “" + ink.SanitizeLine(words) + "”."
		if near := phrase.Nearest(topic, m.Names()); near != "" {
			text += " Did you mean /help " + near + "?"
		}
		s.Say(text)
		return nil, nil
	}
	return s.listPassages(words, found), nil
}

// listPassages opens the list of the passages with words.
func (s *Session) listPassages(words string, found []screen.Passage) tea.Cmd {
	u := &list.Menu{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles, Under: list.DetailRows}, None: "No matching line.",
		Head: phrase.Count(len(found), "line") + " about “" + ink.SanitizeLine(words) + "”",
		Hint: "type to search · enter open · esc close"}
	var all []list.Option
	for i, p := range found {
		all = append(all, list.Option{ID: strconv.Itoa(i), Name: p.Topic + " › " + p.Heading, What: p.Text})
	}
	u.Detail = func(o list.Option, width int) []string {
		return ink.Hang(" ", ink.RenderLines(s.Styles.Dim, ink.Wrap(o.What, max(width-ink.Gutter, 1))))
	}
	u.Chose = func(o list.Option) tea.Cmd {
		s.Front.Lists.Close()
		i, _ := strconv.Atoi(o.ID)
		return s.openManual(found[i], func() tea.Cmd { return s.Front.Lists.Show(u) })
	}
	u.Fill(all)
	return s.Front.Lists.Show(u)
}

// openManual opens the manual at a passage; plain mode prints its section. leave is called after
// Esc closes the manual; it may be nil.
func (s *Session) openManual(at screen.Passage, leave func() tea.Cmd) tea.Cmd {
	if s.Front.Screen == nil {
		s.Show(&transcript.Report{Text: s.Options.Manual.Section(at)})
		return nil
	}
	return s.Front.Screen.Manual(at, leave)
}

// topicNames returns the completions of /help.
func topicNames(s *Session) []string { return s.Options.Manual.Names() }
