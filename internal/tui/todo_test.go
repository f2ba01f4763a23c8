package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func plan(id string, states ...event.TodoState) []event.Event {
	texts := []string{"read how the flag gets to the listener", "change it", "run the \x1b[31mtests", "look at every other flag whether the same is wrong with it, and say so", "write the changelog"}
	var items []event.TodoItem
	for i, s := range states {
		items = append(items, event.TodoItem{Text: texts[i%len(texts)], State: s})
	}
	title := fmt.Sprintf("plan %d items", len(items))
	return []event.Event{
		call("r"+id, id, "todo"), start(id, title, "read"),
		&event.TodoSet{ID: id, Items: items},
		result(id, title, "read", event.OK, "1 done", "The plan is kept.", time.Millisecond),
	}
}

// A plan is shown with its tool call. While the turn runs, the active item is shown
// above the editor. A resumed session looks the same.
func TestTodo(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		evs := append([]event.Event{userSaid("the server ignores --timeout, fix it")},
			plan("1", event.TodoDone, event.TodoActive, event.TodoPending, event.TodoPending, event.TodoPending)...)
		d := newDriver(t, w, h, screen.Options{})
		d.events(evs...)
		d.advance(time.Second)
		d.golden("todo-" + size)
		evs = append(evs, turnEnd(event.Done, time.Second))
		d.events(evs[len(evs)-1])
		d.golden("todo-done-" + size)
		d.sameScreen(newDriver(t, w, h, screen.Options{Session: screen.Session{History: evs}}))
	})
}

// A long plan shows only the items near the active one until it is expanded.
func TestLongTodo(t *testing.T) {
	states := make([]event.TodoState, 30)
	for i := range states {
		states[i] = event.TodoPending
		if i < 17 {
			states[i] = event.TodoDone
		}
	}
	states[17] = event.TodoActive
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("go"))
		d.events(plan("1", states...)...)
		d.golden("todo-long-" + size)
		d.press("ctrl+o")
		d.golden("todo-long-open-" + size)
	})
}

// A plan without an active item shows the first one that is not done.
func TestTodoWithoutAnActiveItem(t *testing.T) {
	states := slices.Repeat([]event.TodoState{event.TodoDone}, 30)
	states[20] = event.TodoPending
	evs := plan("1", states...)
	for _, ev := range evs {
		if set, ok := ev.(*event.TodoSet); ok {
			set.Items[20].Text = "the rest"
		}
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.events(evs...)
	d.shows("the rest")
}

// A collapsed prompt has 12 lines.
func TestLongPrompt(t *testing.T) {
	d := newDriver(t, 80, 40, screen.Options{})
	d.events(userSaid(strings.Repeat("in\n", 11) + "last" + strings.Repeat("\nout", 9)))
	d.shows("last", "+ 9 lines")
	d.hides("out")
}

// The marks of a plan differ without color.
func TestTodoWithoutColor(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{NoColor: true}})
	d.events(userSaid("go"))
	d.events(plan("1", event.TodoDone, event.TodoActive, event.TodoPending)...)
	d.golden("todo-nocolor")
}
