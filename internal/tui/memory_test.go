package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// A long session keeps only the pages near the window in memory, even after scrolling
// through all of it and after it grew.
func TestMemoryOfALongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	const turns = 300
	turn := func(i int) []event.Event {
		r := fmt.Sprint("r", i)
		return []event.Event{userSaid(fmt.Sprintf("prompt %d", i)),
			done(llm.Assistant, r, strings.Repeat(fmt.Sprintf("Answer %d with **some** words.\n\n", i), 300)),
			&event.StepEnd{Reply: r}, turnEnd(event.Done, time.Second)}
	}
	read := func(from, to int) (all []event.Event, err error) {
		for i := from / 4; i < (to+3)/4; i++ {
			all = append(all, turn(i)...)
		}
		return all[from%4 : from%4+to-from], nil
	}
	s := event.Opened{Events: 4 * turns, Turns: turns}
	for i := range turns {
		s.Prompts = append(s.Prompts, event.PastPrompt{Text: fmt.Sprintf("prompt %d", i), At: 4 * i})
		s.Bounds = append(s.Bounds, 4*i, 4*i+3)
	}
	before := heap()
	tail, _ := read(4*turns-200, 4*turns)
	d := bareDriver(t, screen.Options{Session: screen.Session{History: tail, Page: read}})
	d.send(tea.WindowSizeMsg{Width: 100, Height: 40})
	d.send(batch{s})
	for range turns / 10 {
		for range 10 {
			d.press("alt+up")
		}
		d.press("pgup", "pgdown")
	}
	d.press("ctrl+home", "pgdown", "ctrl+end")
	d.press("ctrl+f")
	d.typeText("nowhere")
	d.press("enter", "esc")
	for i := range 50 {
		for _, ev := range turn(turns + i) {
			d.send(batch{ev})
		}
	}
	const most = 2 << 20
	got := heap() - before
	if got > most {
		t.Errorf("the session uses %d KB, want at most %d", got>>10, most>>10)
	}
	runtime.KeepAlive(d)
}

// heap returns the bytes of allocated heap objects after a collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
