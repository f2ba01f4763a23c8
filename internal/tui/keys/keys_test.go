package keys

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultKeysDoOneThing(t *testing.T) {
	if got := Clashing(nil); got != nil {
		t.Errorf("keys clash:\n%s", strings.Join(got, "\n"))
	}
	seen := map[Action]bool{}
	for _, b := range Bindings() {
		if b.Action != Fixed && seen[b.Action] {
			t.Errorf("%s stands in the table twice", b.Action)
		}
		seen[b.Action] = true
		for _, k := range b.Keys {
			if name, err := KeyName(k); err != nil || name != k {
				t.Errorf("%s: %q is called %q (%v)", b.Action, k, name, err)
			}
		}
	}
}

func TestKeysOfAConfiguration(t *testing.T) {
	for _, c := range []struct {
		keys   map[string][]string
		action string
		err    string // a part of it
		clash  []string
	}{
		{keys: map[string][]string{"open": {"f5", "ctrl+x o"}}},
		{keys: map[string][]string{"open": {}}},
		{keys: map[string][]string{"opne": {"f5"}}, action: "opne", err: `did you mean "open"?`},
		{keys: map[string][]string{"zzzzzzzz": {"f5"}}, action: "zzzzzzzz", err: "agent keys lists them"},
		{keys: map[string][]string{"open": {"ctrl+enterr"}}, action: "open", err: `"ctrl+enterr" is no key`},
		{keys: map[string][]string{"open": {"strg+o"}}, action: "open", err: `"strg+o" is no key`},
		{keys: map[string][]string{"open": {"ctrl+ctrl+o"}}, action: "open", err: "is no key"},
		{keys: map[string][]string{"open": {""}}, action: "open", err: "no keys at all are []"},
		{keys: map[string][]string{"open": {"f99"}}, action: "open", err: "is no key"},
		{keys: map[string][]string{"open": {"a b"}}, action: "open", err: "begins with a key that types something"},
		{keys: map[string][]string{"open": {"ctrl+t"}}, clash: []string{"ctrl+t is bound to both open and open-all: open has it"}},
		{keys: map[string][]string{"open": {"ctrl+t x"}}, clash: []string{"ctrl+t of open-all is where ctrl+t x of open begins"}},
		{keys: map[string][]string{"open": {"ctrl+w"}}, clash: []string{"ctrl+w is bound to both open and erase-word: open has it"}},
		{keys: map[string][]string{"open-all": {"ctrl+o"}}, clash: []string{"ctrl+o is bound to both open and open-all: open-all has it"}},
		{keys: map[string][]string{"open": {"y"}}},                                // a question has its own
		{keys: map[string][]string{"approve": {"ctrl+y"}, "up": {"no such key"}}}, // of an earlier version
		{keys: map[string][]string{"": {"y"}}, action: "", err: "there is no action"},
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

// What the configuration binds goes before what is bound by default.
func TestKeysOfAConfigurationGoFirst(t *testing.T) {
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
