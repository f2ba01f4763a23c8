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

// showPalette opens the list of all that can be done: typed commands, and what keys
// do, those used last first.
func (t *commandTable) showPalette() tea.Cmd {
	u := &list.Menu{Chooser: list.Chooser{Keys: t.Keys, St: t.Styles, Under: list.DetailRows}, Head: "do something", None: "nothing here is called that",
		Hint: "type to search · enter does it · esc closes", Chose: t.carryOut, Detail: t.explain}
	u.Fill(t.doable())
	return t.lists.show(u)
}

// doable are the options of the palette.
func (t *commandTable) doable() []list.Option {
	var all []list.Option
	for _, s := range t.commands() {
		o := list.Option{ID: "/" + s.name, Name: "/" + ink.SanitizeLine(s.name), What: ink.SanitizeLine(s.what), Right: t.Keys.Name(s.key)}
		all = append(all, o)
	}
	for _, b := range t.Keys.Listed() {
		if b.Where == keys.Anywhere || b.Where == keys.InEditor || b.Where == keys.WhileRuns && t.Feed.Running {
			all = append(all, list.Option{ID: string(b.Action), Name: string(b.Action), What: b.What, Right: b.Keys[0]})
		}
	}
	all = slices.DeleteFunc(all, func(o list.Option) bool { return o.ID == string(keys.Palette) })
	slices.SortStableFunc(all, func(a, b list.Option) int { return t.recent.Rank(a.ID) - t.recent.Rank(b.ID) })
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
func (t *commandTable) carryOut(o list.Option) tea.Cmd {
	t.lists.close()
	name, typed := strings.CutPrefix(o.ID, "/")
	if !typed {
		return tea.Batch(t.recent.Use(o.ID), t.press(keys.Action(o.ID).Press()))
	}
	i := slices.IndexFunc(t.commands(), func(s slash) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	if t.commands()[i].needs() {
		t.stash()
		t.editor.Set("/" + name + " ")
		return t.recent.Use(o.ID)
	}
	return t.run(name, "", "")
}

// stash takes the draft out of the editor, so that it can be walked back to.
func (t *commandTable) stash() {
	if !t.editor.Empty() {
		t.Feed.Recall = append(t.Feed.Recall, t.editor.Take().Text)
	}
}

// explain tells how a thing is done otherwise.
func (t *commandTable) explain(o list.Option, width int) []string {
	text := o.What
	if name, typed := strings.CutPrefix(o.ID, "/"); typed {
		for _, s := range t.commands() {
			if s.name == name {
				text += "\n" + ink.SanitizeLine(s.usage())
			}
		}
	} else if keys := t.Keys.Keys(keys.Action(o.ID)); len(keys) > 0 {
		text += "\n" + strings.Join(keys, ", ") + " · called " + o.ID + " in the configuration"
	}
	return ink.Hang(" ", ink.RenderLines(t.Styles.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// keysCommand lists every key, to be searched.
func keysCommand(m *model, arg string) (tea.Cmd, error) {
	u := &list.Menu{Chooser: list.Chooser{Keys: m.Keys, St: m.Styles, Under: list.DetailRows}, Head: "keys", None: "no key does that",
		Hint: "type to search · esc closes", Detail: m.table.explain, Chose: func(list.Option) tea.Cmd { return nil }}
	u.Filter = arg
	var all []list.Option
	for _, b := range m.Keys.Listed() {
		id := string(b.Action)
		if b.Action == keys.Fixed {
			id = b.Pressed()
		}
		all = append(all, list.Option{ID: id, Name: b.Pressed(), What: b.What, Right: string(b.Where)})
	}
	u.Fill(all)
	return m.lists.show(u), nil
}
