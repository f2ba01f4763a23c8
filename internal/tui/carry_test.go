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

// A command that runs across pages is told once, wherever one was and whatever
// was dropped meanwhile, and is in sight while it runs.
func TestCommandAcrossPages(t *testing.T) {
	for _, before := range []int{0, 1, 5, 8} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.m.Transcript.PageLimit = small
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
		if got := d.everything(); strings.Count(got, "make all") != 1 || !strings.Contains(got, "compiling") {
			t.Errorf("while it runs it is told %d times:\n%s", strings.Count(got, "make all"), got)
		}
		d.events(&event.ShellEnd{ID: "s", Line: "make all", Join: true, Text: "all is made", Outcome: event.OK, Duration: time.Second})
		for i := range before + 2 {
			step(300 + i)
		}
		live := d.everything()
		if strings.Count(live, "make all") != 1 || strings.Count(live, "all is made") != 1 {
			t.Errorf("it is told %d times, with %d steps before it:\n%s", strings.Count(live, "make all"), before, live)
		}
		for i := range 90 {
			step(400 + i)
		}
		d.press("ctrl+home", "ctrl+end")
		if got := d.everything(); strings.Count(got, "make all") != 1 || strings.Count(got, "all is made") != 1 {
			t.Errorf("read again it is told %d times, with %d steps before it", strings.Count(got, "make all"), before)
		}
	}
}

// everything is what one sees who scrolls from the beginning to the end.
func (d *driver) everything() string {
	d.t.Helper()
	d.press("ctrl+home")
	var all []string
	last := ""
	for range 2000 {
		lines := strings.Split(d.screen(), "\n")
		if now := strings.Join(lines[:d.m.Transcript.Height], "\n"); now != last {
			last = now
			all = append(all, lines[0])
		}
		if d.m.Transcript.Follow {
			return strings.Join(append(all, lines[1:d.m.Transcript.Height]...), "\n")
		}
		d.m.Transcript.Scroll(1)
		d.send(tea.WindowSizeMsg{Width: d.m.Width, Height: d.m.Height})
	}
	d.t.Fatal("there is no end")
	return ""
}

// What one looks at stays where it is when a command that runs is taken along,
// and when it ends.
func TestCommandAcrossPagesHoldsThePlace(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.m.Transcript.PageLimit = small
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
			d.sees("step 30")
		}
	}
	before := strings.Split(d.screen(), "\n")[:d.m.Transcript.Height]
	d.events(&event.ShellEnd{ID: "s", Line: "make all", Join: true, Text: "all is made", Outcome: event.OK})
	if diff := cmp.Diff(strings.Split(d.screen(), "\n")[:d.m.Transcript.Height], before); diff != "" {
		t.Errorf("it moved (-got +want):\n%s", diff)
	}
}
