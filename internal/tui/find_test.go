package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// haystack returns a long session with a few search matches.
func haystack() []event.Event {
	var all []event.Event
	for i := range 300 {
		r, id := fmt.Sprint("r", i), fmt.Sprint("c", i)
		answer := strings.Repeat("Nothing of interest.\n\n", 5)
		if i%100 == 50 {
			answer += fmt.Sprintf("Here is a **needle**, number %d.\n\n", i) + answer
		}
		output := strings.Repeat("straw\n", 30)
		if i == 200 {
			output += "a Needle in the output\n" + output
		}
		all = append(all, userSaid(fmt.Sprintf("prompt %d", i)), done(llm.Assistant, r, answer), call(r, id, "shell"), start(id, "shell make", "execute"),
			result(id, "shell make", "execute", event.OK, "exit code 0", output, time.Second), &event.StepEnd{Reply: r}, turnEnd(event.Done, time.Second))
	}
	return all
}

func TestFind(t *testing.T) {
	all := haystack()
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := resumedAt(t, w, h, all, len(all)-70)
		d.press("ctrl+f")
		d.golden("find-" + size)
		d.typeText("needle")
		d.press("enter")
		d.shows("number 250", "1 of 4")
		d.golden("found-" + size)
		d.press("up")
		d.shows("a Needle in the output", "2 of 4") // the output is expanded now
		d.press("enter")
		d.shows("number 150", "3 of 4")
		d.press("enter", "enter")
		d.shows("number 50", "first match")
		d.press("down", "down")
		d.shows("a Needle in the output", "2 of 4")
		d.press("esc")
		d.shows("a Needle in the output", "more below")
		if strings.Contains(d.screen(), "find ") {
			t.Errorf("the search is still open:\n%s", d.screen())
		}
		d.wantCommands()
	})
}

// A capital letter in the pattern makes the search case-sensitive.
func TestFindSmartCase(t *testing.T) {
	all := haystack()
	d := resumedAt(t, 80, 24, all, len(all)-70)
	d.typeText("/find Needle")
	d.press("enter")
	d.shows("a Needle in the output", "1 of 1")
	d.press("ctrl+u")
	d.send(tea.PasteMsg{Content: "no such thing\nat all"})
	d.press("enter")
	d.shows("search  no such thing", "no match")
	for range 100 {
		d.press("backspace")
	}
	if got := d.screen(); strings.Contains(got, "no match") {
		t.Errorf("an empty pattern shows:\n%s", got)
	}
}

// While the search is open, keys only edit the pattern.
func TestFindTakesKeys(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(60)}})
	d.typeText("a draft")
	d.press("ctrl+f")
	d.typeText("y?q")
	d.press("tab", "left", "ctrl+f", "shift+enter", "enter")
	d.shows("search  y?q")
	d.events(userSaid("go"), streamed("r", "y?q"))
	d.press("esc")
	d.shows("› a draft")
	d.wantCommands()
	if d.quit {
		t.Error("the program quit")
	}
}

// Matches are highlighted in text of any style.
func TestMatchesAreHighlighted(t *testing.T) {
	d := newDriver(t, 60, 24, screen.Options{})
	d.events(userSaid("日本 Needle"), done(llm.Assistant, "r", "a `needle` and a **needle** and İ needle"), turnEnd(event.Done, time.Second))
	plain := d.screen()
	d.press("ctrl+f")
	d.typeText("needle")
	n := 0
	for _, l := range strings.Split(d.m.View().Content, "\n") {
		n += strings.Count(l, "\x1b[7m") + strings.Count(l, ";7m")
	}
	if n != 4 {
		t.Errorf("%d matches are highlighted, want 4:\n%q", n, d.m.View().Content)
	}
	above, _, _ := strings.Cut(d.screen(), "──")
	if !strings.HasPrefix(plain, above) {
		t.Errorf("the text changed, from\n%s\nto\n%s", plain, above)
	}
}

// A search that starts before event.Opened waits for it.
func TestFindBeforeOpened(t *testing.T) {
	all := haystack()
	d := bareDriver(t, screen.Options{Session: screen.Session{History: all[len(all)-70:]}})
	d.log = all
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.typeText("/find number 50")
	d.press("enter")
	d.shows("searching")
	d.events(openedEvent(all))
	d.shows("number 50.", "1 of 1")
}

// A new pattern cancels the running search. New messages are searched as they arrive.
func TestFindInNewMessages(t *testing.T) {
	all := haystack()
	d := resumedAt(t, 80, 24, all, len(all)-70)
	d.m.pager.Find.Start()
	_, old := d.m.Update(keyPress("n"))
	d.typeText("eedle")
	d.runCmd(old)
	d.shows("4 matches")
	d.events(userSaid("one more needle"), done(llm.Assistant, "z", "needles are found"), turnEnd(event.Done, time.Second))
	d.shows("6 matches")
	d.press("enter")
	d.shows("1 of 6")
}

// Streaming text is searched too.
func TestFindInStreamingText(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("go", "enter")
	d.events(userSaid("go"), streamed("r1", strings.Repeat("A line of it.\n\n", 30)+"the Needle"))
	d.press("ctrl+home", "ctrl+f")
	d.typeText("needle")
	d.shows("in the current answer")
	d.hides("no match")
	d.press("enter")
	d.shows("the Needle")
	d.events(done(llm.Assistant, "r1", "the Needle"))
	d.shows("1 match")
}
