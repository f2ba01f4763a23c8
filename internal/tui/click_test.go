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

// clickOn clicks on the first letter of a text.
func (d *driver) clickOn(text string) {
	d.t.Helper()
	d.click(d.find(text))
}

func TestClickPlacesTheCaret(t *testing.T) {
	d := newDriver(t, 40, 24, screen.Options{})
	d.enter("one two three")
	d.press("ctrl+j")
	d.enter("日本語 and a line that is too long for the window")
	d.clickOn("two")
	d.enter("X")
	d.sees("one X▌wo three") // the cursor is drawn over a letter
	d.clickOn("and")
	d.enter("Y")
	d.sees("日本語 Y▌nd a")
	d.clickOn("window")
	d.enter("Z")
	_, y := d.find("for the Z")
	d.click(39, y) // behind the end of the row
	d.enter("!")
	d.press("enter")
	d.commands(event.Prompt{Text: "one Xtwo three\n日本語 Yand a line that is too long for the Zwindow!"})
}

// What does not fit is scrolled to by clicking on what does.
func TestClickInALongDraft(t *testing.T) {
	d := newDriver(t, 40, 24, screen.Options{Vi: true})
	for i := range 20 {
		d.enter(fmt.Sprintf("line %d", i))
		d.press("ctrl+j")
	}
	d.clickOn("line 15")
	d.enter("at ")
	d.press("esc")
	d.clickOn("line 18")
	d.press("x")
	d.sees("at line 15", "▌ne 18")
}

func TestDraggingInTheDraftCopies(t *testing.T) {
	var copied string
	d := newDriver(t, 60, 24, screen.Options{
		Clipboard: screen.Clipboard{Copy: func(text string) (string, error) {
			copied = text
			return "a clipboard", nil
		}},
	})
	d.enter("see cmd/main.go now")
	d.press("ctrl+j")
	d.enter("and then")
	x, y := d.find("cmd")
	_, end := d.find("and then")
	d.drag(x, y, 5, end)
	if diff := cmp.Diff(copied, "cmd/main.go now\nand"); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(d.m.View().Content, "\x1b[7mcmd/main.go now") {
		t.Errorf("it is not marked:\n%q", d.m.View().Content)
	}
	d.press("x")
	if strings.Contains(d.m.View().Content, "\x1b[7m") {
		t.Error("it is still marked after a key")
	}
	d.press("backspace")
	copied = ""
	d.pass(time.Second)
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

// Where what the mouse marks is not copied at once, it stays until a key copies
// it.
func TestMarkedIsCopiedByAKey(t *testing.T) {
	var copied []string
	d := newDriver(t, 60, 24, screen.Options{
		Clipboard: screen.Clipboard{NoCopyOnSelect: true, Copy: func(text string) (string, error) {
			copied = append(copied, text)
			return "a clipboard", nil
		}},
	})
	d.events(userSaid("go"), done(llm.Assistant, "r", "It says goodbye."), turnEnd(event.Done, 0))
	d.enter("see cmd/main.go now")
	for word, wide := range map[string]int{"cmd": 3, "goodbye": 2} { // in the draft, to before a letter
		x, y := d.find(word)
		d.drag(x, y, x+wide, y)
		d.sees("alt+w copies")
		if copied != nil {
			t.Errorf("%q was copied at once", copied)
		}
		d.press("alt+w")
		d.sees("copied 1 line")
		if diff := cmp.Diff(copied, []string{word[:3]}); diff != "" {
			t.Error(diff)
		}
		copied = nil
		d.press("alt+w") // nothing is marked any more
		if copied != nil {
			t.Errorf("%q was copied again", copied)
		}
	}
}

// A click on what tells of an item opens it in its place, another closes it; one
// on what it says does nothing, and two mark a word.
func TestClickOpensAnItem(t *testing.T) {
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
			t.Errorf("it is not open in its place, line %d:\n%s", y, d.screen())
		}
		d.golden("clicked-" + size)
		d.pass(time.Second)
		d.click(x, y+1)
		d.sees("some output")
		d.pass(time.Second)
		d.click(x, y)
		if diff := cmp.Diff(strings.Split(d.screen(), "\n"), strings.Split(before, "\n")); diff != "" {
			t.Errorf("it is not closed (-got +want):\n%s", diff)
		}
		d.events(userSaid("more"))
		d.sees("› more") // the end is followed again
		d.pass(time.Second)
		d.press("pgup")
		d.clickOn("thought  first")
		d.sees("second thought")
		d.pass(time.Second)
		x, y = d.find("thought")
		d.click(x, y)
		d.lacks("second thought")
		d.pass(time.Second)

		x, y = d.find("git status")
		d.click(x, y)
		d.click(x, y)
		d.lacks("some output")
		if copied != "git" {
			t.Errorf("two clicks copied %q", copied)
		}
		d.commands()
	})
}

