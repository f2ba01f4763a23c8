package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// click presses and releases the left button on a cell.
func (d *driver) click(x, y int) {
	d.t.Helper()
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// clickOn clicks on the first character of text.
func (d *driver) clickOn(text string) {
	d.t.Helper()
	d.click(d.find(text))
}

func TestClickPlacesTheCaret(t *testing.T) {
	d := newDriver(t, 40, 24, screen.Options{})
	d.typeText("one two three")
	d.press("ctrl+j")
	d.typeText("日本語 and a line that is too long for the window")
	d.clickOn("two")
	d.typeText("X")
	d.shows("one X▌wo three") // the cursor is drawn over a letter
	d.clickOn("and")
	d.typeText("Y")
	d.shows("日本語 Y▌nd a")
	d.clickOn("window")
	d.typeText("Z")
	_, y := d.find("for the Z")
	d.click(39, y) // after the end of the line
	d.typeText("!")
	d.press("enter")
	d.wantCommands(event.Prompt{Text: "one Xtwo three\n日本語 Yand a line that is too long for the Zwindow!"})
}

// Clicks in a long draft account for its scroll position.
func TestClickInALongDraft(t *testing.T) {
	d := newDriver(t, 40, 24, screen.Options{Vi: true})
	for i := range 20 {
		d.typeText(fmt.Sprintf("line %d", i))
		d.press("ctrl+j")
	}
	d.clickOn("line 15")
	d.typeText("at ")
	d.press("esc")
	d.clickOn("line 18")
	d.press("x")
	d.shows("at line 15", "▌ne 18")
}

func TestDraggingInTheDraftCopies(t *testing.T) {
	var copied string
	d := newDriver(t, 60, 24, screen.Options{
		Clipboard: screen.Clipboard{Copy: func(text string) (string, error) {
			copied = text
			return "a clipboard", nil
		}},
	})
	d.typeText("see cmd/main.go now")
	d.press("ctrl+j")
	d.typeText("and then")
	x, y := d.find("cmd")
	_, end := d.find("and then")
	d.drag(x, y, 5, end)
	if diff := cmp.Diff(copied, "cmd/main.go now\nand"); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(d.m.View().Content, "\x1b[7mcmd/main.go now") {
		t.Errorf("the selection is not shown:\n%q", d.m.View().Content)
	}
	d.press("x")
	if strings.Contains(d.m.View().Content, "\x1b[7m") {
		t.Error("the selection is still shown after a key")
	}
	d.press("backspace")
	copied = ""
	d.advance(time.Second)
	d.click(x+5, y)
	if copied != "" {
		t.Errorf("a click copied %q", copied)
	}
	d.click(x+5, y)
	if diff := cmp.Diff(copied, "cmd/main.go"); diff != "" {
		t.Error(diff)
	}
	d.click(x+5, y)
	if diff := cmp.Diff(copied, "see cmd/main.go now"); diff != "" {
		t.Error(diff)
	}
}

// With NoCopyOnSelect, a mouse selection is copied only by a key.
func TestKeyCopiesMouseSelection(t *testing.T) {
	var copied []string
	d := newDriver(t, 60, 24, screen.Options{
		Clipboard: screen.Clipboard{NoCopyOnSelect: true, Copy: func(text string) (string, error) {
			copied = append(copied, text)
			return "a clipboard", nil
		}},
	})
	d.events(userSaid("go"), done(llm.Assistant, "r", "It says goodbye."), turnEnd(event.Done, 0))
	d.typeText("see cmd/main.go now")
	for word, wide := range map[string]int{"cmd": 3, "goodbye": 2} { // in the draft the end is exclusive
		x, y := d.find(word)
		d.drag(x, y, x+wide, y)
		d.shows("alt+w copies")
		if copied != nil {
			t.Errorf("%q was copied without the key", copied)
		}
		d.press("alt+w")
		d.shows("copied 1 line")
		if diff := cmp.Diff(copied, []string{word[:3]}); diff != "" {
			t.Error(diff)
		}
		copied = nil
		d.press("alt+w") // nothing is selected now
		if copied != nil {
			t.Errorf("%q was copied again", copied)
		}
	}
}

// A click on the first line of an item expands or collapses it in place. A click on its
// output does nothing, and a double click selects a word.
func TestClickExpandsAnItem(t *testing.T) {
	output := strings.Repeat("some output\n", 10) + "the last of it"
	events := []event.Event{userSaid("look"), done(llm.Thinking, "r", "first thought\nsecond thought"), call("r", "1", "shell"), call("r", "2", "shell"),
		start("1", "shell make", "execute"), result("1", "shell make", "execute", event.OK, "", output, time.Second),
		start("2", "shell git status", "execute"), result("2", "shell git status", "execute", event.OK, "", output, time.Second),
		&event.StepEnd{Reply: "r"}, done(llm.Assistant, "r2", "It is made."), turnEnd(event.Done, time.Second)}
	sizes(t, func(t *testing.T, size string, w, h int) {
		var copied string
		d := newDriver(t, w, h, screen.Options{Clipboard: screen.Clipboard{Copy: func(text string) (string, error) { copied = text; return "", nil }}})
		d.events(events...)
		before := d.screen()
		x, y := d.find("shell  make")
		d.click(x, y)
		if lines := strings.Split(d.screen(), "\n"); !strings.Contains(lines[y], "shell  make") || !strings.Contains(lines[y+1], "some output") {
			t.Errorf("the item is not expanded at line %d:\n%s", y, d.screen())
		}
		d.golden("clicked-" + size)
		d.advance(time.Second)
		d.click(x, y+1)
		d.shows("some output")
		d.advance(time.Second)
		d.click(x, y)
		if diff := cmp.Diff(strings.Split(d.screen(), "\n"), strings.Split(before, "\n")); diff != "" {
			t.Errorf("the item is not collapsed (-got +want):\n%s", diff)
		}
		d.events(userSaid("more"))
		d.shows("› more") // the end is followed again
		d.advance(time.Second)
		d.press("pgup")
		d.clickOn("thought  first")
		d.shows("second thought")
		d.advance(time.Second)
		x, y = d.find("thought")
		d.click(x, y)
		d.hides("second thought")
		d.advance(time.Second)

		x, y = d.find("git status")
		d.click(x, y)
		d.click(x, y)
		d.hides("some output")
		if copied != "git" {
			t.Errorf("a double click copied %q", copied)
		}
		d.wantCommands()
	})
}

// In a dialog, a click marks the row under the mouse and the wheel scrolls the body.
func TestMouseInADialog(t *testing.T) {
	ask := event.Ask{ID: "5", Title: "ask", Effect: "read", Question: "Which one?",
		Choices: []event.Choice{{Text: "the first"}, {Text: "the second"}, {Text: "the third"}}}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), event.Asked{Ask: ask})
	d.advance(time.Second)
	d.clickOn("the second")
	d.shows("❯ 2  the second")
	d.clickOn("the second")
	d.wantCommands() // a click never answers
	d.press("enter")
	d.wantCommands(event.Answer{ID: "5", Decision: event.Answered, Choices: []int{1}})

	d.sent = nil
	ask.Many = true
	d.events(event.Asked{Ask: ask})
	d.advance(time.Second)
	d.clickOn("the second")
	d.clickOn("the third")
	d.clickOn("the first")
	d.clickOn("the second")
	d.shows("1 [x] the first", "2 [ ] the second", "3 [x] the third")
	d.clickOn("Something else")
	d.press("enter")
	d.typeText("none at all")
	d.clickOn("at all")
	d.typeText("of them ")
	d.press("enter")
	d.wantCommands(event.Answer{ID: "5", Decision: event.Answered, Choices: []int{0, 2}, Note: "none of them at all"})

	d.sent = nil
	long := event.Diff{Path: "a.go", Unified: "@@ -1,40 +1,40 @@\n" + strings.Repeat("+line\n", 39) + "+the end of it\n", Added: 40}
	d.events(event.Asked{Ask: event.Ask{ID: "6", Title: "edit a.go", Effect: "write", Diffs: []event.Diff{long}}})
	d.advance(time.Second)
	_, y := d.find("Edit a.go?")
	for range 20 {
		d.send(tea.MouseWheelMsg{X: 3, Y: y + 2, Button: tea.MouseWheelDown})
	}
	d.shows("the end of it")
	d.clickOn("3  No")
	d.shows("❯ 3  No")
	d.clickOn("1  Yes")
	d.clickOn("1  Yes")
	d.shows("❯ 1  Yes")
	d.wantCommands()
}

