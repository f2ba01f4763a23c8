package tui

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// pump delivers all events in order, and gone last.
func TestPumpKeepsOrder(t *testing.T) {
	const n = 20_000
	events := make(chan event.Event)
	go func() {
		defer close(events)
		for i := range n {
			events <- event.Notice{Text: strconv.Itoa(i)}
		}
	}()
	next, batches, ended := 0, 0, false
	pump(t.Context(), events, func(msg any) {
		if ended {
			t.Fatalf("%T after eventsClosed", msg)
		}
		switch msg := msg.(type) {
		case batch:
			batches++
			for _, ev := range msg {
				if got, want := ev.(event.Notice).Text, strconv.Itoa(next); got != want {
					t.Fatalf("got event %s, want %s", got, want)
				}
				next++
			}
		case eventsClosed:
			ended = true
		}
	})
	if next != n || !ended {
		t.Errorf("%d of %d events, gone: %v", next, n, ended)
	}
	if batches > n/10 {
		t.Errorf("%d batches for %d events, want at most a tenth", batches, n)
	}
}

// The first event after a pause is sent without delay.
func TestPumpSendsFirstEventAtOnce(t *testing.T) {
	events := make(chan event.Event)
	got := make(chan any)
	go pump(t.Context(), events, func(msg any) { got <- msg })
	for range 3 {
		events <- event.Notice{Text: "x"}
		if diff := cmp.Diff(<-got, any(batch{event.Notice{Text: "x"}})); diff != "" {
			t.Errorf("batch (-got +want):\n%s", diff)
		}
	}
}

func TestPumpEndsWithItsContext(t *testing.T) {
	for _, begun := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		events := make(chan event.Event, 1)
		if begun {
			events <- event.Notice{}
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			pump(ctx, events, func(msg any) {
				if _, ok := msg.(eventsClosed); ok {
					t.Error("eventsClosed is sent although events is open")
				}
				cancel()
			})
		})
		if !begun {
			cancel()
		}
		wg.Wait()
		cancel()
	}
}

// Sending a command never blocks on the agent, which gets all commands in order.
func TestRelay(t *testing.T) {
	const n = 1000
	ctx, cancel := context.WithCancel(t.Context())
	in, out := make(chan event.Command), make(chan event.Command)
	var wg sync.WaitGroup
	wg.Go(func() { screen.Relay(ctx, in, out) })
	for i := range n { // no receiver yet
		in <- event.Prompt{Text: strconv.Itoa(i)}
	}
	for i := range n {
		if got, want := (<-out).(event.Prompt).Text, strconv.Itoa(i); got != want {
			t.Fatalf("got command %s, want %s", got, want)
		}
	}
	cancel()
	wg.Wait()
}

// An agent and a screen that both send without receiving do not deadlock.
func TestNoDeadlock(t *testing.T) {
	const n = 2000
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	events, in, out := make(chan event.Event), make(chan event.Command), make(chan event.Command)
	var agent, relay sync.WaitGroup
	relay.Go(func() { screen.Relay(ctx, in, out) })
	agent.Go(func() { // sends all events before it receives commands
		for range n {
			events <- event.Notice{}
		}
		close(events)
		for range n {
			<-out
		}
	})
	sent := 0
	pump(ctx, events, func(msg any) {
		if b, ok := msg.(batch); ok {
			for range b {
				in <- event.Interrupt{}
				sent++
			}
		}
	})
	if sent != n {
		t.Errorf("%d of %d events arrived", sent, n)
	}
	agent.Wait()
	cancel()
	relay.Wait()
}

// Relay returns after its input is closed and all commands are delivered.
func TestRelayEndsWithItsInput(t *testing.T) {
	in, out := make(chan event.Command), make(chan event.Command)
	var relay sync.WaitGroup
	relay.Go(func() { screen.Relay(t.Context(), in, out) })
	in <- event.Rename{Title: "one"}
	in <- event.Rename{Title: "two"}
	close(in)
	got := []event.Command{<-out, <-out}
	if diff := cmp.Diff(got, []event.Command{event.Rename{Title: "one"}, event.Rename{Title: "two"}}); diff != "" {
		t.Errorf("commands (-got +want):\n%s", diff)
	}
	relay.Wait()
}

// Streamed text drives the spinner, so that few ticks are needed. After the stream ends,
// ticks drive it at the normal rate.
func TestStreamDrivesTheSpinner(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	ticks := 0
	d.m.After = func(in time.Duration, msg tea.Msg) tea.Cmd {
		if msg == (tickMsg{}) {
			ticks++
		}
		return d.after(in, msg)
	}
	d.events(userSaid("go"))
	for range 10 {
		d.advance(42 * time.Millisecond)
		d.events(streamed("r1", "word "))
	}
	turned := d.m.session.Transcript.Frame
	ticks = 0
	for range 50 {
		d.advance(42 * time.Millisecond)
		d.events(streamed("r1", "word "))
	}
	if got := d.m.session.Transcript.Frame - turned; got < 14 || got > 18 {
		t.Errorf("the spinner advanced %d times in two seconds", got)
	}
	if ticks > 8 {
		t.Errorf("%d ticks in two seconds, want at most 8", ticks)
	}
	d.advance(5 * spinnerPause)
	turned = d.m.session.Transcript.Frame
	d.advance(5 * spinnerPause)
	if got := d.m.session.Transcript.Frame - turned; got != 5 {
		t.Errorf("the spinner advanced %d times in %v, want 5", got, 5*spinnerPause)
	}
}

// Batches of streamed text have a size limit, so that a key press does not wait long.
func TestBatchesAreBounded(t *testing.T) {
	const n = 4000
	piece := strings.Repeat("x", 1<<10)
	events := make(chan event.Event)
	go func() {
		defer close(events)
		for i := range n {
			var ev event.Event = event.Streamed{Reply: "r", Delta: llm.TextDelta{Text: piece}}
			if i%2 == 1 {
				ev = event.Delegated{ID: 1, Event: ev}
			}
			events <- ev
		}
	}()
	got := 0
	pump(t.Context(), events, func(msg any) {
		b, _ := msg.(batch)
		got += len(b)
		if bytes := len(b) * len(piece); bytes > maxBatchBytes {
			t.Errorf("a batch has %d bytes", bytes)
		}
	})
	if got != n {
		t.Errorf("%d of %d events arrived", got, n)
	}
}
