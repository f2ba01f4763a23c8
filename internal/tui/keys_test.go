package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
)

func TestDefaultKeysDoOneThing(t *testing.T) {
	if got := ClashingKeys(nil); got != nil {
		t.Errorf("keys clash:\n%s", strings.Join(got, "\n"))
	}
	seen := map[action]bool{}
	for _, b := range bindings() {
		if b.action != fixed && seen[b.action] {
			t.Errorf("%s stands in the table twice", b.action)
		}
		seen[b.action] = true
		for _, k := range b.keys {
			if name, err := keyName(k); err != nil || name != k {
				t.Errorf("%s: %q is called %q (%v)", b.action, k, name, err)
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
		action, err := CheckKeys(c.keys)
		if action != c.action || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: got %q, %v, want %q, %q", c.keys, action, err, c.action, c.err)
		}
		if err != nil {
			continue
		}
		if d := cmp.Diff(ClashingKeys(c.keys), c.clash); d != "" {
			t.Errorf("%v: %s", c.keys, d)
		}
	}
}

// A configuration of an earlier version sets keys that no longer exist. They
// change nothing.
func TestRetiredKeys(t *testing.T) {
	old := map[string][]string{"say": {"f5"}, "approve": {"x"}, "open": {"f6"}, "down": {}}
	if diff := cmp.Diff(RetiredKeys(old), []string{"approve", "down", "say"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	d := newDriver(t, 80, 24, Options{Keys: old})
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
	d.arms()
	d.send(tea.KeyPressMsg{Code: tea.KeyF5})
	d.press("down", "enter")
	d.commands(event.Answer{ID: "1", Decision: event.Always})
}

// What the configuration binds goes before what is bound by default.
func TestKeysOfAConfigurationGoFirst(t *testing.T) {
	k := newKeymap(map[string][]string{"open-all": {"ctrl+o"}, "suspend": {"ctrl+w"}})
	for key, want := range map[string]action{"ctrl+o": actOpenAll, "ctrl+w": actSuspend} {
		for _, b := range k.rows {
			if k.is(key, b.action) != (b.action == want) {
				t.Errorf("%s does %s: %t", key, b.action, k.is(key, b.action))
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
		if got, err := keyName(given); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", given, got, err, want)
		}
	}
}

func TestChords(t *testing.T) {
	d := newDriver(t, 80, 24, Options{Keys: map[string][]string{"help": {"ctrl+x h"}, "line-start": {"ctrl+x a"}}})
	d.press("ctrl+x")
	if !strings.Contains(d.screen(), "ctrl+x …") {
		t.Errorf("it is not said that more is to come:\n%s", d.screen())
	}
	d.press("h")
	if !d.m.help.open {
		t.Error("two keys one after the other do not open the help")
	}
	d.press("q")
	d.enter("text")
	d.press("ctrl+x", "z") // nothing is bound to it
	d.press("ctrl+x", "h") // on an empty prompt only
	d.press("ctrl+x", "a")
	d.enter("my ")
	if got := d.m.editor.value(); got != "my text" {
		t.Errorf("got %q in the editor", got)
	}
}

func TestActionsByName(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.enter("two words")
	d.send(actEraseWord.press())
	d.send(actHelp.press()) // not on a prompt that holds something
	if got := d.m.editor.value(); got != "two " {
		t.Errorf("got %q in the editor", got)
	}
	d.send(actMouse.press())
	if d.m.mouse {
		t.Error("the mouse is not given away")
	}
}

func TestEveryCommandIsTold(t *testing.T) {
	var names []string
	for _, s := range slashes() {
		if s.name == "" || s.what == "" || s.run == nil {
			t.Errorf("/%s is told nowhere, or does nothing", s.name)
		}
		names = append(names, s.name, s.also)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	slices.Sort(names)
	if once := slices.Compact(slices.Clone(names)); len(once) != len(names) {
		t.Errorf("a name is there twice: %v", names)
	}
}

func TestUnknownCommand(t *testing.T) {
	for typed, want := range map[string]string{
		"/modle": "did you mean /model?", "/exti": "did you mean /exit?", "/qwertyuiop": "/help lists them",
	} {
		d := newDriver(t, 80, 24, Options{})
		d.enter(typed)
		d.press("enter")
		if !strings.Contains(d.screen(), want) {
			t.Errorf("%s: it is not said that %s:\n%s", typed, want, d.screen())
		}
		if got := d.m.editor.value(); got != typed {
			t.Errorf("%s: got %q in the editor", typed, got)
		}
	}
}
