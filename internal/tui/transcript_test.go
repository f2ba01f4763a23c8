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

// A scrolled transcript keeps its position while text streams in, shows that there is
// more below, and follows the end again once it is reached.
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
			t.Errorf("the text moved from\n%s\nto\n%s", want, got)
		}
		d.press("ctrl+home")
		if !strings.Contains(d.screen(), "prompt 0") {
			t.Errorf("ctrl+home does not show the beginning:\n%s", d.screen())
		}
		d.press("ctrl+end")
		if s := d.screen(); !strings.Contains(s, "and more") || strings.Contains(s, "more below") {
			t.Errorf("ctrl+end does not show the end:\n%s", s)
		}
		d.press("pgup", "pgdown", "pgdown")
		if !d.m.session.Transcript.Follow {
			t.Error("the transcript does not follow after scrolling to the end")
		}
	})
}

// transcriptText returns the lines of the screen that show the transcript.
func transcriptText(d *driver) string {
	lines := strings.Split(d.screen(), "\n")
	return strings.Join(lines[:d.m.session.Transcript.Height], "\n")
}

func TestSendingScrollsToTheEnd(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(200)}})
	d.press("pgup", "pgup", "x", "enter")
	if !d.m.session.Transcript.Follow {
		t.Error("the transcript does not follow after sending a prompt")
	}
}

// After resizing to many sizes and back, the screen is unchanged.
func TestResizing(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(60)}})
	d.events(asked()...)
	before := d.screen()
	step := 1
	if testing.Short() {
		step = 7
	}
	for w := 0; w < 90; w += step {
		for _, h := range []int{0, 1, 2, 3, 5, 9, 12, 30} {
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
		}
	}
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := d.screen(); got != before {
		t.Errorf("the screen changed from\n%s\nto\n%s", before, got)
	}
}

func TestExpandOutput(t *testing.T) {
	d := newDriver(t, 80, 40, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), start("1", "shell make", "execute"),
		result("1", "shell make", "execute", event.OK, "", "the whole output\nof it", time.Second))
	for range 2 {
		if strings.Contains(d.screen(), "whole output") {
			t.Errorf("the output is not collapsed:\n%s", d.screen())
		}
		d.press("ctrl+o")
		if !strings.Contains(d.screen(), "whole output") {
			t.Errorf("the output is not expanded:\n%s", d.screen())
		}
		d.press("ctrl+o")
	}
	d.press("ctrl+t")
	d.events(done(llm.Thinking, "r2", "A thought.\nAnd its second line."))
	if s := d.screen(); !strings.Contains(s, "whole output") || !strings.Contains(s, "second line") {
		t.Errorf("not everything is expanded:\n%s", s)
	}
}

// The ticker runs only during a turn.
func TestNoTicksWhenIdle(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: long(20)}})
	if d.m.ticker.ticking {
		t.Error("the ticker runs before the first turn")
	}
	d.events(userSaid("go"))
	if !d.m.ticker.ticking {
		t.Error("the ticker does not run during a turn")
	}
	d.events(turnEnd(event.Done, time.Second))
	d.advance(time.Second)
	if d.m.ticker.ticking {
		t.Error("the ticker runs after the turn")
	}
}

// The jump keys scroll from prompt to prompt, also through pages that are not loaded.
func TestJumpToPrompts(t *testing.T) {
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
			t.Fatalf("the first line is not %q:\n%s", want, got)
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
	if !d.m.session.Transcript.Follow {
		t.Error("jumping down from the last prompt does not reach the end")
	}
	d.press("ctrl+home", "alt+down")
	at(0)
	d.press("alt+up")
	if !strings.HasPrefix(d.screen(), "agent 0.1") {
		t.Errorf("jumping up from the first prompt does not reach the beginning:\n%s", d.screen())
	}
}
