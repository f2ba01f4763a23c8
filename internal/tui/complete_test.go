package tui

import (
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// A name that is typed in full wins over longer names with that prefix, and over a
// suggestion that was marked before the last letter.
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
			d.typeText("/" + name[:len(name)-1])
			d.press(strings.Fields(before)...)
			d.typeText(name[len(name)-1:])
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
			d.typeText("/" + c.Name + " " + arg)
			p := d.m.prompt.Suggestions
			if p.Open() && p.Marked >= 0 && p.Rows[p.Marked].Text != arg {
				t.Errorf("/%s %s: enter would take %s", c.Name, arg, p.Rows[p.Marked].Text)
			}
		}
	}
}

func TestModeRunsMode(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/mode")
	d.press("enter")
	d.hides("Select a model")
	d.shows("Permission mode: ask. Change: /mode ask, auto, plan or all.")
	d.wantCommands()
}

// Enter accepts the marked suggestion if the user moved the marker after the last
// letter.
func TestMarkedSuggestionIsAccepted(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/mode")
	if !d.m.prompt.Suggestions.Open() {
		t.Fatal("no suggestions for /mode")
	}
	d.press("down", "enter")
	d.promptIs("/model ")
	d.wantCommands()
}

// The mode key cycles to all only if the program was started in that mode.
// /mode all always works.
func TestModeKeySkipsAll(t *testing.T) {
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
			t.Errorf("started in %s: mode all was reached %d times, want %d", started, all, want)
		}
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/mode all")
	d.press("enter")
	d.wantCommands(event.SetMode{Mode: event.ModeAll})
	d.events(&event.ModeSet{Mode: "all"})
	d.press("shift+tab")
	d.wantCommands(event.SetMode{Mode: event.ModeAll}, event.SetMode{Mode: event.ModeAsk})
}