func TestMouseInLists(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{List: modelCatalog}})
	d.typeText("/model")
	d.press("enter")
	x, y := d.find("acme/small")
	d.click(x, y+12)
	d.wantCommands()
	d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	d.click(x, y)
	d.wantCommands(event.SetModel{Model: "acme/small"})
	d.hides("choose a model")

	d.typeText("/ren")
	d.clickOn("/rename")
	d.shows("› /rename")
	d.press("ctrl+c")
	d.typeText("/")
	first, _, _ := strings.Cut(d.screen(), "› /▌")
	x, y = d.find("/model")
	for range 40 {
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	}
	if after, _, _ := strings.Cut(d.screen(), "› /▌"); after == first {
		t.Errorf("the wheel does not move the suggestions:\n%s", d.screen())
	}
}

// If a dialog opens between the clicks of a double click on the draft, the second click
// does not answer it.
func TestDoubleClickDoesNotAnswer(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	ask := event.Ask{ID: "5", Title: "ask", Effect: "read", Question: "Which one?",
		Choices: []event.Choice{{Text: "the first"}, {Text: "the second"}}}
	d.advance(time.Minute)
	d.click(5, 21)
	d.events(event.Asked{Ask: ask})
	d.clickOn("the first")
	d.wantCommands()
	d.advance(time.Second)
	d.clickOn("the second")
	d.shows("❯ 2  the second")
	d.wantCommands()
}

// A key press ends a mouse selection, even while the button is down.
func TestKeyEndsMouseSelection(t *testing.T) {
	var copied string
	d := newDriver(t, 60, 24, screen.Options{Clipboard: screen.Clipboard{Copy: func(text string) (string, error) { copied = text; return "", nil }}})
	d.typeText("see cmd/main.go now")
	x, y := d.find("cmd")
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseMotionMsg{X: x + 2, Y: y, Button: tea.MouseLeft})
	d.press("end")
	d.send(tea.MouseMotionMsg{X: x + 4, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x + 4, Y: y, Button: tea.MouseLeft})
	if copied != "" {
		t.Errorf("copied %q", copied)
	}
}
