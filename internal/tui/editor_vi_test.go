package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestViKeys(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true, Session: screen.Session{History: []event.Event{userSaid("one"), turnEnd(event.Done, 0)}}})
	d.events(userSaid("go"))
	d.enter("hello world")
	d.press("esc") // goes to normal mode, and stops nothing
	d.commands()
	d.shows("normal")
	if c := d.m.View().Cursor; c == nil || c.Shape != tea.CursorBlock {
		t.Errorf("the cursor is no block: %v", c)
	}
	d.enter("bd")
	d.shows("normal · d")
	d.enter("w")
	d.holds("hello ")
	d.enter("u")
	d.holds("hello world")
	d.enter("0vl")
	d.shows("visual")
	d.press("esc", "esc") // the second one is in normal mode
	d.commands(event.Interrupt{})
	d.events(turnEnd(event.UserInterrupt, 0))
	d.enter("k")
	d.holds("go")
	d.enter("k")
	d.holds("one")
	d.enter("jj")
	d.holds("hello world")
	d.enter("A!")
	d.press("enter")
	d.commands(event.Interrupt{}, event.Prompt{Text: "hello world!"})
	d.events(userSaid("hello world!"), turnEnd(event.Done, 0))
	d.enter("i") // insert mode again
	d.holds("i")
	d.hides("normal")
	d.press("backspace", "esc", "esc", "esc")
	d.shows("Rewind to before")
}

// ctrl+c ends what is begun, as esc does and as many know it; a turn it stops
// all the same.
func TestViInterrupts(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.enter("hello world")
	d.press("ctrl+c")
	d.holds("hello world")
	d.shows("normal")
	d.enter("d")
	d.press("ctrl+c")
	d.enter("0vl")
	d.press("ctrl+c")
	d.holds("hello world")
	d.enter("A!")
	d.events(userSaid("go"))
	d.press("ctrl+c")
	d.commands(event.Interrupt{})
	d.events(turnEnd(event.UserInterrupt, 0))
	d.holds("hello world!")
	d.press("ctrl+c", "ctrl+c")
	d.holds("")
	d.shows("? help")
	d.press("ctrl+c")
	d.shows("ctrl+c again to quit")
}

// What is said with a refusal is typed with the same keys.
func TestViKeysInADialog(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "c1", Title: "shell make", Effect: "execute"}})
	d.arms()
	d.enter("not now")
	d.press("esc", "d", "b", "enter")
	d.commands(event.Answer{ID: "c1", Decision: event.Refuse, Note: "not w"})
}

// What vi looks for is typed in a line of its own, which has all keys.
func TestViLooksInTheDraft(t *testing.T) {
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
		d.enter("one two")
		d.press("ctrl+j")
		d.enter("three")
		d.press(strings.Fields(c.keys)...)
		if got := d.m.editor.Shown(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
		d.commands()
	}
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.enter("one two")
	d.press("esc", "0", "/")
	d.shows("normal · /")
	d.send(tea.PasteMsg{Content: "tw\n"})
	d.shows("normal · /tw")
	d.press("enter", "x")
	d.holds("one wo")
}

// Where keys are commands, those that begin one of the program do so.
func TestViBeginsCommands(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.press("esc", ":")
	d.shows("Command palette")
	d.press("esc", "/")
	d.enter("hel")
	d.holds("/hel")
	d.press("ctrl+c", "ctrl+c", "esc", "?")
	d.shows("any key closes this")
}

// Keys that are typed do not walk to other prompts, and what is marked stays.
func TestViWalksFromNormalModeOnly(t *testing.T) {
	history := []event.Event{userSaid("earlier"), turnEnd(event.Done, 0)}
	for keys, want := range map[string]string{
		"esc k": "earlier", "esc v k d": "ab", "esc 0 R k j esc": "kjc", "esc d k": "abc", "esc f k": "abc", "esc r j": "abj",
	} {
		d := newDriver(t, 80, 24, screen.Options{Vi: true, Session: screen.Session{History: history}})
		d.enter("abc")
		d.press(strings.Fields(keys)...)
		if got := d.m.editor.Shown(); got != want {
			t.Errorf("%s: got %q, want %q", keys, got, want)
		}
	}
}

// Numbers are counted up and down with keys that begin others elsewhere.
func TestViNumbers(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.enter("version 9")
	d.press("esc", "ctrl+a")
	d.holds("version 10")
	d.press("3", "ctrl+x")
	d.holds("version 7")
	d.press("i", "ctrl+x")
	d.shows("ctrl+x …")
}

// The register + is the clipboard.
func TestViClipboard(t *testing.T) {
	var got []string
	d := newDriver(t, 80, 24, screen.Options{Vi: true, Clipboard: screen.Clipboard{Copy: func(text string) (string, error) { got = append(got, text); return "wl-copy", nil }}})
	d.enter("one two")
	d.press("esc", "0")
	d.enter(`"+yw`)
	d.shows("copied 1 line")
	d.enter(`yy"*yiwdd"+p`)
	d.holds("one")
	if want := "one |one"; strings.Join(got, "|") != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// The mode is said, and which key stops a turn in it.
func TestViModeIsSaid(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Vi: true})
	d.shows("insert ──")
	d.press("esc")
	d.shows("normal ──")
	d.enter("i")
	d.enter("abc")
	d.press("esc", "R")
	d.shows("replace ──")
	d.press("esc")
	d.enter(`V"a2`)
	d.shows(`visual lines · "a2 ──`)
	d.press("esc", "i")
	d.events(userSaid("go"))
	d.shows("ctrl+c to interrupt")
	d.press("esc")
	d.commands()
	d.shows("esc to interrupt")
}
