package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// Key names of earlier versions in the configuration have no effect.
func TestRetiredKeys(t *testing.T) {
	old := map[string][]string{"say": {"f5"}, "approve": {"x"}, "open": {"f6"}, "down": {}}
	if diff := cmp.Diff(keys.Retired(old), []string{"approve", "down", "say"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	d := newDriver(t, 80, 24, screen.Options{Keys: old})
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
	d.armDialog()
	d.send(tea.KeyPressMsg{Code: tea.KeyF5})
	d.press("down", "enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Always})
}

func TestChords(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Keys: map[string][]string{"help": {"ctrl+x h"}, "line-start": {"ctrl+x a"}}})
	d.press("ctrl+x")
	if !strings.Contains(d.screen(), "ctrl+x …") {
		t.Errorf("the hint for an incomplete key sequence is missing:\n%s", d.screen())
	}
	d.press("h")
	if _, ok := d.m.layers.Full().(*help); !ok {
		t.Error("the key sequence does not open the help")
	}
	d.press("q")
	d.typeText("text")
	d.press("ctrl+x", "z") // not bound
	d.press("ctrl+x", "h") // works only in an empty prompt
	d.press("ctrl+x", "a")
	d.typeText("my ")
	if got := d.m.editor.Shown(); got != "my text" {
		t.Errorf("got %q in the editor", got)
	}
}

func TestActionsByName(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("two words")
	d.send(keys.DeleteWord.Press())
	d.send(keys.Help.Press()) // works only in an empty prompt
	if got := d.m.editor.Shown(); got != "two " {
		t.Errorf("got %q in the editor", got)
	}
	d.send(keys.Mouse.Press())
	if d.m.mouse.on {
		t.Error("mouse capture is still on")
	}
}

func TestEveryCommandIsDescribed(t *testing.T) {
	var names []string
	for _, s := range slash.BuiltIn() {
		if s.Name == "" || s.What == "" || s.Run == nil {
			t.Errorf("/%s lacks a name, a description or a function", s.Name)
		}
		names = append(names, s.Name, s.Also)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	slices.Sort(names)
	if once := slices.Compact(slices.Clone(names)); len(once) != len(names) {
		t.Errorf("duplicate name in %v", names)
	}
}

func TestUnknownCommand(t *testing.T) {
	for typed, want := range map[string]string{
		"/modle": "Did you mean /model?", "/exti": "Did you mean /exit?", "/qwertyuiop": "Type /help for a list of commands.",
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeText(typed)
		d.press("enter")
		if !strings.Contains(d.screen(), want) {
			t.Errorf("%s: %q is missing:\n%s", typed, want, d.screen())
		}
		if got := d.m.editor.Shown(); got != typed {
			t.Errorf("%s: got %q in the editor", typed, got)
		}
	}
}

// Shown is called once, after the start, whatever sizes the window has.
func TestShownIsCalledOnce(t *testing.T) {
	calls := 0
	d := newDriver(t, 80, 24, screen.Options{Shown: func() { calls++ }})
	if cmd := d.m.Init(); cmd != nil {
		cmd()
	}
	d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	if calls != 1 {
		t.Errorf("it was called %d times, want once", calls)
	}
}
