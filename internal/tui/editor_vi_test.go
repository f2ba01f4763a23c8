package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestViKeys(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true, Session: screen.Session{History: []event.Event{userSaid("one"), turnEnd(event.Done, 0)}}})
	d.events(userSaid("go"))
	d.typeText("hello world")
	d.press("esc") // enters normal mode without interrupting
	d.wantCommands()
	d.shows("normal")
	if c := d.m.View().Cursor; c == nil || c.Shape != tea.CursorBlock {
		t.Errorf("got cursor %v, want a block", c)
	}
	d.typeText("bd")
	d.shows("normal · d")
	d.typeText("w")
	d.promptIs("hello ")
	d.typeText("u")
	d.promptIs("hello world")
	d.typeText("0vl")
	d.shows("visual")
	d.press("esc", "esc") // the second one interrupts
	d.wantCommands(event.Interrupt{})
	d.events(done(llm.Assistant, "r", "Well"), turnEnd(event.UserInterrupt, 0))
	d.typeText("k")
	d.promptIs("go")
	d.typeText("k")
	d.promptIs("one")
	d.typeText("jj")
	d.promptIs("hello world")
	d.typeText("A!")
	d.press("enter")
	d.wantCommands(event.Interrupt{}, event.Prompt{Text: "hello world!"})
	d.events(userSaid("hello world!"), turnEnd(event.Done, 0))
	d.typeText("i") // insert mode again
	d.promptIs("i")
	d.hides("normal")
	d.press("backspace", "esc", "esc", "esc")
	d.shows("Rewind the session")
}

// Ctrl+C cancels a pending command or leaves the mode, like esc. While a turn runs, it
// interrupts the turn.
func TestViCtrlC(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.typeText("hello world")
	d.press("ctrl+c")
	d.promptIs("hello world")
	d.shows("normal")
	d.typeText("d")
	d.press("ctrl+c")
	d.typeText("0vl")
	d.press("ctrl+c")
	d.promptIs("hello world")
	d.typeText("A!")
	d.events(userSaid("go"))
	d.press("ctrl+c")
	d.wantCommands(event.Interrupt{})
	d.events(turnEnd(event.UserInterrupt, 0))
	d.promptIs("hello world!")
	d.press("ctrl+c", "ctrl+c")
	d.promptIs("")
	d.shows("? help")
	d.press("ctrl+c")
	d.shows("ctrl+c again to quit")
}

// The comment in a dialog has vi keys too.
func TestViKeysInADialog(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "c1", Title: "shell make", Effect: "execute"}})
	d.armDialog()
	d.typeText("not now")
	d.press("esc", "d", "b", "enter")
	d.wantCommands(event.Answer{ID: "c1", Decision: event.Refuse, Note: "not w"})
}

// The vi search pattern is typed in its own line, which gets all keys.
func TestViSearch(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"esc 0 / t w enter i X", "one Xtwo\nthree"},
		{"esc g g / t enter n i X", "one two\nXthree"},
		{"esc ? o n e enter x", "ne two\nthree"},
		{"esc g g / t w ctrl+c x", "ne two\nthree"},
		{"esc g g / t w esc x", "ne two\nthree"},
		{"esc g g / t w ctrl+u t h enter x", "one two\nhree"},
		{"esc g g / t x backspace h enter x", "one two\nhree"},
		{"esc g g d / t w enter", "two\nthree"},
		{"esc g g / k up down tab ctrl+f pgup ctrl+o enter x", "ne two\nthree"},
	} {
		d := newDriver(t, 80, 24, screen.Options{Vi: true})
		d.typeText("one two")
		d.press("ctrl+j")
		d.typeText("three")
		d.press(strings.Fields(c.keys)...)
		if got := d.m.editor.Shown(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
		d.wantCommands()
	}
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.typeText("one two")
	d.press("esc", "0", "/")
	d.shows("normal · /")
	d.send(tea.PasteMsg{Content: "tw\n"})
	d.shows("normal · /tw")
	d.press("enter", "x")
	d.promptIs("one wo")
}

// In normal mode with an empty prompt, ":", "/" and "?" open the palette, the commands
// and the help.
func TestViOpensCommands(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.press("esc", ":")
	d.shows("Command palette")
	d.press("esc", "/")
	d.typeText("hel")
	d.promptIs("/hel")
	d.press("ctrl+c", "ctrl+c", "esc", "?")
	d.shows("any key closes this")
}

// k and j move through the prompt history only in normal mode, and not as part of a
// command.
func TestViHistoryInNormalModeOnly(t *testing.T) {
	history := []event.Event{userSaid("earlier"), turnEnd(event.Done, 0)}
	for keys, want := range map[string]string{
		"esc k": "earlier", "esc v k d": "ab", "esc 0 R k j esc": "kjc", "esc d k": "abc", "esc f k": "abc", "esc r j": "abj",
	} {
		d := newDriver(t, 80, 24, screen.Options{Vi: true, Session: screen.Session{History: history}})
		d.typeText("abc")
		d.press(strings.Fields(keys)...)
		if got := d.m.editor.Shown(); got != want {
			t.Errorf("%s: got %q, want %q", keys, got, want)
		}
	}
}

// In normal mode, ctrl+x starts a chord too.
func TestViChordInNormalMode(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.typeText("version 9")
	d.press("esc", "ctrl+x")
	d.shows("ctrl+x …")
	d.promptIs("version 9")
}

// The hints show the mode and the key that interrupts a turn in it.
func TestViModeIsShown(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.shows("insert ──")
	d.press("esc")
	d.shows("normal ──")
	d.typeText("i")
	d.typeText("abc")
	d.press("esc", "R")
	d.shows("replace ──")
	d.press("esc")
	d.typeText("V2i")
	d.shows("visual lines · 2i ──")
	d.press("esc", "i")
	d.events(userSaid("go"))
	d.shows("ctrl+c to interrupt")
	d.press("esc")
	d.wantCommands()
	d.shows("esc to interrupt")
}
