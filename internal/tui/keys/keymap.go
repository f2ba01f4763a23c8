package keys

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Row is one row of the list of keys in `agent keys` and the documentation.
type Row struct {
	Action string // name in the configuration; empty if the keys are fixed
	Keys   string
	What   string
}

// Table returns the listed bindings. changed replaces the keys of the actions that it names.
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

// Map holds the key bindings in effect.
type Map struct{ Bindings []Binding }

// New returns the default bindings. changed replaces the keys of the actions that
// it names; other actions of the same scope lose those keys.
func New(changed map[string][]string) Map {
	changed = currentNames(changed)
	rows := withKeys(changed)
	for i, r := range rows {
		if _, ok := changed[string(r.Action)]; ok || r.Action == Fixed {
			continue
		}
		rows[i].Keys = slices.DeleteFunc(slices.Clone(r.Keys), func(key string) bool {
			return slices.ContainsFunc(rows, func(o Binding) bool {
				_, configured := changed[string(o.Action)]
				return configured && overlap(r.Where, o.Where) && slices.Contains(o.Keys, key)
			})
		})
	}
	return Map{rows}
}

// withKeys returns the default bindings with the keys in changed. It does not
// resolve conflicts.
func withKeys(changed map[string][]string) []Binding {
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

// Listed returns the bindings that help lists: those with a description and a key.
func (k Map) Listed() []Binding {
	return slices.DeleteFunc(slices.Clone(k.Bindings), func(b Binding) bool { return b.What == "" || len(b.Keys) == 0 })
}

// Pressed returns the keys of b, separated by commas.
func (b Binding) Pressed() string { return strings.Join(b.Keys, ", ") }

// Is reports whether pressed, the String of a key press, is bound to a.
func (k Map) Is(pressed string, a Action) bool {
	return slices.Contains(k.Keys(a), pressed) || pressed == actionPrefix+string(a)
}

// Name returns the first key bound to a, for hints. It is empty if no key is bound.
func (k Map) Name(a Action) string {
	if keys := k.Keys(a); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// Keys returns the keys bound to a.
func (k Map) Keys(a Action) []string {
	for _, r := range k.Bindings {
		if r.Action == a && a != Fixed {
			return r.Keys
		}
	}
	return nil
}

// actionPrefix starts the text of a key press that Action.Press makes.
const actionPrefix = "\x00"

// Virtual is the modifier of synthetic key presses: those of Action.Press, and
// completed key sequences.
const Virtual = tea.ModHyper | tea.ModSuper

// Press returns a synthetic key press that triggers a, even if no key is bound to it.
func (a Action) Press() tea.KeyPressMsg {
	return tea.KeyPressMsg{Code: tea.KeyExtended, Text: actionPrefix + string(a), Mod: Virtual}
}

// Types reports whether msg may be passed to the editor: it is a real key, or a
// synthetic one bound to an action of the editor.
func (k Map) Types(msg tea.KeyPressMsg) bool {
	return msg.Mod != Virtual || slices.ContainsFunc(k.Bindings, func(r Binding) bool {
		return (r.Where == InEditor || r.Action == Newline) && k.Is(msg.String(), r.Action)
	})
}

// Chord matches key sequences. prefix holds the keys pressed so far; next is the
// prefix for the following key. complete is false if msg continues a sequence, or
// if it ends one that is not bound; the key is then consumed. A completed sequence
// becomes one synthetic key press.
func (k Map) Chord(prefix string, msg tea.KeyPressMsg) (_ tea.KeyPressMsg, next string, complete bool) {
	pressed := strings.TrimPrefix(prefix+" "+msg.String(), " ")
	bound := func(fits func(string) bool) bool {
		return slices.ContainsFunc(k.Bindings, func(r Binding) bool { return slices.ContainsFunc(r.Keys, fits) })
	}
	switch {
	case bound(func(key string) bool { return strings.HasPrefix(key, pressed+" ") }):
		return msg, pressed, false
	case prefix == "":
		return msg, "", true
	case bound(func(key string) bool { return key == pressed }):
		return tea.KeyPressMsg{Code: tea.KeyExtended, Text: pressed, Mod: Virtual}, "", true
	}
	return msg, "", false
}
