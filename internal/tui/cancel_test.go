package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
)

// cancelCase is a row of the table of model.cancel: what is open, the text that the screen
// shows then and after ctrl+c.
type cancelCase struct {
	open          string
	options       screen.Options
	do            func(*driver)
	shown         string    // on the screen before
	running, idle cancelled // while a turn runs, and otherwise
}

// cancelled is the effect of ctrl+c.
type cancelled struct {
	interrupts bool
	leaves     string // on the screen afterwards
	hides      string
}

var cancelCases = []cancelCase{
	{open: "a message to a delegate",
		do: func(d *driver) {
			d.m.slash.Front.Screen.Delegate(1, true)
			d.typeText("look")
		},
		shown:   "send to explore",
		running: cancelled{leaves: "ctrl+s message", hides: "send to explore"},
		idle:    cancelled{leaves: "ctrl+s message", hides: "send to explore"}},
	{open: "the transcript of a delegate",
		do:      func(d *driver) { d.m.slash.Front.Screen.Delegate(1, false) },
		shown:   "ctrl+s message",
		running: cancelled{interrupts: true, hides: "ctrl+s message"},
		idle:    cancelled{hides: "ctrl+s message"}},
	{open: "a list",
		do:      func(d *driver) { d.press("ctrl+p") },
		shown:   "Command palette",
		running: cancelled{interrupts: true, hides: "Command palette"},
		idle:    cancelled{hides: "Command palette"}},
	{open: "help",
		do:      func(d *driver) { d.press("?") },
		shown:   "Compose",
		running: cancelled{interrupts: true, hides: "Compose"},
		idle:    cancelled{hides: "Compose"}},
	{open: "the search of the transcript",
		do: func(d *driver) {
			d.typeText("draft")
			d.press("ctrl+f")
		},
		shown:   "search  ",
		running: cancelled{interrupts: true, leaves: "search  "},
		idle:    cancelled{leaves: "› draft", hides: "search  "}},
	{open: "the full-screen transcript",
		do:      func(d *driver) { d.press("ctrl+g") },
		shown:   "beginning/end",
		running: cancelled{interrupts: true, leaves: "interrupting"},
		idle:    cancelled{hides: "beginning/end"}},
	{open: "the search in the full-screen transcript",
		do:      func(d *driver) { d.press("ctrl+g", "/") },
		shown:   "search  ",
		running: cancelled{interrupts: true, leaves: "search  "},
		idle:    cancelled{leaves: "beginning/end", hides: "search  "}},
	{open: "a question of the program",
		do: func(d *driver) {
			d.m.slash.Front.Ask(dialog.LocalQuestion{Title: "Own?", Rows: []dialog.Row{{Kind: dialog.Yes, Text: "Yes"}, {Kind: dialog.No, Text: "No"}}, Give: giveNothing})
			d.armDialog()
		},
		shown:   "Own?",
		running: cancelled{interrupts: true},
		idle:    cancelled{hides: "Own?"}},
	{open: "a question of a delegate, with a draft",
		do: func(d *driver) {
			d.typeText("draft")
			d.events(askOf(1, "explore", "7", "go vet ./..."))
			d.armDialog()
		},
		shown:   "Run this command?",
		running: cancelled{interrupts: true, leaves: "Run this command?"}, // the delegate works in the background
		idle:    cancelled{leaves: "Run this command?", hides: "draft"}},
	{open: "a question of the agent, with a draft",
		do: func(d *driver) {
			d.typeText("draft")
			d.events(call("r1", "1", "shell"), askCommand("1", "make"))
			d.armDialog()
		},
		shown:   "Run this command?",
		running: cancelled{interrupts: true, leaves: "› draft", hides: "Run this command?"}},
	{open: "the search of the prompt history",
		do: func(d *driver) {
			d.typeText("draft")
			d.press("ctrl+r")
		},
		shown:   "search prompt history",
		running: cancelled{interrupts: true, leaves: "search prompt history"},
		idle:    cancelled{leaves: "› draft", hides: "search prompt history"}},
	{open: "a search of vi",
		options: screen.Options{Vi: true},
		do: func(d *driver) {
			d.typeText("draft")
			d.press("esc", "/")
			d.typeText("raf")
		},
		shown:   "/raf",
		running: cancelled{interrupts: true, leaves: "/raf"},
		idle:    cancelled{leaves: "draf", hides: "/raf"}},
	{open: "insert mode of vi with a draft",
		options: screen.Options{Vi: true},
		do:      func(d *driver) { d.typeText("draft") },
		shown:   "› draft",
		running: cancelled{interrupts: true, leaves: "draft"},
		idle:    cancelled{leaves: "normal"}},
	{open: "a draft",
		do:      func(d *driver) { d.typeText("draft") },
		shown:   "› draft",
		running: cancelled{interrupts: true, leaves: "› draft"},
		idle:    cancelled{hides: "draft"}},
	{open: "suggestions",
		do:      func(d *driver) { d.typeText("/mod") },
		shown:   "to accept",
		running: cancelled{interrupts: true, leaves: "to accept"},
		idle:    cancelled{hides: "/mod"}},
	{open: "an empty prompt",
		do:      func(*driver) {},
		shown:   "› ▌",
		running: cancelled{interrupts: true, leaves: "interrupting"},
		idle:    cancelled{leaves: "ctrl+c again to quit"}},
}

// Ctrl+c interrupts a turn that runs. Otherwise it ends what is on top: see model.cancel.
// The comparison of files for an undo is in TestUndoIsCancelled, and the two presses that
// quit in TestQuit.
func TestCtrlC(t *testing.T) {
	for _, c := range cancelCases {
		for when, want := range map[string]cancelled{"while a turn runs": c.running, "otherwise": c.idle} {
			if want == (cancelled{}) {
				continue
			}
			t.Run(c.open+" "+when, func(t *testing.T) {
				o := c.options
				o.Agents = withAgents().Agents
				d := newDriver(t, 100, 30, o)
				d.background(1)
				if when == "while a turn runs" {
					d.events(userSaid("go"))
				}
				c.do(d)
				d.shows(c.shown)
				d.press("ctrl+c")
				if got := slices.Contains(d.sent, event.Command(event.Interrupt{})); got != want.interrupts {
					t.Errorf("interrupted: %v, want %v", got, want.interrupts)
				}
				d.shows(want.leaves)
				if want.hides != "" && strings.Contains(d.screen(), want.hides) {
					t.Errorf("still shows %q:\n%s", want.hides, d.screen())
				}
				if d.quit {
					t.Error("quit")
				}
			})
		}
	}
}

// A key that is bound only to "clear" ends what is on top also while a turn runs, and does
// not interrupt it. A question stays.
func TestClearKeyOfItsOwn(t *testing.T) {
	open := func() *driver {
		d := newDriver(t, 100, 30, screen.Options{Keys: map[string][]string{"clear": {"f5"}}})
		d.events(userSaid("go"))
		d.typeText("draft")
		return d
	}
	clear := func(d *driver) { d.send(keys.Clear.Press()) }
	d := open()
	d.press("ctrl+f")
	clear(d)
	d.hides("search  ")
	d.shows("› draft")
	clear(d)
	d.promptIs("")
	d.wantCommands()

	d = open()
	d.events(call("r1", "1", "shell"), askCommand("1", "make"))
	d.armDialog()
	clear(d)
	d.shows("Run this command?")
	if text := d.m.editor.Text(); text != "" {
		t.Errorf("the draft is %q", text)
	}
	d.wantCommands()
}

func giveNothing(int, []event.HunkAnswer) tea.Cmd { return nil }
