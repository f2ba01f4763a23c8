package slash

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

// Palette is the command palette, with the actions used last.
type Palette struct {
	*screen.Window
	front    *Front
	feed     *transcript.Feed
	editor   *editor.Editor
	recent   *list.Recent
	commands func() []Command
	run      func(name, arg string) (tea.Cmd, bool)
}

// Show opens the command palette: the slash commands and the actions of keys,
// the most recently used first.
func (p *Palette) Show() tea.Cmd {
	u := &list.Menu{Chooser: list.Chooser{Keys: p.Keys, St: p.Styles, Under: list.DetailRows}, Head: "Command palette", None: "No matching command.",
		Hint: "type to search · enter run · esc close", Chose: p.runOption, Detail: p.explain}
	u.Fill(p.options())
	return p.front.Lists.Show(u)
}

// options returns the options of the command palette.
func (p *Palette) options() []list.Option {
	var all []list.Option
	for _, c := range p.commands() {
		o := list.Option{ID: "/" + c.Name, Name: cmp.Or(c.Title, "/"+ink.SanitizeLine(c.Name)), What: ink.SanitizeLine(c.What), Right: p.Keys.Name(c.key)}
		all = append(all, o)
	}
	for _, b := range p.Keys.Listed() {
		if hasCommand(b.Action) {
			continue
		}
		if b.Where == keys.Anywhere || b.Where == keys.InEditor || b.Where == keys.WhileRuns && p.feed.Running {
			all = append(all, list.Option{ID: string(b.Action), Name: actionTitle(b.Action), What: b.What, Right: b.Keys[0]})
		}
	}
	all = slices.DeleteFunc(all, func(o list.Option) bool { return o.ID == string(keys.Palette) })
	slices.SortStableFunc(all, func(a, b list.Option) int { return p.recent.Rank(a.ID) - p.recent.Rank(b.ID) })
	return all
}

// SaveRecent saves the actions used last at the end of the screen. It waits no
// longer than terminal.Grace.
func (p *Palette) SaveRecent() {
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		p.recent.Save()
	}()
	select {
	case <-saved:
	case <-time.After(terminal.Grace):
	}
}

// runOption runs the selected option. A command with a required argument goes into
// the editor to be completed; the draft there goes into the prompt history.
func (p *Palette) runOption(o list.Option) tea.Cmd {
	p.front.Lists.Close()
	name, typed := strings.CutPrefix(o.ID, "/")
	if !typed {
		return tea.Batch(p.recent.Use(o.ID), p.front.Screen.Press(keys.Action(o.ID).Press()))
	}
	i := slices.IndexFunc(p.commands(), func(c Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	if p.commands()[i].needsArgument() {
		p.saveDraft()
		p.editor.Set("/" + name + " ")
		return p.recent.Use(o.ID)
	}
	cmd, _ := p.run(name, "")
	return cmd
}

// saveDraft moves the draft from the editor into the prompt history.
func (p *Palette) saveDraft() {
	if !p.editor.Empty() {
		p.feed.Log.Recall = append(p.feed.Log.Recall, p.editor.Take().Text)
	}
}

// explain describes an option with its other ways to run it: the slash command, or
// the keys and the name in the configuration.
func (p *Palette) explain(o list.Option, width int) []string {
	text := o.What
	if name, typed := strings.CutPrefix(o.ID, "/"); typed {
		for _, c := range p.commands() {
			if c.Name == name {
				text += "\n" + ink.SanitizeLine(c.Usage())
			}
		}
	} else if keys := p.Keys.Keys(keys.Action(o.ID)); len(keys) > 0 {
		text += "\n" + strings.Join(keys, ", ") + " · named " + o.ID + " in the configuration"
	}
	return ink.Hang(" ", ink.RenderLines(p.Styles.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// keysCommand opens the searchable list of key bindings.
func keysCommand(s *Session, arg string) (tea.Cmd, error) {
	u := &list.Menu{Chooser: list.Chooser{Keys: s.Keys, St: s.Styles, Under: list.DetailRows}, Head: "Key bindings", None: "No matching key binding.",
		Hint: "type to search · esc close", Detail: s.Palette.explain, Chose: func(list.Option) tea.Cmd { return nil }}
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
	return s.Front.Lists.Show(u), nil
}
