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

// The window holds its place while text streams in below, says so, and goes
// back to following.
func TestScrolling(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		for i := range 30 {
			d.events(userSaid(fmt.Sprintf("prompt %d", i)), done(llm.Assistant, fmt.Sprint("r", i), fmt.Sprintf("answer %d", i)))
		}
		d.press("pgup")
		d.golden("scrolled-" + size)
		before := d.screen()
		d.events(streamed("r99", "more\n\n"), streamed("r99", "and more\n\n"), streamed("r99", "and more"))
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		if got, want := transcriptText(d), before[:len(transcriptText(d))]; got != want {
			t.Errorf("the window moved, from\n%s\nto\n%s", want, got)
		}
		d.press("ctrl+home")
		if !strings.Contains(d.screen(), "prompt 0") {
			t.Errorf("this is not the beginning:\n%s", d.screen())
		}
		d.press("ctrl+end")
		if s := d.screen(); !strings.Contains(s, "and more") || strings.Contains(s, "more below") {
			t.Errorf("this is not the end:\n%s", s)
		}
		d.press("pgup", "pgdown", "pgdown")
		if !d.m.Transcript.Follow {
			t.Error("reaching the end does not follow it")
		}
	})
}

// above is the part of the screen that is transcript.
func transcriptText(d *driver) string {
	lines := strings.Split(d.screen(), "\n")
	return strings.Join(lines[:d.m.Transcript.Height], "\n")
}

func TestSendingGoesToTheEnd(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(200)}})
	d.press("pgup", "pgup", "x", "enter")
	if !d.m.Transcript.Follow {
		t.Error("a prompt is sent and its answer is out of sight")
	}
}

// At every width and height, and back, the same is shown.
func TestResizing(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(60)}})
	d.events(asked()...)
	before := d.screen()
	for w := range 90 {
		for _, h := range []int{0, 1, 2, 3, 5, 9, 12, 30} {
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
		}
	}
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := d.screen(); got != before {
		t.Errorf("from\n%s\nto\n%s", before, got)
	}
}

func TestOpening(t *testing.T) {
	d := newDriver(t, 80, 40, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), start("1", "shell make", "execute"),
		result("1", "shell make", "execute", event.OK, "", "the whole output\nof it", time.Second))
	for range 2 {
		if strings.Contains(d.screen(), "whole output") {
			t.Errorf("output is open:\n%s", d.screen())
		}
		d.press("ctrl+o")
		if !strings.Contains(d.screen(), "whole output") {
			t.Errorf("output is closed:\n%s", d.screen())
		}
		d.press("ctrl+o")
	}
	d.press("ctrl+t")
	d.events(done(llm.Thinking, "r2", "A thought.\nAnd its second line."))
	if s := d.screen(); !strings.Contains(s, "whole output") || !strings.Contains(s, "second line") {
		t.Errorf("not all is open:\n%s", s)
	}
}

// When nothing runs, nothing asks to be drawn again.
func TestIdleDoesNotMove(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(20)}})
	if d.m.ticker.ticking {
		t.Error("it ticks before anything happened")
	}
	d.events(userSaid("go"))
	if !d.m.ticker.ticking {
		t.Error("it does not tick in a turn")
	}
	d.events(turnEnd(event.Done, time.Second))
	d.advance(time.Second)
	if d.m.ticker.ticking {
		t.Error("it ticks after the turn")
	}
}

// One goes from prompt to prompt, through pages that are not read as well.
func TestJumping(t *testing.T) {
	var all []event.Event
	for i := range 900 {
		r := fmt.Sprint("r", i)
		all = append(all, userSaid(fmt.Sprintf("prompt %d", i)), done(llm.Assistant, r, strings.Repeat("A paragraph.\n\n", 12)),
			&event.StepEnd{Reply: r}, turnEnd(event.Done, time.Second))
	}
	d := resumedAt(t, 80, 24, all, len(all)-200)
	at := func(prompt int) {
		t.Helper()
		if got, want := d.screen(), fmt.Sprintf("› prompt %d\n", prompt); !strings.HasPrefix(got, want) {
			t.Fatalf("%q is not at the top:\n%s", want, got)
		}
	}
	for i := range 60 {
		d.press("alt+up")
		at(899 - i)
	}
	d.press("pgdown", "alt+up")
	at(840)
	for i := range 59 {
		d.press("alt+down")
		at(841 + i)
	}
	d.press("alt+down")
	if !d.m.Transcript.Follow {
		t.Error("below the last prompt is not the end")
	}
	d.press("ctrl+home", "alt+down")
	at(0)
	d.press("alt+up")
	if !strings.HasPrefix(d.screen(), "agent 0.1") {
		t.Errorf("above the first prompt is not the beginning:\n%s", d.screen())
	}
}
