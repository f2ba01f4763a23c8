package keys

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Row is one row of the table of keys, as it is told to people.
type Row struct {
	Action string // what a configuration calls it; empty if the keys are fixed
	Keys   string
	What   string
}

// Table returns every key of the program, with the keys of the named actions
// replaced.
func Table(changed map[string][]string) []Row {
	var out []Row
	for _, r := range New(changed).Listed() {
		what := r.What
		if r.Where != Anywhere {
			what += " (" + string(r.Where) + ")"
		}
		out = append(out, Row{string(r.Action), r.Pressed(), what})
	}
	return out
}

// Map is the table of keys of one program.
type Map struct{ Bindings []Binding }

// New returns the default table, with the keys of the named actions
// replaced. A key that they take does no longer what it does by default.
func New(changed map[string][]string) Map {
	rows := rebound(changed)
	for i, r := range rows {
		if _, ok := changed[string(r.Action)]; ok || r.Action == Fixed {
			continue
		}
		rows[i].Keys = slices.DeleteFunc(slices.Clone(r.Keys), func(key string) bool {
			return slices.ContainsFunc(rows, func(o Binding) bool {
				_, theirs := changed[string(o.Action)]
				return theirs && together(r.Where, o.Where) && slices.Contains(o.Keys, key)
			})
		})
	}
	return Map{rows}
}

// rebound is the default table with the keys of the named actions replaced,
// whether they clash with others or not.
func rebound(changed map[string][]string) []Binding {
	rows := Bindings()
	for i := range rows {
		keys, ok := changed[string(rows[i].Action)]
		if !ok || rows[i].Action == Fixed {
			continue
		}
		rows[i].Keys = nil
		for _, k := range keys {
			if name, err := KeyName(k); err == nil {
				rows[i].Keys = append(rows[i].Keys, name)
			}
		}
	}
	return rows
}

// Listed returns the bindings that are worth telling.
func (k Map) Listed() []Binding {
	return slices.DeleteFunc(slices.Clone(k.Bindings), func(b Binding) bool { return b.What == "" || len(b.Keys) == 0 })
}

// Pressed lists the keys of a binding.
func (b Binding) Pressed() string { return strings.Join(b.Keys, ", ") }

// Is reports whether pressed, the String of a key, does a.
func (k Map) Is(pressed string, a Action) bool {
	return slices.Contains(k.Keys(a), pressed) || pressed == wanted+string(a)
}

// Name returns the first key bound to a, for hints.
func (k Map) Name(a Action) string {
	if keys := k.Keys(a); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

func (k Map) Keys(a Action) []string {
	for _, r := range k.Bindings {
		if r.Action == a && a != Fixed {
			return r.Keys
		}
	}
	return nil
}

// wanted stands before the name of an action where it takes the place of a key.
const wanted = "\x00"

// Virtual marks the press of a key that no keyboard has: one that stands for an
// action, or for several keys.
const Virtual = tea.ModHyper | tea.ModSuper

// Press is a press that does a, whatever its keys are.
func (a Action) Press() tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: tea.KeyExtended, Text: wanted + string(a), Mod: Virtual}
}

// Types reports whether a press can be typed into a text: it is a key of the
// keyboard, or it means something there.
func (k Map) Types(msg tea.KeyPressMsg) bool {
	return msg.Mod != Virtual || slices.ContainsFunc(k.Bindings, func(r Binding) bool {
		return (r.Where == InEditor || r.Action == Newline) && k.Is(msg.String(), r.Action)
	})
}

// Chord joins keys that are pressed one after the other. waits holds what was
// pressed before; whole is false while more is to come, or where nothing is
// bound to what was pressed.
func (k Map) Chord(waits string, msg tea.KeyPressMsg) (_ tea.KeyPressMsg, rest string, whole bool) {
	pressed := strings.TrimPrefix(waits+" "+msg.String(), " ")
	bound := func(fits func(string) bool) bool {
		return slices.ContainsFunc(k.Bindings, func(r Binding) bool { return slices.ContainsFunc(r.Keys, fits) })
	}
	switch {
	case bound(func(key string) bool { return strings.HasPrefix(key, pressed+" ") }):
		return msg, pressed, false
	case waits == "":
		return msg, "", true
	case bound(func(key string) bool { return key == pressed }):
		return tea.KeyPressMsg{Code: tea.KeyExtended, Text: pressed, Mod: Virtual}, "", true
	}
	return msg, "", false
}
