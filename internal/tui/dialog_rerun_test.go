package tui

import (
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// withNetwork returns the first question about a command that connects.
func withNetwork(id string) event.Asked {
	return event.Asked{Ask: event.Ask{ID: id, Title: "shell npm ci", Effect: "execute", Reach: event.ReachNetwork,
		Targets: []event.Target{{Kind: "command", Value: "npm ci", Dir: "~/src/shop"}},
		Why:     "other commands need approval (permission mode: ask)",
		Scope:   "`npm ci` with common options and the network in this project", Project: true}}
}

// again returns the question whether to run a command again.
func again(id string, reach event.Reach) event.Asked {
	a := withNetwork(id)
	a.Ask.Rerun, a.Ask.Reach, a.Ask.Why = true, reach, "commands have no network unless you approve it"
	if reach == event.ReachAll {
		a.Ask.Blocked, a.Ask.Scope, a.Ask.Project = "/home/tim/.npm/_cacache/tmp", "", false
		a.Ask.Why = "running a command outside the sandbox needs approval every time"
	}
	return a
}

// runs returns a turn in which the command runs without the network.
func runs() []event.Event {
	return []event.Event{userSaid("install the packages"), call("r1", "1", "shell"), start("1", "shell npm ci", "execute"),
		event.Progress{ID: "1", Text: "npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/left-pad failed\n"}}
}

func TestAskWithNetwork(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("install the packages"), call("r1", "1", "shell"), withNetwork("1"))
		d.armDialog()
		d.golden("ask-network-" + size)
		d.press("end")
		d.advance(dialog.Quiet)
		d.press("2")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Always})
	})
}

// The question about access that the model asks for has its reason, marked as its words.
func TestAskAccess(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		ask := withNetwork("1")
		ask.Ask.Title, ask.Ask.Targets[0].Value = "shell npm run build", "npm run build"
		ask.Ask.Request, ask.Ask.Reason = true, "the build downloads fonts\u202e"
		ask.Ask.Why, ask.Ask.Writes = "the model asks for the network and to change /srv/www", []string{"/srv/www/"}
		ask.Ask.Scope, ask.Ask.Project = "", false
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("build it"), call("r1", "1", "shell"), ask)
		d.armDialog()
		d.golden("ask-access-" + size)
	})
}

func TestAskAgain(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(append(runs(), again("1", event.ReachNetwork))...)
		d.armDialog()
		d.golden("ask-rerun-network-" + size)
		d.press("end")
		d.advance(dialog.Quiet)
		d.press("1")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
		d.events(event.AskDone{ID: "1", Decision: event.Allow}, &event.Decided{ID: "1", Decision: event.Allow, Rerun: event.ReachNetwork},
			event.Progress{ID: "1", Text: "added 212 packages\n"})
		d.golden("rerun-runs-" + size)
		d.events(result("1", "shell npm ci", "execute", event.OK, "exit 0 · 1 line · run again with the network", "added 212 packages", 4100*time.Millisecond))
		d.golden("rerun-done-" + size)
	})
}

// The question about a job names the job and its port.
func TestAskRestart(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		ask := again("1", event.ReachNetwork)
		ask.Ask.Title, ask.Ask.Targets[0].Value, ask.Ask.Port = "restart job 2: npm run dev", "npm run dev", 3000
		ask.Ask.Scope = "`npm run dev` with common options and the network in this project"
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("start the server"), call("r1", "1", "jobs"), start("1", "start job npm run dev", "execute"), ask)
		d.armDialog()
		d.golden("ask-restart-" + size)
	})
}

// The question about running outside the sandbox has a warning, and no row is marked.
func TestAskAgainOutside(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(append(runs(), again("1", event.ReachAll))...)
		d.armDialog()
		d.golden("ask-rerun-outside-" + size)
		d.press("end")
		d.advance(dialog.Quiet)
		d.press("enter", "2")
		d.wantCommands()
		d.press("n", "enter")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
	})
}

// The question about the home directory says what the command can read then.
func TestAskAgainHome(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	a := again("1", event.ReachHome)
	a.Ask.Blocked = "/home/ada/lib/lib.go"
	d.events(append(runs(), a)...)
	d.armDialog()
	d.golden("ask-rerun-home")
}

