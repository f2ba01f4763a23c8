package tui

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/list"
	"agent/internal/tui/plain"
	"agent/internal/tui/screen"
)

// manyModels lists more models than are printed at once.
func manyModels(context.Context, bool) ([]screen.Model, error) {
	var all []screen.Model
	for i := range 2*20 + 5 {
		all = append(all, screen.Model{Name: fmt.Sprintf("here/m%02d", i+1)})
	}
	return append(all, screen.Model{Name: "there/large"}, screen.Model{Name: "there/larger"}), nil
}

// liveOutput collects output and signals new text.
type liveOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // signals new text; has a buffer of one
}

func (h *liveOutput) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.more <- struct{}{}:
	default:
	}
	return h.text.Write(b)
}

// from returns the output from byte n.
func (h *liveOutput) from(n int) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()[n:]
}

// exchange is the output that the simulated user waits for, and the line typed then.
type exchange struct{ wait, line string }

// runPlainTyped is runPlain with a user at a terminal, who waits before each line.
func runPlainTyped(t *testing.T, o screen.Options, exchanges ...exchange) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	events, commands, typed := make(chan event.Event), make(chan event.Command), make(chan string)
	go echo(ctx, events, commands)
	out := &liveOutput{more: make(chan struct{}, 1)}
	o.Events, o.Commands, o.Output, o.Version = events, commands, out, "0.1"
	go func() {
		defer close(typed)
		seen := 0
		for _, each := range exchanges {
			for !strings.Contains(out.from(seen), each.wait) {
				select {
				case <-out.more:
				case <-ctx.Done():
					return
				}
			}
			seen = len(out.from(0))
			select {
			case typed <- each.line:
			case <-ctx.Done():
			}
		}
	}()
	if _, err := plain.Show(ctx, o, plain.Lines{C: typed, Typed: true}); err != nil || ctx.Err() != nil {
		t.Fatalf("got %v (%v) after:\n%s", err, ctx.Err(), out.from(0))
	}
	return out.from(0)
}

// A long list is printed in parts, even if the input is not a terminal. The model selected
// before is listed first.
func TestPlainListInParts(t *testing.T) {
	got := runPlain(t, screen.Options{Models: screen.Models{List: manyModels}}, "/model", "more", "more", "45", "/model", "more", "7", "more")
	for _, want := range []string{
		"  20 here/m20\n  and 27 more (type more to list them)\n  type a number to select, or an empty line to cancel\n  21 here/m21\n",
		"  40 here/m40\n  and 7 more (type more to list them)\n  41 here/m41\n",
		"note: model: here/m45\n", "note: model: here/m06\n", "You said more.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Count(got, "  47 there/larger\n") != 1 {
		t.Errorf("the last row is printed %d times, want once:\n%s", strings.Count(got, "  47 there/larger\n"), got)
	}
}

// Part of a name filters the list. If only one row matches, it is selected.
func TestPlainListByName(t *testing.T) {
	const ready = "empty line to cancel"
	got := runPlainTyped(t, screen.Options{Models: screen.Models{List: manyModels}},
		exchange{"> ", "/model"}, exchange{ready, "no such thing"}, exchange{ready, "m31"}, exchange{"model: here/m31", "/model"},
		exchange{ready, "LARGE"}, exchange{ready, "2"}, exchange{"model: there/larger", "/model"}, exchange{ready, ""}, exchange{"> ", "hello"}, exchange{"You said", "/quit"})
	for _, want := range []string{
		"note: no match for no such thing\n  1 here/m01\n",
		"  1 here/m31\n", "note: model: here/m31\n",
		"  1 there/large\n  2 there/larger\n  type a number or part of a name to select, or an empty line to cancel\n",
		"note: model: there/larger\n", "You said hello.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}

// The list of sessions also searches the transcripts.
func TestPlainListOfSessions(t *testing.T) {
	sessions := func(_ context.Context, query string) ([]list.Session, error) {
		all := []list.Session{{ID: "a", Dir: "~/shop", Title: "one"}, {ID: "b", Dir: "~/shop", Title: "two"}, {ID: "c", Dir: "~/shop", Title: "three"}}
		if query != "" {
			return all[1:2], nil
		}
		return all, nil
	}
	got := runPlainTyped(t, screen.Options{Session: screen.Session{List: sessions}, Files: screen.Files{Dir: "~/shop"}}, exchange{"> ", "/resume"}, exchange{"empty line to cancel", "spoken words"})
	if !strings.Contains(got, "3 three") || !strings.Contains(got, "  1 two") && !strings.Contains(got, "  1 b") {
		t.Errorf("the session is not found:\n%s", got)
	}
	got = runPlainTyped(t, screen.Options{Session: screen.Session{List: func(context.Context, string) ([]list.Session, error) { return nil, nil }}}, exchange{"> ", "/resume"}, exchange{"the list is empty", "/quit"})
	if strings.Contains(got, "not available") {
		t.Errorf("an empty list says:\n%s", got)
	}
}

// Lines of a file wait for the list of /context, and for a compaction.
func TestPlainFileWaitsForCommands(t *testing.T) {
	var got []event.Command
	agent := func(ctx context.Context, events chan<- event.Event, commands <-chan event.Command) {
		for {
			select {
			case c := <-commands:
				got = append(got, c)
				switch c.(type) {
				case event.ListContext:
					events <- answering(c, fullWindow())
				case event.Compact:
					events <- turnEnd(event.Done, 0)
				}
			case <-ctx.Done():
				return
			}
		}
	}
	out := runPlainWith(t, agent, screen.Options{}, "/context", "6", "1", "/compact", "/compact undo", "/context", "")
	got = slices.DeleteFunc(got, func(c event.Command) bool { _, draft := c.(event.SaveDraft); return draft })
	want := []event.Command{event.ListContext{}, event.EditContext{Step: event.CompactPin, Item: "c1"}, event.Compact{}, event.EditContext{Step: event.CompactUndo}, event.ListContext{}}
	if d := sameCommands(got, want); d != "" {
		t.Errorf("%s\n%s", d, out)
	}
}

// The prompt for the next line comes after the list of permissions.
func TestPlainPermissionsBeforeThePrompt(t *testing.T) {
	got := runPlainTyped(t, screen.Options{}, exchange{"> ", "/permissions"}, exchange{"(this session)", "/quit"})
	if want := "agent 0.1\n>   mode: ask\n  1: always allow `make` in ~/shop (this session)\n> "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
