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

// A shell command whose output spans several pages is shown exactly once, whatever
// pages were unloaded in the meantime. It stays in the transcript while it runs.
func TestShellCommandAcrossPages(t *testing.T) {
	for _, before := range []int{0, 1, 5, 8} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.m.session.Transcript.Pages.Limit = smallPages
		step := func(i int) {
			r := fmt.Sprint("r", i)
			d.events(done(llm.Assistant, r, fmt.Sprintf("step %d", i)), &event.StepEnd{Reply: r})
		}
		d.events(userSaid("go"))
		for i := range 40 {
			step(i)
		}
		for i := range before {
			step(100 + i)
		}
		d.events(&event.ShellStart{ID: "s", Line: "make all", Join: true})
		for i := range 30 {
			step(200 + i)
		}
		d.events(event.Progress{ID: "s", Text: "compiling\n"})
		for range 8 {
			d.press("pgup")
		}
		d.press("ctrl+home", "ctrl+end")
		if got := d.fullTranscript(); strings.Count(got, "make all") != 1 || !strings.Contains(got, "compiling") {
			t.Errorf("while it runs the command is shown %d times:\n%s", strings.Count(got, "make all"), got)
		}
		d.events(&event.ShellEnd{ID: "s", Line: "make all", Join: true, Text: "all is made", Outcome: event.OK, Duration: time.Second})
		for i := range before + 2 {
			step(300 + i)
		}
		live := d.fullTranscript()
		if strings.Count(live, "make all") != 1 || strings.Count(live, "all is made") != 1 {
			t.Errorf("after its end the command is shown %d times, with %d steps before it:\n%s", strings.Count(live, "make all"), before, live)
		}
		for i := range 90 {
			step(400 + i)
		}
		d.press("ctrl+home", "ctrl+end")
		if got := d.fullTranscript(); strings.Count(got, "make all") != 1 || strings.Count(got, "all is made") != 1 {
			t.Errorf("after reloading, the command is shown %d times, with %d steps before it", strings.Count(got, "make all"), before)
		}
	}
}

// fullTranscript scrolls from the beginning to the end and returns all lines.
func (d *driver) fullTranscript() string {
	d.t.Helper()
	d.press("ctrl+home")
	var all []string
	last := ""
	for range 2000 {
		lines := strings.Split(d.screen(), "\n")
		if now := strings.Join(lines[:d.m.session.Transcript.Height], "\n"); now != last {
			last = now
			all = append(all, lines[0])
		}
		if d.m.session.Transcript.Follow {
			return strings.Join(append(all, lines[1:d.m.session.Transcript.Height]...), "\n")
		}
		d.m.session.Transcript.Scroll(1)
		d.send(tea.WindowSizeMsg{Width: d.m.Width, Height: d.m.Height})
	}
	d.t.Fatal("scrolling does not reach the end")
	return ""
}

// The visible text does not move when a running command changes pages or ends.
func TestShellCommandKeepsThePosition(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.m.session.Transcript.Pages.Limit = smallPages
	step := func(i int) {
		r := fmt.Sprint("r", i)
		d.events(done(llm.Assistant, r, fmt.Sprintf("step %d", i)), &event.StepEnd{Reply: r})
	}
	d.events(userSaid("go"))
	for i := range 20 {
		step(i)
	}
	d.events(&event.ShellStart{ID: "s", Line: "make all", Join: true})
	for i := 20; i < 60; i++ {
		step(i)
		if i == 40 {
			d.press("pgup")
		}
		if i > 40 {
			d.shows("step 30")
		}
	}
	before := strings.Split(d.screen(), "\n")[:d.m.session.Transcript.Height]
	d.events(&event.ShellEnd{ID: "s", Line: "make all", Join: true, Text: "all is made", Outcome: event.OK})
	if diff := cmp.Diff(strings.Split(d.screen(), "\n")[:d.m.session.Transcript.Height], before); diff != "" {
		t.Errorf("the text moved (-got +want):\n%s", diff)
	}
}