// If the changes of the first run stay, Enter rejects the second one.
func TestAskAgainMarksNo(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	a := again("1", event.ReachNetwork)
	a.Ask.Stay, a.Ask.StayWhy, a.Ask.Address = "f.txt", "f.txt was also changed by another command", "192.0.2.7:443"
	d.events(append(runs(), a)...)
	d.armDialog()
	d.golden("ask-rerun-stay")
	d.press("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
}

// If the changes of the first run are undone before the second one, the question says so and marks Yes.
func TestAskAgainUndoes(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		a := again("1", event.ReachNetwork)
		a.Ask.Undoes, a.Ask.Address = "package-lock.json", "192.0.2.7:443"
		d.events(append(runs(), a)...)
		d.armDialog()
		d.golden("ask-rerun-undoes-" + size)
		d.press("end")
		d.advance(dialog.Quiet)
		d.press("enter")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	})
}

// A second run whose changes cannot be undone is not approved by Enter alone.
func TestAskAgainAfterChanges(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	a := again("1", event.ReachNetwork)
	a.Ask.NotUndoable = "it is larger than 64 MB"
	d.events(append(runs(), a)...)
	d.armDialog()
	d.press("enter")
	d.wantCommands()
	d.press("1")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
}

// A key that is held down or pressed again by habit after an approval does not approve
// that the command runs again, and neither does a sentence.
func TestAskAgainIsNotApprovedByAccident(t *testing.T) {
	follow := func(t *testing.T) *driver {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "npm ci"))
		d.armDialog()
		d.press("1")
		d.events(event.AskDone{ID: "1", Decision: event.Allow}, &event.Decided{ID: "1", Decision: event.Allow},
			start("1", "shell npm ci", "execute"), again("1", event.ReachNetwork))
		return d
	}
	one := event.Answer{ID: "1", Decision: event.Allow}
	for name, c := range map[string]struct {
		do   func(d *driver)
		want []event.Command
	}{
		"held": {func(d *driver) {
			for range 40 {
				d.press("1")
				d.advance(60 * time.Millisecond)
			}
			d.advance(time.Second)
		}, []event.Command{one}},
		"habit": {func(d *driver) {
			d.advance(300 * time.Millisecond)
			d.press("1", "enter")
			d.advance(time.Second)
		}, []event.Command{one}},
		"sentence": {func(d *driver) {
			d.typeText("yes 1 is what I meant\n")
			d.advance(time.Second)
		}, []event.Command{one}},
		"comment": {func(d *driver) {
			d.advance(time.Second)
			d.typeText("no, use the mirror")
			d.press("enter")
		}, []event.Command{one, event.Answer{ID: "1", Decision: event.Refuse, Note: "no, use the mirror"}}},
		"read and pressed": {func(d *driver) {
			d.advance(time.Second)
			d.press("1")
			d.advance(time.Second)
		}, []event.Command{one, one}},
	} {
		t.Run(name, func(t *testing.T) {
			d := follow(t)
			c.do(d)
			d.wantCommands(c.want...)
		})
	}
}

// The question about a command that writes outside the workspace names what it can
// change, and whether it runs without the sandbox.
func TestAskOutside(t *testing.T) {
	for name, change := range map[string]func(*event.Ask){
		"writes":  func(a *event.Ask) { a.Writes = []string{"/home/tim/notes", "/srv/\x1b[31mlogs"} },
		"sandbox": func(a *event.Ask) { a.Reach = event.ReachAll },
	} {
		sizes(t, func(t *testing.T, size string, w, h int) {
			ask := withNetwork("1")
			ask.Ask.Title, ask.Ask.Targets[0].Value, ask.Ask.Scope, ask.Ask.Project = "shell cp a ~/notes && curl -o /srv/logs/b example.org", "cp a ~/notes && curl -o /srv/logs/b example.org", "", false
			ask.Ask.Warnings = []string{"it writes to `~/notes`, outside the workspace"}
			change(&ask.Ask)
			d := newDriver(t, w, h, screen.Options{})
			d.events(userSaid("copy the notes"), call("r1", "1", "shell"), ask)
			d.armDialog()
			d.golden("ask-outside-" + name + "-" + size)
		})
	}
}

// A long summary loses its end in a narrow window, not the status.
func TestAgainKeepsTheStatus(t *testing.T) {
	for outcome, words := range map[event.Outcome]string{event.OK: "exit 0", event.Failed: "exit 1"} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(append(runs(), result("1", "shell bash t.sh", "execute", outcome, words+" · 1 line · run again with changes that cannot be undone", "done", time.Second))...)
		d.shows("bash t.sh", words+" · 1 line  1.0 s")
	}
}
