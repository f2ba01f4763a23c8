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

// Nothing is lost, nothing changes places, and the end is told last.
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
			t.Fatalf("%T after the end", msg)
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
		case gone:
			ended = true
		}
	})
	if next != n || !ended {
		t.Errorf("%d of %d events, end told: %v", next, n, ended)
	}
	if batches > n/10 {
		t.Errorf("%d batches for %d events: they are not gathered", batches, n)
	}
}

// The first event after a pause is not held back.
func TestPumpIsPrompt(t *testing.T) {
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
				if _, ok := msg.(gone); ok {
					t.Error("the end is told though more could come")
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

// Whoever sends a command never waits for the agent, and the agent gets all of
// them in their order.
func TestRelay(t *testing.T) {
	const n = 1000
	ctx, cancel := context.WithCancel(t.Context())
	in, out := make(chan event.Command), make(chan event.Command)
	var wg sync.WaitGroup
	wg.Go(func() { screen.Relay(ctx, in, out) })
	for i := range n { // nobody receives yet
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

// An agent that talks without listening, and a screen that does the same, do
// not stop each other.
func TestNoDeadlock(t *testing.T) {
	const n = 2000
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	events, in, out := make(chan event.Event), make(chan event.Command), make(chan event.Command)
	var agent, between sync.WaitGroup
	between.Go(func() { screen.Relay(ctx, in, out) })
	agent.Go(func() { // says all it has to say before it listens
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
		t.Errorf("%d of %d events came through", sent, n)
	}
	agent.Wait()
	cancel()
	between.Wait()
}

// Who closes the queue is told when everything in it has arrived.
func TestRelayEndsWithItsQueue(t *testing.T) {
	in, out := make(chan event.Command), make(chan event.Command)
	var between sync.WaitGroup
	between.Go(func() { screen.Relay(t.Context(), in, out) })
	in <- event.Rename{Title: "one"}
	in <- event.Rename{Title: "two"}
	close(in)
	got := []event.Command{<-out, <-out}
	if diff := cmp.Diff(got, []event.Command{event.Rename{Title: "one"}, event.Rename{Title: "two"}}); diff != "" {
		t.Errorf("commands (-got +want):\n%s", diff)
	}
	between.Wait()
}

// While text streams the spinner turns with it, and rarely wakes anybody
// itself. Once the text stops it goes on at its own pace.
func TestSpinnerTurnsWithWhatStreams(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	ticks := 0
	d.m.After = func(in time.Duration, msg tea.Msg) tea.Cmd {
		if msg == (tickMsg{}) {
			ticks++
		}
		return d.after(in, msg)
	}
	d.events(userSaid("go on"))
	for range 10 {
		d.advance(42 * time.Millisecond)
		d.events(streamed("r1", "word "))
	}
	turned := d.m.Transcript.Frame
	ticks = 0
	for range 50 {
		d.advance(42 * time.Millisecond)
		d.events(streamed("r1", "word "))
	}
	if got := d.m.Transcript.Frame - turned; got < 14 || got > 18 {
		t.Errorf("it turned %d times in two seconds", got)
	}
	if ticks > 8 {
		t.Errorf("it woke somebody %d times in two seconds", ticks)
	}
	d.advance(5 * spin)
	turned = d.m.Transcript.Frame
	d.advance(5 * spin)
	if got := d.m.Transcript.Frame - turned; got != 5 {
		t.Errorf("it turned %d times in %v", got, 5*spin)
	}
}

// A batch of what streams has a size: a key is never behind more than that.
func TestBatchesAreBounded(t *testing.T) {
	const n = 4000
	piece := strings.Repeat("x", 1<<10)
	events := make(chan event.Event)
	go func() {
		defer close(events)
		for range n {
			events <- event.Streamed{Reply: "r", Delta: llm.TextDelta{Text: piece}}
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
		t.Errorf("%d of %d events came", got, n)
	}
}
