package keys

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultKeysDoNotConflict(t *testing.T) {
	if got := Clashing(nil); got != nil {
		t.Errorf("keys clash:\n%s", strings.Join(got, "\n"))
	}
	seen := map[Action]bool{}
	for _, b := range Bindings() {
		if b.Action != Fixed && seen[b.Action] {
			t.Errorf("%s is in the table twice", b.Action)
		}
		seen[b.Action] = true
		for _, k := range b.Keys {
			if name, err := KeyName(k); err != nil || name != k {
				t.Errorf("%s: the name of %q is %q (%v)", b.Action, k, name, err)
			}
		}
	}
}

func TestConfiguredKeys(t *testing.T) {
	for _, c := range []struct {
		keys   map[string][]string
		action string
		err    string // a part of it
		clash  []string
	}{
		{keys: map[string][]string{"open": {"f5", "ctrl+x o"}}},
		{keys: map[string][]string{"open": {}}},
		{keys: map[string][]string{"opne": {"f5"}}, action: "opne", err: `did you mean "open"?`},
		{keys: map[string][]string{"zzzzzzzz": {"f5"}}, action: "zzzzzzzz", err: "'agent keys' lists all actions"},
		{keys: map[string][]string{"open": {"ctrl+enterr"}}, action: "open", err: `"ctrl+enterr" is not a key`},
		{keys: map[string][]string{"open": {"strg+o"}}, action: "open", err: `"strg+o" is not a key`},
		{keys: map[string][]string{"open": {"ctrl+ctrl+o"}}, action: "open", err: "is not a key"},
		{keys: map[string][]string{"open": {""}}, action: "open", err: "write [] to bind no key"},
		{keys: map[string][]string{"open": {"f99"}}, action: "open", err: "is not a key"},
		{keys: map[string][]string{"open": {"a b"}}, action: "open", err: "starts with a key that types text"},
		{keys: map[string][]string{"open": {"ctrl+t"}}, clash: []string{"ctrl+t is bound to both open and open-all: open wins"}},
		{keys: map[string][]string{"open": {"ctrl+t x"}}, clash: []string{"ctrl+t (open-all) is the start of ctrl+t x (open)"}},
		{keys: map[string][]string{"open": {"ctrl+w"}}, clash: []string{"ctrl+w is bound to both open and delete-word: open wins"}},
		{keys: map[string][]string{"open-all": {"ctrl+o"}}, clash: []string{"ctrl+o is bound to both open and open-all: open-all wins"}},
		{keys: map[string][]string{"open": {"y"}}},                                // dialogs have keys of their own
		{keys: map[string][]string{"approve": {"ctrl+y"}, "up": {"no such key"}}}, // of an earlier version
		{keys: map[string][]string{"": {"y"}}, action: "", err: "unknown action"},
	} {
		action, err := Check(c.keys)
		if action != c.action || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: got %q, %v, want %q, %q", c.keys, action, err, c.action, c.err)
		}
		if err != nil {
			continue
		}
		if d := cmp.Diff(Clashing(c.keys), c.clash); d != "" {
			t.Errorf("%v: %s", c.keys, d)
		}
	}
}

// Action names of earlier versions still work in a configuration.
func TestRenamedActions(t *testing.T) {
	for old, action := range renamed() {
		changed := map[string][]string{old: {"f5"}}
		if _, err := Check(changed); err != nil {
			t.Errorf("%s: %v", old, err)
		}
		if got := New(changed).Keys(action); !slices.Equal(got, []string{"f5"}) {
			t.Errorf("%s binds %v to %s", old, got, action)
		}
	}
	both := New(map[string][]string{"everywhere": {"f5"}, "toggle-scope": {"f6"}})
	if got := both.Keys(ToggleScope); !slices.Equal(got, []string{"f6"}) {
		t.Errorf("with both names, the keys are %v", got)
	}
	want := []string{"f5 is bound to both list-up and toggle-scope: list-up wins"}
	if d := cmp.Diff(Clashing(map[string][]string{"list-up": {"f5"}, "everywhere": {"f5"}}), want); d != "" {
		t.Error(d)
	}
}

func TestConfiguredKeysTakePrecedence(t *testing.T) {
	k := New(map[string][]string{"open-all": {"ctrl+o"}, "suspend": {"ctrl+w"}})
	for key, want := range map[string]Action{"ctrl+o": OpenAll, "ctrl+w": Suspend} {
		for _, b := range k.Bindings {
			if k.Is(key, b.Action) != (b.Action == want) {
				t.Errorf("%s does %s: %t", key, b.Action, k.Is(key, b.Action))
			}
		}
	}
}

func TestKeyNames(t *testing.T) {
	for given, want := range map[string]string{
		"ctrl+o": "ctrl+o", "Ctrl+O": "ctrl+o", "shift+ctrl+x": "ctrl+shift+x", "shift+a": "A", "A": "A", "a": "a", "?": "?",
		"alt++": "alt++", "+": "+", "pageup": "pgup", "Escape": "esc", "ctrl+x  ctrl+e": "ctrl+x ctrl+e", "shift+enter": "shift+enter",
		"ä": "ä", "f12": "f12",
	} {
		if got, err := KeyName(given); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", given, got, err, want)
		}
	}
}
