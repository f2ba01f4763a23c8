package tui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// lastLine returns the last line of the screen.
func (d *driver) lastLine() string {
	d.t.Helper()
	lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
	return lines[len(lines)-1]
}

// The pager shows its position. It decreases with every page up, even in pages that are
// not loaded yet, and "end" is shown only at the end.
func TestPagerShowsThePosition(t *testing.T) {
	all := long(3000)
	d := resumedAt(t, 100, 24, all, len(all)-60)
	d.press("ctrl+g")
	if got := d.lastLine(); !strings.HasSuffix(got, "end · prompt 500 of 500") {
		t.Errorf("at the end the last line is %q", got)
	}
	at := regexp.MustCompile(`  (\d+)% · prompt (\d+) of 500$`)
	lastPercent, lastPrompt := 100, 500
	for range 40 {
		for range 10 {
			d.press("b")
		}
		found := at.FindStringSubmatch(d.lastLine())
		if found == nil {
			t.Fatalf("the position is missing: %q", d.lastLine())
		}
		percent, _ := strconv.Atoi(found[1])
		prompt, _ := strconv.Atoi(found[2])
		if percent > lastPercent || prompt > lastPrompt {
			t.Errorf("page up moved from %d%%, prompt %d to %d%%, prompt %d", lastPercent, lastPrompt, percent, prompt)
		}
		lastPercent, lastPrompt = percent, prompt
	}
	if lastPercent > 60 || lastPrompt > 300 {
		t.Errorf("after 400 pages up the position is %d%%, prompt %d", lastPercent, lastPrompt)
	}
	d.press("g")
	if got := at.FindStringSubmatch(d.lastLine()); got == nil || got[1] != "0" {
		t.Errorf("at the beginning the last line is %q", d.lastLine())
	}
	d.press("d")
	d.hides("agent 0.1")
	d.press("u")
	d.shows("agent 0.1")
	d.press("F")
	if got := d.lastLine(); !strings.HasSuffix(got, "end · prompt 500 of 500") {
		t.Errorf("back at the end the last line is %q", got)
	}
}

// At the end, the pager follows streaming text; elsewhere it keeps its position. The
// last line shows that a turn runs and which key interrupts it.
func TestPagerFollows(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.typeText("count")
		d.press("enter", "ctrl+g")
		d.events(userSaid("count"))
		stream := func(from, to int) {
			for i := from; i < to; i++ {
				d.events(streamed("r", fmt.Sprintf("number %d\n\n", i)))
			}
		}
		stream(0, 60)
		d.advance(time.Second)
		d.shows("number 59", "ctrl+c to interrupt", "1 s")
		d.golden("transcript-follows-" + size)
		d.press("b", "b")
		before := strings.Split(d.screen(), "\n")
		stream(60, 90)
		after := strings.Split(d.screen(), "\n")
		if got, want := after[:h-1], before[:h-1]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the text moved to\n%s\nfrom\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		d.hides("follows")
		d.press("G")
		stream(90, 120)
		d.shows("number 119")
		d.events(done(llm.Assistant, "r", "That is all."), turnEnd(event.Done, time.Second))
		d.shows("That is all.")
		d.hides("stops", "follows")
	})
}

// Ctrl+C interrupts the turn from every part of the screen. In the pager, esc only
// closes it.
func TestCtrlCInterruptsEverywhere(t *testing.T) {
	for name, open := range map[string]func(d *driver){
		"the pager":             func(d *driver) { d.press("ctrl+g") },
		"a search in the pager": func(d *driver) { d.press("ctrl+g", "/", "x") },
		"the search":            func(d *driver) { d.press("ctrl+f", "x") },
		"the palette":           func(d *driver) { d.send(tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl}) },
		"the themes":            func(d *driver) { d.typeText("/theme"); d.press("enter") },
		"the help":              func(d *driver) { d.press("?") },
		"the manual":            func(d *driver) { d.run("/help undo") },
		"a draft":               func(d *driver) { d.typeText("and then") },
		"suggestions":           func(d *driver) { d.typeText("/mo") },
		"the prompt search":     func(d *driver) { d.press("ctrl+r", "x") },
		"a dialog":              func(d *driver) { d.events(asked()...) },
		"a comment":             func(d *driver) { d.events(asked()...); d.armDialog(); d.press("x") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{Manual: testManual()})
			d.events(userSaid("go"))
			d.advance(time.Second)
			open(d)
			d.sent = nil
			d.press("ctrl+c")
			d.wantCommands(event.Interrupt{})
			d.events(turnEnd(event.UserInterrupt, time.Second))
			if d.m.session.Feed.Running || d.quit {
				t.Errorf("the turn was not interrupted:\n%s", d.screen())
			}
		})
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.press("ctrl+g", "esc")
	d.hides("closes this")
	d.wantCommands()
	d.press("ctrl+g")
	d.events(turnEnd(event.Done, time.Second))
	d.press("ctrl+c")
	d.hides("closes this")
	d.wantCommands()
}

// In the pager, a mouse selection is copied, with a hint until the next key.
func TestPagerCopiesMouseSelection(t *testing.T) {
	for keep, want := range map[bool]string{false: "copied 1 line", true: "alt+w copies"} {
		d := newDriver(t, 80, 24, screen.Options{Clipboard: screen.Clipboard{NoCopyOnSelect: keep, Copy: func(string) (string, error) { return "a clipboard", nil }}})
		d.events(userSaid("go"), done(llm.Assistant, "r", "It says goodbye."), turnEnd(event.Done, 0))
		d.press("ctrl+g")
		x, y := d.find("goodbye")
		d.drag(x, y, x+2, y)
		if got := d.lastLine(); !strings.Contains(got, want) {
			t.Errorf("the last line is %q, want %q in it", got, want)
		}
		d.press("alt+w")
		if got := d.lastLine(); keep && !strings.Contains(got, "copied 1 line") {
			t.Errorf("after the key the last line is %q", got)
		}
		d.press("k")
		if got := d.lastLine(); !strings.Contains(got, "q close") {
			t.Errorf("after another key the last line is %q", got)
		}
	}
}
