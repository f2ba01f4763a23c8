package tui

import (
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/terminal"
)

// recentKept is how many things that were done are remembered.
const recentKept = 8

// palette opens the list of all that can be done: typed commands, and what keys
// do, those used last first.
func (m *model) palette() tea.Cmd {
	u := &menu{chooser: chooser{keys: m.keys, st: m.st, under: detailRows}, head: "do something", none: "nothing here is called that",
		hint: "type to search · enter does it · esc closes", chose: m.carryOut, detail: m.explain}
	u.fill(m.doable())
	return m.show(u)
}

// doable are the options of the palette.
func (m *model) doable() []option {
	var all []option
	for _, s := range m.commands() {
		o := option{id: "/" + s.name, name: "/" + ink.SanitizeLine(s.name), what: ink.SanitizeLine(s.what), right: m.keys.Name(s.key)}
		all = append(all, o)
	}
	for _, b := range m.keys.Listed() {
		if b.Where == keys.Anywhere || b.Where == keys.InEditor || b.Where == keys.WhileRuns && m.feed.Running {
			all = append(all, option{id: string(b.Action), name: string(b.Action), what: b.What, right: b.Keys[0]})
		}
	}
	all = slices.DeleteFunc(all, func(o option) bool { return o.id == string(keys.Palette) })
	slices.SortStableFunc(all, func(a, b option) int { return m.lately(a.id) - m.lately(b.id) })
	return all
}

// lately says how long ago something was done, in things that were done since.
func (m *model) lately(id string) int {
	if i := slices.Index(m.recent, id); i >= 0 {
		return i
	}
	return recentKept
}

// used remembers what was done.
func (m *model) used(id string) tea.Cmd {
	if len(m.recent) > 0 && m.recent[0] == id {
		return nil
	}
	before := slices.DeleteFunc(slices.Clone(m.recent), func(r string) bool { return r == id })
	m.recent = append([]string{id}, before[:min(len(before), recentKept-1)]...)
	if m.o.Remember == nil {
		return nil
	}
	m.unsaved.set(m.recent)
	return func() tea.Msg {
		m.unsaved.save(m.o.Remember)
		return nil
	}
}

// recently are the actions used last that are not saved yet. Commands of the
// screen save them, and those that the end of the screen came before are made up
// for.
type recently struct {
	mu     sync.Mutex // guards recent
	recent []string
	saving sync.Mutex // one at a time: an older list never overwrites a newer one
}

func (r *recently) set(recent []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent = recent
}

// save calls remember with the actions unless they are saved. It returns when
// they are.
func (r *recently) save(remember func([]string)) {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	recent := r.recent
	r.recent = nil
	r.mu.Unlock()
	if recent != nil {
		remember(recent)
	}
}

// saveRecent saves the actions used last at the end of the screen. It waits no
// longer than terminal.Grace.
func (m *model) saveRecent() {
	if m.o.Remember == nil {
		return
	}
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		m.unsaved.save(m.o.Remember)
	}()
	select {
	case <-saved:
	case <-time.After(terminal.Grace):
	}
}

// carryOut does what was chosen. A command that means nothing without an
// argument goes into the editor, to be completed; a draft that stood there can
// be walked back to.
func (m *model) carryOut(o option) tea.Cmd {
	m.over = nil
	name, typed := strings.CutPrefix(o.id, "/")
	if !typed {
		return tea.Batch(m.used(o.id), m.press(keys.Action(o.id).Press()))
	}
	i := slices.IndexFunc(m.commands(), func(s slash) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	if m.commands()[i].needs() {
		m.stash()
		m.editor.Set("/" + name + " ")
		return m.used(o.id)
	}
	return m.slash(name, "", "")
}

// stash takes the draft out of the editor, so that it can be walked back to.
func (m *model) stash() {
	if !m.editor.Empty() {
		m.feed.Recall = append(m.feed.Recall, m.editor.Take())
	}
}

// explain tells how a thing is done otherwise.
func (m *model) explain(o option, width int) []string {
	text := o.what
	if name, typed := strings.CutPrefix(o.id, "/"); typed {
		for _, s := range m.commands() {
			if s.name == name {
				text += "\n" + ink.SanitizeLine(s.usage())
			}
		}
	} else if keys := m.keys.Keys(keys.Action(o.id)); len(keys) > 0 {
		text += "\n" + strings.Join(keys, ", ") + " · called " + o.id + " in the configuration"
	}
	return ink.Hang(" ", ink.RenderLines(m.st.Dim, ink.Wrap(text, max(width-ink.Gutter, 1))))
}

// slashKeys lists every key, to be searched.
func (m *model) slashKeys(arg string) tea.Cmd {
	u := &menu{chooser: chooser{keys: m.keys, st: m.st, under: detailRows}, head: "keys", none: "no key does that",
		hint: "type to search · esc closes", detail: m.explain, chose: func(option) tea.Cmd { return nil }}
	u.filter = arg
	var all []option
	for _, b := range m.keys.Listed() {
		id := string(b.Action)
		if b.Action == keys.Fixed {
			id = b.Pressed()
		}
		all = append(all, option{id: id, name: b.Pressed(), what: b.What, right: string(b.Where)})
	}
	u.fill(all)
	return m.show(u)
}
