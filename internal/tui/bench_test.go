package tui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop"
)

// long is a session of n items.
func long(n int) []loop.Event {
	var all []loop.Event
	for i := 0; len(all) < n; i++ {
		r, id := fmt.Sprint("r", i), fmt.Sprint("c", i)
		all = append(all, userSaid("do it once more"), call(r, id, "shell"), start(id, "shell make", "execute"),
			result(id, "shell make", "execute", loop.OK, "exit code 0", "all is well", time.Second),
			done(llm.Assistant, r+"b", "Done: **all** of it.\n\n- one\n- two\n\n```go\nfunc main() {}\n```\n"), turnEnd(loop.Done, time.Second))
	}
	return all
}

func benchModel(events int) *model {
	m := newModel(Options{History: long(events)}, time.Now, func(loop.Command) {})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return m
}

func BenchmarkResume(b *testing.B) {
	history := long(20_000) // about 10,000 items
	for b.Loop() {
		m := newModel(Options{History: history}, time.Now, func(loop.Command) {})
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

func BenchmarkKey(b *testing.B) {
	m := benchModel(20_000)
	for b.Loop() {
		m.Update(keyPress("x"))
		m.View()
		m.Update(keyPress("backspace"))
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

// Scrolling draws what comes into the window and nothing else, however long the
// session is.
func TestScrollingDrawsTheWindowOnly(t *testing.T) {
	m := benchModel(20_000)
	drawn := func() (n int) {
		for _, p := range m.list.pages {
			for _, r := range p.rows {
				if r.drawn.version != 0 {
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
