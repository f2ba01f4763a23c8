package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/terminal"
)

// palette opens the list of all that can be done: typed commands, and what keys
// do, those used last first.
func (m *model) palette() tea.Cmd {
	u := &list.Menu{Chooser: list.Chooser{Keys: m.keys, St: m.st, Under: list.DetailRows}, Head: "do something", None: "nothing here is called that",
		Hint: "type to search · enter does it · esc closes", Chose: m.carryOut, Detail: m.explain}
	u.Fill(m.doable())
	return m.show(u)
}

// doable are the options of the palette.
func (m *model) doable() []list.Option {
	var all []list.Option
	for _, s := range m.table.commands() {
		o := list.Option{ID: "/" + s.name, Name: "/" + ink.SanitizeLine(s.name), What: ink.SanitizeLine(s.what), Right: m.keys.Name(s.key)}
		all = append(all, o)
	}
	for _, b := range m.keys.Listed() {
		if b.Where == keys.Anywhere || b.Where == keys.InEditor || b.Where == keys.WhileRuns && m.feed.Running {
			all = append(all, list.Option{ID: string(b.Action), Name: string(b.Action), What: b.What, Right: b.Keys[0]})
		}
	}
	all = slices.DeleteFunc(all, func(o list.Option) bool { return o.ID == string(keys.Palette) })
	slices.SortStableFunc(all, func(a, b list.Option) int { return m.table.recent.Rank(a.ID) - m.table.recent.Rank(b.ID) })
	return all
}

// saveRecent saves the actions used last at the end of the screen. It waits no
// longer than terminal.Grace.
func (t *commandTable) saveRecent() {
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		t.recent.Save()
	}()
	select {
	case <-saved:
	case <-time.After(terminal.Grace):
	}
}

// carryOut does what was chosen. A command that means nothing without an
// argument goes into the editor, to be completed; a draft that stood there can
// be walked back to.
func (m *model) carryOut(o list.Option) tea.Cmd {
	m.over = nil
	name, typed := strings.CutPrefix(o.ID, "/")
	if !typed {
		return tea.Batch(m.table.recent.Use(o.ID), m.press(keys.Action(o.ID).Press()))
	}
	i := slices.IndexFunc(m.table.commands(), func(s slash) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	if m.table.commands()[i].needs() {
		m.stash()
		m.editor.Set("/" + name + " ")
		return m.table.recent.Use(o.ID)
	}
	return m.slash(name, "", "")
}

// stash takes the draft out of the editor, so that it can be walked back to.
func (m *model) stash() {
	if !m.editor.Empty() {
		m.feed.Recall = append(m.feed.Recall, m.editor.Take().Text)
	}
}

// explain tells how a thing is done otherwise.
func (m *model) explain(o list.Option, width int) []string {
	text := o.What
	if name, typed := strings.CutPrefix(o.ID, "/"); typed {
		for _, s := range m.table.commands() {
			if s.name == name {
				text += "\n" + ink.SanitizeLine(s.usage())
			}
		}
	} else if keys := m.keys.Keys(keys.Action(o.ID)); len(keys) > 0 {
		text += "\n" + strings.Join(keys, ", ") + " · called " + o.ID + " in the configuration"
	}
	return ink.Hang(" ", ink.RenderLines(m.st.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// keysCommand lists every key, to be searched.
func keysCommand(m *model, arg string) (tea.Cmd, error) {
	u := &list.Menu{Chooser: list.Chooser{Keys: m.keys, St: m.st, Under: list.DetailRows}, Head: "keys", None: "no key does that",
		Hint: "type to search · esc closes", Detail: m.explain, Chose: func(list.Option) tea.Cmd { return nil }}
	u.Filter = arg
	var all []list.Option
	for _, b := range m.keys.Listed() {
		id := string(b.Action)
		if b.Action == keys.Fixed {
			id = b.Pressed()
		}
		all = append(all, list.Option{ID: id, Name: b.Pressed(), What: b.What, Right: string(b.Where)})
	}
	u.Fill(all)
	return m.show(u), nil
}
