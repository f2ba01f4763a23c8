package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// long returns a session of at least n events.
func long(n int) []event.Event {
	var all []event.Event
	for i := 0; len(all) < n; i++ {
		r, id := fmt.Sprint("r", i), fmt.Sprint("c", i)
		all = append(all, userSaid("do it once more"), call(r, id, "shell"), start(id, "shell make", "execute"),
			result(id, "shell make", "execute", event.OK, "exit code 0", "all is well", time.Second),
			done(llm.Assistant, r+"b", "Done: **all** of it.\n\n- one\n- two\n\n```go\nfunc main() {}\n```\n"), turnEnd(event.Done, time.Second))
	}
	return all
}

func benchModel(events int) *model {
	m := newModel(screen.Options{Session: screen.Session{History: long(events)}}, time.Now, func(event.Command) {})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return m
}

func BenchmarkResume(b *testing.B) {
	history := long(20_000) // about 10,000 items
	for b.Loop() {
		m := newModel(screen.Options{Session: screen.Session{History: history}}, time.Now, func(event.Command) {})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		m.View()
	}
}

func BenchmarkScroll(b *testing.B) {
	m := benchModel(20_000)
	for b.Loop() {
		m.Update(keyPress("pgup"))
		m.View()
	}
}

// BenchmarkScrollFrames scrolls a session of 10,000 messages of 5 KB each from
// the end to the beginning and back, and reports the slowest frame.
func BenchmarkScrollFrames(b *testing.B) {
	var all []event.Event
	for i := range 5000 {
		r := fmt.Sprint("r", i)
		text := fmt.Sprintf("# Answer %d\n\n", i) + strings.Repeat("Text with **bold** and `code`, as there is.\n\n- one\n- two\n\n```go\nfunc main() {}\n```\n\n", 50)
		all = append(all, userSaid(text), done(llm.Assistant, r, text), &event.StepEnd{Reply: r}, turnEnd(event.Done, time.Second))
	}
	read := func(from, to int) ([]event.Event, error) { return all[from:to], nil }
	for b.Loop() {
		m := newModel(screen.Options{Session: screen.Session{History: all[len(all)-200:], Page: read}}, time.Now, func(event.Command) {})
		var frames []time.Duration
		do := func(msg tea.Msg) {
			for due := []tea.Msg{msg}; len(due) > 0; due = due[1:] {
				began := time.Now()
				_, cmd := m.Update(due[0])
				m.View()
				frames = append(frames, time.Since(began))
				due = append(due, carryOut(cmd)...)
			}
		}
		do(tea.WindowSizeMsg{Width: 120, Height: 40})
		do(batch{openedEvent(all)})
		for m.session.Transcript.Top.Page > 0 {
			do(keyPress("pgup"))
		}
		for !m.session.Transcript.Follow {
			do(keyPress("pgdown"))
		}
		slices.Sort(frames)
		b.ReportMetric(float64(frames[len(frames)-1].Microseconds())/1000, "max-ms/frame")
		b.ReportMetric(float64(frames[len(frames)*999/1000].Microseconds())/1000, "p99.9-ms/frame")
		b.ReportMetric(float64(len(frames)), "frames")
	}
}

// carryOut runs a command and returns its messages.
func carryOut(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var all []tea.Msg
		for _, c := range msg {
			all = append(all, carryOut(c)...)
		}
		return all
	default:
		return []tea.Msg{msg}
	}
}

func BenchmarkKey(b *testing.B) {
	m := benchModel(20_000)
	for b.Loop() {
		m.Update(keyPress("x"))
		m.View()
		m.Update(keyPress("backspace"))
		m.View()
	}
}

// BenchmarkKeyWithDelegates types while 8 delegates change and the text of one that is
// watched streams.
func BenchmarkKeyWithDelegates(b *testing.B) {
	m := benchModel(20_000)
	m.Update(batch{userSaid("go")})
	var all []event.Delegate
	for i := range 8 {
		id := fmt.Sprint("d", i)
		m.Update(batch{call("r", id, "delegate"), start(id, "delegate explore: find it", event.DelegateEffect)})
		all = append(all, event.Delegate{ID: i + 1, Call: id, Name: "explore", Task: "find all callers of Close", State: event.DelegateWorking, Action: "read a.go", Began: time.Now()})
	}
	n := 0
	for b.Loop() {
		n++
		all = slices.Clone(all)
		for i := range all {
			all[i].Tokens += n
		}
		m.Update(batch{event.DelegatesNow{Delegates: all}, event.Delegated{ID: 1, Event: streamed("x", "one more word of it ")}})
		m.View()
		m.Update(keyPress("x"))
		m.View()
		m.Update(keyPress("backspace"))
		m.View()
	}
}

// BenchmarkWatchDelegate draws the streamed text of a delegate that is watched.
func BenchmarkWatchDelegate(b *testing.B) {
	m := benchModel(20_000)
	m.Update(batch{event.DelegatesNow{Delegates: []event.Delegate{{ID: 1, Name: "explore", State: event.DelegateWorking, Began: time.Now()}}}})
	m.slash.Front.Screen.Delegate(1, false)
	for _, ev := range long(2000) {
		m.Update(batch{event.Delegated{ID: 1, Event: ev}})
	}
	n := 0
	for b.Loop() {
		if n++; n%2000 == 0 {
			m.Update(batch{event.Delegated{ID: 1, Event: done(llm.Assistant, "x", "enough")}})
		}
		m.Update(batch{event.Delegated{ID: 1, Event: streamed("x", "one more word of it ")}})
		m.View()
	}
}

func BenchmarkDeltas(b *testing.B) {
	m := benchModel(100)
	i := 0
	for b.Loop() {
		if i++; i%2000 == 0 {
			m.Update(batch{done(llm.Assistant, "x", "enough")})
		}
		m.Update(batch{streamed("x", "one more word of it "), streamed("x", "and another\n")})
		m.View()
	}
}

// Scrolling draws only the items in the window, in a session of any length.
func TestScrollingDrawsOnlyTheWindow(t *testing.T) {
	m := benchModel(20_000)
	drawn := func() (n int) {
		for _, p := range m.session.Transcript.Pages.All {
			for _, r := range p.Rows {
				if r.Drawn.Version != 0 {
					n++
				}
			}
		}
		return n
	}
	if got := drawn(); got > 40 {
		t.Errorf("%d items were drawn for the first window", got)
	}
	before := drawn()
	m.Update(keyPress("pgup"))
	if got := drawn() - before; got > 40 {
		t.Errorf("%d items were drawn for a page", got)
	}
}
