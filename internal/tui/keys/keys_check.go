package keys

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

// Check says what of the keys of a configuration means nothing: by the name
// of the action that it stands at.
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
		if !slices.Contains(names, a) {
			hint := "agent keys lists them"
			if near := phrase.Nearest(a, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return a, fmt.Errorf("there is no action %q: %s", a, hint)
		}
		for _, k := range changed[a] {
			if _, err := KeyName(k); err != nil {
				return a, err
			}
		}
	}
	return "", nil
}

// retiredNames are the actions of earlier versions that a configuration may still
// name: the keys of a question are fixed now.
func retiredNames() []string {
	return []string{"approve", "refuse", "always", "say", "pick", "toggle", "answer", "up", "down"}
}

// Retired returns the names in a configuration of actions that no longer
// exist, in order.
func Retired(changed map[string][]string) []string {
	return slices.DeleteFunc(sortedNames(changed), func(a string) bool { return !slices.Contains(retiredNames(), a) })
}

func sortedNames(m map[string][]string) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Clashing says which keys are to do two things in one place, and which of
// the two they do: what the configuration says goes before what is usual.
func Clashing(changed map[string][]string) []string {
	rows := rebound(changed)
	var out []string
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if !together(a.Where, b.Where) {
				continue
			}
			has := a.Action
			_, first := changed[string(a.Action)]
			if _, second := changed[string(b.Action)]; second && !first {
				has = b.Action
			}
			out = append(out, clashes(a, b, has)...)
		}
	}
	return out
}

// together reports whether keys of both scopes are looked for at once.
func together(a, b Scope) bool {
	in := func(one ...Scope) bool { return slices.Contains(one, a) && slices.Contains(one, b) }
	return a == b || in(Anywhere, InEditor) || in(inList, inSessions)
}

func clashes(a, b Binding, has Action) []string {
	var out []string
	for _, k := range a.Keys {
		for _, l := range b.Keys {
			switch {
			case k == l:
				out = append(out, fmt.Sprintf("%s is bound to both %s and %s: %s has it", k, a.Action, b.Action, has))
			case strings.HasPrefix(l, k+" "):
				out = append(out, fmt.Sprintf("%s of %s is where %s of %s begins", k, a.Action, l, b.Action))
			case strings.HasPrefix(k, l+" "):
				out = append(out, fmt.Sprintf("%s of %s is where %s of %s begins", l, b.Action, k, a.Action))
			}
		}
	}
	return out
}

// KeyName returns the name of a key, or of several that are pressed one after
// the other, as presses are called: "ctrl+alt+x", "A", "ctrl+x ctrl+e".
func KeyName(name string) (string, error) {
	var out []string
	for _, k := range strings.Fields(name) {
		one, ok := singleKey(k)
		if !ok {
			return "", fmt.Errorf("%q is no key: use names like ctrl+o, alt+enter, f5, or several, as ctrl+x ctrl+e", name)
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return "", fmt.Errorf("%q is no key: no keys at all are []", name)
	}
	if r, n := utf8.DecodeRuneInString(out[0]); len(out) > 1 && (n == len(out[0]) || out[0] == "space") && unicode.IsGraphic(r) {
		return "", fmt.Errorf("%q begins with a key that types something", name)
	}
	return strings.Join(out, " "), nil
}

// singleKey is keyName of one key.
func singleKey(name string) (string, bool) {
	order := []string{"ctrl", "alt", "shift", "meta", "hyper", "super"} // as presses are called
	parts := strings.Split(name, "+")
	if strings.HasSuffix(name, "+") { // the key itself
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
		case slices.Equal(mods, []string{"shift"}) && unicode.IsLetter(r): // it types another letter
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
	return strings.Join(append(mods, key), "+"), namedKey(key)
}

// namedKey reports whether a key is called so.
func namedKey(name string) bool {
	if n, ok := strings.CutPrefix(name, "f"); ok {
		var i int
		_, err := fmt.Sscanf(n, "%d", &i)
		return err == nil && i >= 1 && i <= 63 && n == fmt.Sprint(i)
	}
	return slices.Contains([]string{"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right", "begin", "find",
		"insert", "delete", "select", "pgup", "pgdown", "home", "end", "menu", "pause", "printscreen"}, name)
}
