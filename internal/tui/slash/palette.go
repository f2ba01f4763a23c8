package slash

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/terminal"
)

// ShowPalette opens the command palette: the slash commands and the actions of keys,
// the most recently used first.
func (s *Session) ShowPalette() tea.Cmd {
	u := &list.Menu{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles, Under: list.DetailRows}, Head: "Command palette", None: "No matching command.",
		Hint: "type to search · enter run · esc close", Chose: s.runOption, Detail: s.explain}
	u.Fill(s.paletteOptions())
	return s.lists.Show(u)
}

// paletteOptions returns the options of the command palette.
func (s *Session) paletteOptions() []list.Option {
	var all []list.Option
	for _, c := range s.Commands() {
		o := list.Option{ID: "/" + c.Name, Name: cmp.Or(c.Title, "/"+ink.SanitizeLine(c.Name)), What: ink.SanitizeLine(c.What), Right: s.Keys.Name(c.key)}
		all = append(all, o)
	}
	for _, b := range s.Keys.Listed() {
		if hasCommand(b.Action) {
			continue
		}
		if b.Where == keys.Anywhere || b.Where == keys.InEditor || b.Where == keys.WhileRuns && s.Feed.Running {
			all = append(all, list.Option{ID: string(b.Action), Name: actionTitle(b.Action), What: b.What, Right: b.Keys[0]})
		}
	}
	all = slices.DeleteFunc(all, func(o list.Option) bool { return o.ID == string(keys.Palette) })
	slices.SortStableFunc(all, func(a, b list.Option) int { return s.recent.Rank(a.ID) - s.recent.Rank(b.ID) })
	return all
}

// SaveRecent saves the actions used last at the end of the screen. It waits no
// longer than terminal.Grace.
func (s *Session) SaveRecent() {
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		s.recent.Save()
	}()
	select {
	case <-saved:
	case <-time.After(terminal.Grace):
	}
}

// runOption runs the selected option. A command with a required argument goes into
// the editor to be completed; the draft there goes into the prompt history.
func (s *Session) runOption(o list.Option) tea.Cmd {
	s.lists.Close()
	name, typed := strings.CutPrefix(o.ID, "/")
	if !typed {
		return tea.Batch(s.recent.Use(o.ID), s.Front.Screen.Press(keys.Action(o.ID).Press()))
	}
	i := slices.IndexFunc(s.Commands(), func(c Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	if s.Commands()[i].needsArgument() {
		s.saveDraft()
		s.editor.Set("/" + name + " ")
		return s.recent.Use(o.ID)
	}
	return s.Run(name, "", "")
}

// saveDraft moves the draft from the editor into the prompt history.
func (s *Session) saveDraft() {
	if !s.editor.Empty() {
		s.Feed.Recall = append(s.Feed.Recall, s.editor.Take().Text)
	}
}

// explain describes an option with its other ways to run it: the slash command, or
// the keys and the name in the configuration.
func (s *Session) explain(o list.Option, width int) []string {
	text := o.What
	if name, typed := strings.CutPrefix(o.ID, "/"); typed {
		for _, c := range s.Commands() {
			if c.Name == name {
				text += "\n" + ink.SanitizeLine(c.Usage())
			}
		}
	} else if keys := s.Keys.Keys(keys.Action(o.ID)); len(keys) > 0 {
		text += "\n" + strings.Join(keys, ", ") + " · named " + o.ID + " in the configuration"
	}
	return ink.Hang(" ", ink.RenderLines(s.Styles.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// keysCommand opens the searchable list of key bindings.
func keysCommand(s *Session, arg string) (tea.Cmd, error) {
	u := &list.Menu{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles, Under: list.DetailRows}, Head: "Key bindings", None: "No matching key binding.",
		Hint: "type to search · esc close", Detail: s.explain, Chose: func(list.Option) tea.Cmd { return nil }}
	u.Filter = arg
	var all []list.Option
	for _, b := range s.Keys.Listed() {
		id := string(b.Action)
		if b.Action == keys.Fixed {
			id = b.Pressed()
		}
		all = append(all, list.Option{ID: id, Name: b.Pressed(), What: b.What, Right: string(b.Where)})
	}
	u.Fill(all)
	return s.lists.Show(u), nil
}
