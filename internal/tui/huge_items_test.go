package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// Huge items are drawn in parts or truncated, so that drawing a window stays fast.
func TestHugeItems(t *testing.T) {
	huge := strings.Repeat("A sentence of it with some words.\n\n", 20_000)
	var all []event.Event
	for i := range 3 {
		r, id := fmt.Sprint("r", i), fmt.Sprint("c", i)
		all = append(all, userSaid(huge), done(llm.Thinking, r, huge), done(llm.Assistant, r, huge), call(r, id, "shell"), start(id, "shell make", "execute"),
			result(id, "shell make", "execute", event.Failed, "exit code 1", huge, time.Second), &event.StepEnd{Reply: r}, turnEnd(event.Done, time.Second))
	}
	d := newDriver(t, 100, 30, screen.Options{Session: screen.Session{History: all}})
	for _, key := range []string{"", "ctrl+t"} {
		if key != "" {
			d.press(key)
		}
		for range 60 {
			d.press("pgup")
		}
		d.press("ctrl+home")
		for range 60 {
			d.press("pgdown")
		}
		for _, p := range d.m.session.Transcript.Pages.All {
			for _, r := range p.Rows {
				if n := len(r.Lines); n > 20_000 {
					t.Errorf("%T has %d lines in one row", r.Item, n)
				}
			}
		}
	}
}

// After an interrupt, streamed text is ignored. The finished message shows it.
func TestStreamIsIgnoredAfterInterrupt(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), streamed("r", "It begins"))
	d.press("esc")
	d.events(streamed("r", " and never ends"))
	if got := d.screen(); strings.Contains(got, "never ends") || !strings.Contains(got, "interrupting") {
		t.Errorf("after the interrupt:\n%s", got)
	}
	d.events(done(llm.Assistant, "r", "It begins and never ends"), turnEnd(event.UserInterrupt, 0))
	if got := d.screen(); !strings.Contains(got, "It begins and never ends") || !strings.Contains(got, "interrupted") {
		t.Errorf("after the end of the turn:\n%s", got)
	}
}
