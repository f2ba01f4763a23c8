package tui

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// A name that is typed in full wins over longer names that it begins, and over a
// name that was marked before the last letter was typed.
func TestExactNameWinsInCompletion(t *testing.T) {
	custom := []screen.CustomCommand{{Name: "exit-all", What: "x", Text: "x"}, {Name: "mod", What: "x", Text: "x"}}
	names := []string{"exit-all", "mod"}
	for _, c := range slash.BuiltIn() {
		names = append(names, c.Name)
		if c.Also != "" {
			names = append(names, c.Also)
		}
	}
	for _, name := range names {
		for _, before := range []string{"", "down"} {
			d := newDriver(t, 80, 24, screen.Options{Custom: custom})
			d.enter("/" + name[:len(name)-1])
			d.press(strings.Fields(before)...)
			d.enter(name[len(name)-1:])
			p := d.m.prompt.Suggestions
			if p.Open() && p.Marked >= 0 && strings.TrimSpace(p.Rows[p.Marked].Text) != "/"+name {
				t.Errorf("/%s: enter would run %s", name, p.Rows[p.Marked].Text)
			}
		}
	}
	for _, c := range slash.BuiltIn() {
		if c.Complete == nil {
			continue
		}
		all := c.Complete(newDriver(t, 80, 24, screen.Options{}).m.slash)
		for _, arg := range all {
			d := newDriver(t, 80, 24, screen.Options{})
			d.enter("/" + c.Name + " " + arg)
			p := d.m.prompt.Suggestions
			if p.Open() && p.Marked >= 0 && p.Rows[p.Marked].Text != arg {
				t.Errorf("/%s %s: enter would take %s", c.Name, arg, p.Rows[p.Marked].Text)
			}
		}
	}
}

func TestModeRunsMode(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.enter("/mode")
	d.press("enter")
	d.lacks("Select a model")
	d.sees("Permission mode: ask. Change: /mode ask, auto-edit, plan or approve-all.")
	d.commands()
}

// A marked suggestion is taken if the marker was moved after the last letter.
func TestMarkedSuggestionIsTaken(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.enter("/mode")
	if !d.m.prompt.Suggestions.Open() {
		t.Fatal("nothing is suggested for /mode")
	}
	d.press("down", "enter")
	d.holds("/model ")
	d.commands()
}

// The key for the mode never reaches approve all, unless the program was started
// in it. Its name can always be typed.
func TestModeKeyLeavesOutApproveAll(t *testing.T) {
	for started, want := range map[string]int{"ask": 0, "edits": 0, "plan": 0, "all": 2} {
		d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Mode: started}})
		all := 0
		for range 8 {
			d.press("shift+tab")
			set := d.sent[len(d.sent)-1].(event.SetMode)
			d.events(&event.ModeSet{Mode: string(set.Mode)})
			if set.Mode == event.ModeAll {
				all++
			}
		}
		if all != want {
			t.Errorf("started in %s: approve all was reached %d times, want %d", started, all, want)
		}
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.enter("/mode all")
	d.press("enter")
	d.commands(event.SetMode{Mode: event.ModeAll})
	d.events(&event.ModeSet{Mode: "all"})
	d.press("shift+tab")
	d.commands(event.SetMode{Mode: event.ModeAll}, event.SetMode{Mode: event.ModeAsk})
}
