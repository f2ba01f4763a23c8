package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// noon is the current time in these tests.
func noon() time.Time { return time.Date(2026, 3, 5, 13, 0, 0, 0, time.UTC) }

// storedSessions returns the sessions of the fake store.
func storedSessions() []list.Session {
	return []list.Session{
		{ID: "s3", Dir: "~/src/shop", Title: "the server ignores --timeout, fix it", When: noon().Add(-time.Hour), Messages: 14, Parent: "s2"},
		{ID: "s4", Dir: "~/src/shop", Title: "and now with TLS", When: noon().Add(-2 * time.Hour), Messages: 3, Parent: "s3", Current: true},
		{ID: "s2", Dir: "~/src/shop", Title: "why is the build slow", When: noon().Add(-50 * time.Hour), Messages: 62},
		{ID: "s1", Dir: "~/src/blog", Title: "\x1b[2Jtidy the \x07templates", When: noon().Add(-900 * time.Hour), Messages: 1, Parent: "gone\x1b[0m"},
	}
}

// store is a fake session store that records its calls.
type store struct {
	queries, previews []string
}

func (s *store) options() screen.Options {
	return screen.Options{
		Files: screen.Files{Dir: "~/src/shop"},
		Session: screen.Session{List: func(_ context.Context, query string) ([]list.Session, error) {
			s.queries = append(s.queries, query)
			switch query {
			case "":
				return storedSessions(), nil
			case "listener":
				return []list.Session{storedSessions()[2], storedSessions()[3]}, nil
			case "[":
				return nil, errors.New("search: missing \x1b]")
			}
			return nil, nil
		}, Preview: func(id string) ([]event.Event, error) {
			s.previews = append(s.previews, id)
			if id == "s1" {
				return nil, errors.New("read session s1: it is damaged")
			}
			return []event.Event{userSaid("of " + id), done(llm.Assistant, "r", "Fixed: `ReadHeaderTimeout` now\x07 takes the flag."), turnEnd(event.Done, 9*time.Second)}, nil
		}},
	}
}

// pickerDriver simulates the terminal and the clock of a session picker.
type pickerDriver struct {
	driver
	p *sessionPicker
}

func newPickerDriver(t *testing.T, width, height int, o screen.Options) *pickerDriver {
	d := &pickerDriver{driver: driver{t: t, time: noon()}}
	d.p = newSessionPicker(o, func() time.Time { return d.time })
	d.p.picker.After = d.after
	d.runCmd(d.p.Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

func (d *pickerDriver) runCmd(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			d.runCmd(c)
		}
	default:
		d.send(msg)
	}
}

func (d *pickerDriver) send(msg tea.Msg) {
	_, cmd := d.p.Update(msg)
	d.runCmd(cmd)
}

func (d *pickerDriver) press(names ...string) {
	for _, n := range names {
		d.send(keyPress(n))
	}
}

func (d *pickerDriver) typeText(text string) {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// runTimers fires all timers, as after a pause in typing.
func (d *pickerDriver) runTimers() {
	for len(d.timers) > 0 {
		due := d.timers
		d.timers = nil
		for _, t := range due {
			d.send(t.msg)
		}
	}
}

func (d *pickerDriver) screen() string { return asText(d.p.View()) }

func (d *pickerDriver) golden(name string) {
	d.t.Helper()
	d.compare(name, d.screen())
}

func TestPicker(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newPickerDriver(t, w, h, new(store).options())
		d.runTimers()
		d.golden("picker-" + size)
		d.press("tab", "down", "down", "down")
		d.runTimers()
		d.golden("picker-all-directories-" + size)
		d.press("tab")
		d.typeText("BUILD slow")
		d.runTimers()
		d.golden("picker-filtered-" + size)
		d.press("enter")
		if got, want := d.p.chosen, "s2"; got != want {
			t.Errorf("chose %q, want %q", got, want)
		}
	})
}

