package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Key is one row of the table of keys, as it is told to people.
type Key struct {
	Action string // what a configuration calls it; empty if the keys are fixed
	Keys   string
	What   string
}

// KeyTable returns every key of the program, with the keys of the named actions
// replaced.
func KeyTable(changed map[string][]string) []Key {
	var out []Key
	for _, r := range newKeymap(changed).told() {
		what := r.what
		if r.where != anywhere {
			what += " (" + string(r.where) + ")"
		}
		out = append(out, Key{string(r.action), r.pressed(), what})
	}
	return out
}

// keymap is the table of keys of one program.
type keymap struct{ rows []binding }

// newKeymap returns the default table, with the keys of the named actions
// replaced. A key that they take does no longer what it does by default.
func newKeymap(changed map[string][]string) keymap {
	rows := rebound(changed)
	for i, r := range rows {
		if _, ok := changed[string(r.action)]; ok || r.action == fixed {
			continue
		}
		rows[i].keys = slices.DeleteFunc(slices.Clone(r.keys), func(key string) bool {
			return slices.ContainsFunc(rows, func(o binding) bool {
				_, theirs := changed[string(o.action)]
				return theirs && together(r.where, o.where) && slices.Contains(o.keys, key)
			})
		})
	}
	return keymap{rows}
}

// rebound is the default table with the keys of the named actions replaced,
// whether they clash with others or not.
func rebound(changed map[string][]string) []binding {
	rows := bindings()
	for i := range rows {
		keys, ok := changed[string(rows[i].action)]
		if !ok || rows[i].action == fixed {
			continue
		}
		rows[i].keys = nil
		for _, k := range keys {
			if name, err := keyName(k); err == nil {
				rows[i].keys = append(rows[i].keys, name)
			}
		}
	}
	return rows
}

// told returns the bindings that are worth telling.
func (k keymap) told() []binding {
	return slices.DeleteFunc(slices.Clone(k.rows), func(b binding) bool { return b.what == "" || len(b.keys) == 0 })
}

// pressed lists the keys of a binding.
func (b binding) pressed() string { return strings.Join(b.keys, ", ") }

// is reports whether pressed, the String of a key, does a.
func (k keymap) is(pressed string, a action) bool {
	return slices.Contains(k.keys(a), pressed) || pressed == wanted+string(a)
}

// name returns the first key bound to a, for hints.
func (k keymap) name(a action) string {
	if keys := k.keys(a); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

func (k keymap) keys(a action) []string {
	for _, r := range k.rows {
		if r.action == a && a != fixed {
			return r.keys
		}
	}
	return nil
}

// wanted stands before the name of an action where it takes the place of a key.
const wanted = "\x00"

// virtual marks the press of a key that no keyboard has: one that stands for an
// action, or for several keys.
const virtual = tea.ModHyper | tea.ModSuper

// press is a press that does a, whatever its keys are.
func (a action) press() tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: tea.KeyExtended, Text: wanted + string(a), Mod: virtual}
}

// types reports whether a press can be typed into a text: it is a key of the
// keyboard, or it means something there.
func (k keymap) types(msg tea.KeyPressMsg) bool {
	return msg.Mod != virtual || slices.ContainsFunc(k.rows, func(r binding) bool {
		return (r.where == inEditor || r.action == actNewline) && k.is(msg.String(), r.action)
	})
}

// chord joins keys that are pressed one after the other. waits holds what was
// pressed before; whole is false while more is to come, or where nothing is
// bound to what was pressed.
func (k keymap) chord(waits string, msg tea.KeyPressMsg) (_ tea.KeyPressMsg, rest string, whole bool) {
	pressed := strings.TrimPrefix(waits+" "+msg.String(), " ")
	bound := func(fits func(string) bool) bool {
		return slices.ContainsFunc(k.rows, func(r binding) bool { return slices.ContainsFunc(r.keys, fits) })
	}
	switch {
	case bound(func(key string) bool { return strings.HasPrefix(key, pressed+" ") }):
		return msg, pressed, false
	case waits == "":
		return msg, "", true
	case bound(func(key string) bool { return key == pressed }):
		return tea.KeyPressMsg{Code: tea.KeyExtended, Text: pressed, Mod: virtual}, "", true
	}
	return msg, "", false
}
