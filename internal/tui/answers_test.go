package tui

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// answering returns ev with the ID of c, like an agent that answers c with ev.
func answering[E event.Event](c event.Command, ev E) E {
	v := reflect.ValueOf(&ev).Elem()
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Pointer {
		v.Elem().FieldByName("Ref").Set(reflect.ValueOf(event.RefOf(c)))
		return ev
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	out.FieldByName("Ref").Set(reflect.ValueOf(event.RefOf(c)))
	return out.Interface().(E)
}

// answers reports whether an event like ev answers a command like c.
func answers(ev event.Event, c event.Command) (yes bool) {
	switch ev.(type) {
	case event.JobsNow:
		_, yes = c.(event.ListJobs)
	case event.PermissionsNow:
		_, yes = c.(event.ListPermissions)
	case event.Explained:
		_, yes = c.(event.ExplainPermission)
	case event.ContextNow:
		_, yes = c.(event.ListContext)
	case event.BudgetNow:
		_, yes = c.(event.SetBudget)
	case event.UndoPlan:
		_, yes = c.(event.PlanUndo)
	case event.ChangesNow:
		_, yes = c.(event.ListChanges)
	case *event.Rewound:
		_, yes = c.(event.Rewind)
	case *event.Undone:
		if _, yes = c.(event.ApplyUndo); !yes {
			_, yes = c.(event.UndoChanges)
		}
	}
	return yes
}

// withID returns ev as the answer to the oldest command that waits for such an event.
func (d *driver) withID(ev event.Event) event.Event {
	i := slices.IndexFunc(d.waiting, func(c event.Command) bool { return answers(ev, c) })
	if i < 0 {
		return ev
	}
	c := d.waiting[i]
	d.waiting = slices.Delete(d.waiting, i, i+1)
	return answering(c, ev)
}

// sameCommands compares commands without their IDs.
func sameCommands(got, want []event.Command) string {
	return cmp.Diff(got, want, cmpopts.IgnoreTypes(event.Ref{}))
}

// Each list is shown once, also if two are requested before the first one comes.
func TestTwoLists(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.run("/jobs")
	d.run("/jobs")
	if first, second := event.RefOf(d.sent[0]), event.RefOf(d.sent[1]); first == second || first == (event.Ref{}) {
		t.Fatalf("the commands have the IDs %v and %v", first, second)
	}
	named := func(title string) event.JobsNow { return event.JobsNow{Jobs: []event.Job{{ID: 1, Title: title}}} }
	second := answering(d.sent[1], named("second"))
	d.send(batch([]event.Event{named("neither"), second, second, answering(event.ListJobs{Ref: event.Ref{CommandID: "unknown"}}, named("foreign"))}))
	d.shows("second")
	if s := d.screen(); strings.Count(s, "second") != 1 || strings.Contains(s, "neither") || strings.Contains(s, "foreign") {
		t.Errorf("the list is not shown once, or another one is:\n%s", s)
	}
	d.send(batch([]event.Event{answering(d.sent[0], named("first"))}))
	d.shows("first")
}

// A list is shown although a notice comes before it. A notice that answers the command ends
// the wait.
func TestNoticesBeforeAnAnswer(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.run("/context")
	d.run("/permissions")
	d.run("/undo")
	d.events(event.Notice{Text: "A server failed."})
	if !d.m.slash.Lists() {
		t.Error("a notice about something else ends the wait")
	}
	d.send(batch([]event.Event{answering(d.sent[0], event.Notice{Text: "The context cannot be read."})}))
	d.events(fullWindow(), event.PermissionsNow{Mode: event.ModeAsk})
	if strings.Contains(d.screen(), "Context window") {
		t.Error("the context is shown after the error")
	}
	d.shows("no rules and no standing permissions")
	d.send(batch([]event.Event{answering(d.sent[2], event.Notice{Text: "The session is not saved."})}))
	if d.m.slash.Lists() || d.m.slash.CancelUndo() {
		t.Error("an answered command waits")
	}
}