// The wheel scrolls what the mouse is on, and a click takes what it is on.
func TestMouseInAQuestion(t *testing.T) {
	ask := event.Ask{ID: "5", Title: "ask", Effect: "read", Question: "Which one?",
		Choices: []event.Choice{{Text: "the first"}, {Text: "the second"}, {Text: "the third"}}}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), event.Asked{Ask: ask})
	d.pass(time.Second)
	d.clickOn("the second")
	d.sees("❯ 2  the second")
	d.clickOn("the second")
	d.commands() // a click never answers
	d.press("enter")
	d.commands(event.Answer{ID: "5", Decision: event.Answered, Choices: []int{1}})

	d.sent = nil
	ask.Many = true
	d.events(event.Asked{Ask: ask})
	d.pass(time.Second)
	d.clickOn("the second")
	d.clickOn("the third")
	d.clickOn("the first")
	d.clickOn("the second")
	d.sees("1 [x] the first", "2 [ ] the second", "3 [x] the third")
	d.clickOn("Something else")
	d.press("enter")
	d.enter("none at all")
	d.clickOn("at all")
	d.enter("of them ")
	d.press("enter")
	d.commands(event.Answer{ID: "5", Decision: event.Answered, Choices: []int{0, 2}, Note: "none of them at all"})

	d.sent = nil
	long := event.Diff{Path: "a.go", Unified: "@@ -1,40 +1,40 @@\n" + strings.Repeat("+line\n", 39) + "+the end of it\n", Added: 40}
	d.events(event.Asked{Ask: event.Ask{ID: "6", Title: "edit a.go", Effect: "write", Diffs: []event.Diff{long}}})
	d.pass(time.Second)
	_, y := d.find("Edit a.go?")
	for range 20 {
		d.send(tea.MouseWheelMsg{X: 3, Y: y + 2, Button: tea.MouseWheelDown})
	}
	d.sees("the end of it")
	d.clickOn("3  No")
	d.sees("❯ 3  No")
	d.clickOn("1  Yes")
	d.clickOn("1  Yes")
	d.sees("❯ 1  Yes")
	d.commands()
}

func TestMouseInLists(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{List: catalogue}})
	d.enter("/model")
	d.press("enter")
	x, y := d.find("acme/small")
	d.click(x, y+12)
	d.commands()
	d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	d.click(x, y)
	d.commands(event.SetModel{Model: "acme/small"})
	d.lacks("choose a model")

	d.enter("/ren")
	d.clickOn("/rename")
	d.sees("› /rename")
	d.press("ctrl+c")
	d.enter("/")
	first, _, _ := strings.Cut(d.screen(), "› /▌")
	x, y = d.find("/jobs")
	for range 40 {
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	}
	if after, _, _ := strings.Cut(d.screen(), "› /▌"); after == first {
		t.Errorf("the wheel does not move the suggestions:\n%s", d.screen())
	}
}

// The second of two clicks on the draft does not answer a question that came
// between them.
func TestClickAndAQuestion(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	ask := event.Ask{ID: "5", Title: "ask", Effect: "read", Question: "Which one?",
		Choices: []event.Choice{{Text: "the first"}, {Text: "the second"}}}
	d.pass(time.Minute)
	d.click(5, 21)
	d.events(event.Asked{Ask: ask})
	d.clickOn("the first")
	d.commands()
	d.pass(time.Second)
	d.clickOn("the second")
	d.sees("❯ 2  the second")
	d.commands()
}

// A key ends what the mouse marks, also while its button is down.
func TestKeyEndsMarking(t *testing.T) {
	var copied string
	d := newDriver(t, 60, 24, screen.Options{Clipboard: screen.Clipboard{Copy: func(text string) (string, error) { copied = text; return "", nil }}})
	d.enter("see cmd/main.go now")
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
