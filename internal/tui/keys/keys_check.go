package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

// Check returns the first unknown action or key in the configured bindings. action
// is the name of the entry that the error is about.
func Check(changed map[string][]string) (action string, err error) {
	var names []string
	for _, b := range Bindings() {
		if b.Action != Fixed {
			names = append(names, string(b.Action))
		}
	}
	for _, a := range sortedNames(changed) {
		if slices.Contains(retiredNames(), a) {
			continue
		}
		if _, old := renamed()[a]; !old && !slices.Contains(names, a) {
			hint := "'agent keys' lists all actions"
			if name := phrase.Nearest(a, names); name != "" {
				hint = fmt.Sprintf("did you mean %q?", name)
			}
			return a, fmt.Errorf("unknown action %q: %s", a, hint)
		}
		for _, k := range changed[a] {
			if _, err := KeyName(k); err != nil {
				return a, err
			}
		}
	}
	return "", nil
}

// renamed maps the action names of earlier versions, which a configuration may still
// use, to the current ones.
func renamed() map[string]Action {
	return map[string]Action{
		"everywhere": ToggleScope, "step-right": RightOrFind, "step-up": UpOrPalette, "jump-back": PreviousTurn, "jump-on": NextTurn,
		"leave": Quit, "erase-left": DeleteLeft, "erase-right": DeleteRight, "erase-word": DeleteWord, "erase-part": DeleteWordLeft,
		"erase-word-right": DeleteWordRight, "erase-to-start": DeleteToStart, "erase-to-end": DeleteToEnd,
		"mark-left": SelectLeft, "mark-right": SelectRight, "mark-word-left": SelectWordLeft, "mark-word-right": SelectWordRight,
		"mark-up": SelectUp, "mark-down": SelectDown, "mark-line-start": SelectStart, "mark-line-end": SelectEnd, "copy-marked": CopySelection,
		"upper-word": Upper, "lower-word": Lower, "capital-word": Capital,
	}
}

// currentNames returns changed with the current name of every action. If an action
// has both its old and its current name there, the current one wins.
func currentNames(changed map[string][]string) map[string][]string {
	out := maps.Clone(changed)
	for old, action := range renamed() {
		keys, ok := out[old]
		if !ok {
			continue
		}
		delete(out, old)
		if _, both := out[string(action)]; !both {
			out[string(action)] = keys
		}
	}
	return out
}

// retiredNames returns the action names of earlier versions that no longer exist
// and are ignored in a configuration: the keys of dialogs are fixed now.
func retiredNames() []string {
	return []string{"approve", "refuse", "always", "say", "pick", "toggle", "answer", "up", "down"}
}

// Retired returns the configured actions that no longer exist, sorted.
func Retired(changed map[string][]string) []string {
	return slices.DeleteFunc(sortedNames(changed), func(a string) bool { return !slices.Contains(retiredNames(), a) })
}

func sortedNames(m map[string][]string) []string { return slices.Sorted(maps.Keys(m)) }

// Clashing describes each key that is bound to two actions in one scope, and which
// action wins: the configuration takes precedence over the defaults.
func Clashing(changed map[string][]string) []string {
	changed = currentNames(changed)
	rows := withKeys(changed)
	var out []string
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if !overlap(a.Where, b.Where) {
				continue
			}
			winner := a.Action
			_, first := changed[string(a.Action)]
			if _, second := changed[string(b.Action)]; second && !first {
				winner = b.Action
			}
			out = append(out, conflicts(a, b, winner)...)
		}
	}
	return out
}

// overlap reports whether both scopes can be active at once.
func overlap(a, b Scope) bool {
	in := func(one ...Scope) bool { return slices.Contains(one, a) && slices.Contains(one, b) }
	return a == b || in(Anywhere, InEditor) || in(inList, inSessions) || in(inList, inAgents) || in(inView, inAgents)
}

// conflicts describes the keys that a and b share, and the sequences of one that
// start with a key of the other.
func conflicts(a, b Binding, winner Action) []string {
	var out []string
	for _, k := range a.Keys {
		for _, l := range b.Keys {
			switch {
			case k == l:
				out = append(out, fmt.Sprintf("%s is bound to both %s and %s: %s wins", k, a.Action, b.Action, winner))
			case strings.HasPrefix(l, k+" "):
				out = append(out, fmt.Sprintf("%s (%s) is the start of %s (%s)", k, a.Action, l, b.Action))
			case strings.HasPrefix(k, l+" "):
				out = append(out, fmt.Sprintf("%s (%s) is the start of %s (%s)", l, b.Action, k, a.Action))
			}
		}
	}
	return out
}

// KeyName returns the canonical name of a key or a key sequence, as Bubble Tea
// writes key presses: "ctrl+alt+x", "A", "ctrl+x ctrl+e".
func KeyName(name string) (string, error) {
	var out []string
	for _, k := range strings.Fields(name) {
		one, ok := singleKey(k)
		if !ok {
			return "", fmt.Errorf("%q is not a key: use a name like ctrl+o, alt+enter or f5, or a sequence like \"ctrl+x ctrl+e\"", name)
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return "", fmt.Errorf("%q is not a key: write [] to bind no key", name)
	}
	if r, n := utf8.DecodeRuneInString(out[0]); len(out) > 1 && (n == len(out[0]) || out[0] == "space") && unicode.IsGraphic(r) {
		return "", fmt.Errorf("the sequence %q starts with a key that types text: start it with ctrl, alt or a function key", name)
	}
	return strings.Join(out, " "), nil
}

// singleKey returns the canonical name of one key, and whether it is a key.
func singleKey(name string) (string, bool) {
	order := []string{"ctrl", "alt", "shift", "meta", "hyper", "super"} // the order in a key press
	parts := strings.Split(name, "+")
	if strings.HasSuffix(name, "+") { // the plus key
		parts = append(parts[:max(len(parts)-2, 0)], "+")
	}
	key := parts[len(parts)-1]
	var mods []string
	for _, m := range parts[:len(parts)-1] {
		m = strings.ToLower(m)
		if !slices.Contains(order, m) || slices.Contains(mods, m) {
			return "", false
		}
		mods = append(mods, m)
	}
	slices.SortFunc(mods, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	if r, n := utf8.DecodeRuneInString(key); n == len(key) && unicode.IsGraphic(r) && !unicode.IsSpace(r) {
		switch {
		case slices.Equal(mods, []string{"shift"}) && unicode.IsLetter(r): // it types an uppercase letter
			return string(unicode.ToUpper(r)), true
		case len(mods) > 0:
			key = string(unicode.ToLower(r))
		}
		return strings.Join(append(mods, key), "+"), true
	}
	key = strings.ToLower(key)
	if other := map[string]string{"escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdown", "del": "delete", "ins": "insert"}[key]; other != "" {
		key = other
	}
	return strings.Join(append(mods, key), "+"), isKeyName(key)
}

// isKeyName reports whether name is the name of a key that types no text.
func isKeyName(name string) bool {
	if n, ok := strings.CutPrefix(name, "f"); ok {
		var i int
		_, err := fmt.Sscanf(n, "%d", &i)
		return err == nil && i >= 1 && i <= 63 && n == fmt.Sprint(i)
	}
	return slices.Contains([]string{"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right", "begin", "find",
		"insert", "delete", "select", "pgup", "pgdown", "home", "end", "menu", "pause", "printscreen"}, name)
}