// After a pause in typing, the picker also searches the transcripts.
func TestPickerSearches(t *testing.T) {
	s := &store{}
	d := newPickerDriver(t, 80, 24, s.options())
	d.typeText("listener")
	if got := d.screen(); !strings.Contains(got, "searching transcripts") {
		t.Errorf("the search is not shown:\n%s", got)
	}
	d.runTimers()
	if diff := cmp.Diff(s.queries, []string{"", "listener"}); diff != "" {
		t.Errorf("queries (-got +want):\n%s", diff)
	}
	if got := d.screen(); !strings.Contains(got, "why is the build slow") || strings.Contains(got, "templates") {
		t.Errorf("want only the matches in this directory:\n%s", got)
	}
	d.press("tab")
	if got := d.screen(); !strings.Contains(got, "templates") {
		t.Errorf("the matches in other directories are missing:\n%s", got)
	}
	d.press("ctrl+u")
	d.runTimers()
	d.typeText("[")
	d.runTimers()
	if got := d.screen(); !strings.Contains(got, "search: missing ␛]") {
		t.Errorf("the error is missing:\n%s", got)
	}
	d.press("esc")
	if d.p.chosen != "" || !d.p.closed {
		t.Errorf("esc chose %q", d.p.chosen)
	}
}

// If this directory has no sessions, the picker always lists those of all directories.
func TestPickerWithoutLocalSessions(t *testing.T) {
	o := (&store{}).options()
	o.Files.Dir = "~/src/new"
	d := newPickerDriver(t, 80, 24, o)
	before := d.screen()
	d.press("tab")
	if diff := cmp.Diff(d.screen(), before); diff != "" || !strings.Contains(before, "templates") {
		t.Errorf("tab changes the list (-got +want):\n%s", diff)
	}
}

// Tab before the sessions are read lists those of all directories, and once more those of
// this one.
func TestPickerTogglesWhileLoading(t *testing.T) {
	for presses, want := range []bool{false, true, false} {
		d := &pickerDriver{driver: driver{t: t, time: noon()}}
		d.p = newSessionPicker((&store{}).options(), func() time.Time { return d.time })
		d.p.picker.After = d.after
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		for range presses {
			d.press("tab")
		}
		d.runCmd(d.p.Init())
		if got := d.screen(); strings.Contains(got, "templates") != want {
			t.Errorf("after %d tabs:\n%s", presses, got)
		}
	}
}

// A preview is read once per session, and only after the marker stops on it.
func TestPickerPreviews(t *testing.T) {
	s := &store{}
	d := newPickerDriver(t, 80, 24, s.options())
	d.press("down", "down")
	d.runTimers()
	d.press("up")
	d.runTimers()
	d.press("down")
	d.runTimers()
	if diff := cmp.Diff(s.previews, []string{"s2", "s4"}); diff != "" {
		t.Errorf("previews (-got +want):\n%s", diff)
	}
}

func TestPickerMoves(t *testing.T) {
	var sessions []list.Session
	for i := range 50 {
		sessions = append(sessions, list.Session{ID: string(rune('A' + i))})
	}
	d := newPickerDriver(t, 80, 24, screen.Options{Session: screen.Session{List: func(context.Context, string) ([]list.Session, error) { return sessions, nil }}})
	d.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "down", "up", "up", "enter")
	if got, want := d.p.chosen, string(rune('A'+47)); got != want {
		t.Errorf("chose %q, want %q", got, want)
	}
}

func TestResume(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		s := &store{}
		o := s.options()
		o.Session.ID, o.Version = "s4", "0.1"
		d := newDriver(t, w, h, o)
		d.time = noon()
		d.events(twoTurns()...)
		d.typeText("/sessions")
		d.press("enter")
		d.advance(time.Second)
		d.golden("sessions-" + size)
		d.press("down", "down", "enter")
		if d.quit || strings.Contains(d.screen(), "Resume a session") {
			t.Errorf("selecting the open session does not return to it:\n%s", d.screen())
		}
		d.typeText("/resume")
		d.press("enter")
		d.events(event.Notice{Text: "below"})
		d.press("enter")
		if diff := cmp.Diff(d.m.end.next, screen.Exit{Open: "s3"}); diff != "" || !d.quit {
			t.Errorf("the screen ended: %v, with (-got +want):\n%s", d.quit, diff)
		}
	})
}

func TestResumeWithoutSessions(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/resume")
	d.press("enter")
	if got := d.screen(); !strings.Contains(got, "There are no other sessions.") {
		t.Errorf("the message that there are none is missing:\n%s", got)
	}
}
