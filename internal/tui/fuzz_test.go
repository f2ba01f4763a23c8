package tui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// FuzzScreen sends random events, keys, sizes and pauses. After each, the driver checks
// that the view fits in the window, and a terminal emulator must show the same text.
func FuzzScreen(f *testing.F) {
	if testing.Short() {
		f.Skip("slow: make test runs it")
	}
	for seed := range uint64(12) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		o := new(store).options()
		o.Models.List, o.Models.Welcome, o.Terminal = modelCatalog, "No model is connected.", screen.Terminal{Notify: screen.NotifyOSC9, Progress: true}
		p := &player{rand.New(rand.NewPCG(seed, 1)), newDriver(t, 80, 24, o), nil, 0}
		p.d.draw = newFrames(t, p.d).draw
		p.d.runCmd(p.d.m.Init())
		for range 100 {
			p.step()
		}
	})
}

// player generates random input.
type player struct {
	*rand.Rand
	d     *driver
	calls []string
	reply int
}

func (p *player) step() {
	switch p.IntN(8) {
	case 0, 1, 2:
		p.d.press(p.pick("enter", "esc", "ctrl+c", "tab", "shift+tab", "up", "down", "left", "right", "pgup", "pgdown",
			"ctrl+home", "ctrl+end", "ctrl+f", "ctrl+g", "alt+up", "alt+down", "N", "G", "ctrl+o", "ctrl+t", "ctrl+j", "shift+enter", "backspace", "ctrl+w", "ctrl+u", "ctrl+k",
			"y", "n", "a", "1", "3", "7", "space", "?", "/", "\\", "x", "日", "é", "alt+m", "home", "end", "delete", "alt+b", "ctrl+d", "q", "ctrl+p", "ctrl+n", "ctrl+x", "!", "alt+enter", "alt+q", "ctrl+e", "ctrl+s"))
	case 3:
		p.d.send(tea.PasteMsg{Content: p.words(p.IntN(300))})
	case 4:
		w, h := 1+p.IntN(130), 1+p.IntN(50)
		if p.IntN(3) == 0 {
			w, h = p.IntN(12), p.IntN(6)
		}
		p.d.send(tea.WindowSizeMsg{Width: w, Height: h})
	case 5:
		p.d.advance(time.Duration(p.IntN(900)) * time.Millisecond)
		p.mouse()
	case 6:
		if p.IntN(4) == 0 {
			p.d.press("ctrl+u")
			p.d.typeText(p.pick("/sessions", "/resume", "/rewind", "/fork", "/rename x", "/compact",
				"/model", "/keys", "/theme", "/status", "/cost", "/copy", "/copy code", "/plan", "/help", "!ls", "!!ls -l", "ls"))
			p.d.press(p.pick("enter", "alt+enter"))
			return
		}
		fallthrough
	default:
		e := p.event()
		p.d.events(e)
		if streams(e) {
			p.checkFullLayout()
		}
	}
}

// mouse scrolls, clicks or drags at a random position.
func (p *player) mouse() {
	x, y := p.IntN(p.d.m.Width+2), p.IntN(p.d.m.Height+2)
	p.d.send(tea.MouseWheelMsg{X: x, Y: y, Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[p.IntN(2)]})
	for range p.IntN(4) {
		p.d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		if p.IntN(3) == 0 {
			p.d.send(tea.MouseMotionMsg{X: p.IntN(p.d.m.Width + 2), Y: p.IntN(p.d.m.Height + 2), Button: tea.MouseLeft})
		}
		p.d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	}
}

// checkFullLayout checks that the incremental layout after an event equals a full
// layout.
func (p *player) checkFullLayout() {
	p.d.t.Helper()
	got := p.d.m.View().Content
	p.d.m.display.arrange()
	if d := cmp.Diff(got, p.d.m.View().Content); d != "" {
		p.d.t.Errorf("screen after streamed text (-got +want):\n%s", d)
	}
}

func (p *player) pick(of ...string) string { return of[p.IntN(len(of))] }

// words returns random text with n fragments, including wide, combining and invalid
// characters.
func (p *player) words(n int) string {
	s := ""
	for range n {
		s += p.pick("word ", "a", "日本語", "👩‍👩‍👧", "\n", "\t", "\x1b[31m", "\r", "\u202e", "- item\n", "```go\nx := 1\n", "```\n",
			"| a | b |\n|---|---|\n| c | d |\n", "# head\n", "`code`", "[link](http://x.y)", "\xff", "e\u0301", "averyveryverylongwordwithoutanyspaceinit")
	}
	return s
}

func (p *player) event() event.Event {
	if p.IntN(6) == 0 {
		p.reply++
	}
	reply := fmt.Sprint("r", p.reply)
	id := "none"
	if len(p.calls) > 0 {
		id = p.pick(p.calls...)
	}
	effect, title := event.Effect(p.pick("read", "write", "execute", "")), p.pick("read ", "shell ", "", "edit ")+p.words(2)
	diff := event.Diff{Path: p.words(1), Unified: hunk, Added: 2, Removed: 1}
	switch p.IntN(26) {
	case 0:
		return &event.UserSaid{Text: p.words(20), Steered: p.IntN(2) == 0}
	case 1, 2:
		return event.Streamed{Reply: reply, Delta: llm.TextDelta{Index: p.IntN(3), Text: p.words(5)}}
	case 3:
		return event.Streamed{Reply: reply, Delta: llm.ThinkingDelta{Index: p.IntN(3), Text: p.words(5)}}
	case 4:
		return event.Streamed{Reply: reply, Delta: llm.CallDelta{Index: p.IntN(3), Name: p.words(1), Args: p.words(3)}}
	case 5:
		return done([]llm.Kind{llm.Assistant, llm.Thinking}[p.IntN(2)], reply, p.words(30))
	case 6, 7:
		p.calls = append(p.calls, fmt.Sprint("c", len(p.calls)))
		return call(reply, p.calls[len(p.calls)-1], p.pick("read", "shell"))
	case 8:
		return start(id, title, effect, file("a.go"))
	case 9:
		return event.Progress{ID: id, Text: p.words(10)}
	case 10:
		e := result(id, title, effect, event.Outcome(p.pick("ok", "error", "refused", "interrupted", "unknown")), p.words(1), p.words(20), time.Second)
		e.Diffs = []event.Diff{diff}[:p.IntN(2)]
		return e
	case 11:
		return event.Asked{Ask: event.Ask{ID: p.pick(id, event.StepsAsk), Title: title, Effect: effect, Diffs: []event.Diff{diff}[:p.IntN(2)],
			Targets: []event.Target{{Kind: "command", Value: p.words(9)}}[:p.IntN(2)], Why: p.words(2), Scope: p.words(1), Warnings: []string{p.words(4)}}}
	case 12:
		return event.Retrying{Attempt: 2, Of: 6, In: time.Minute, Error: p.words(3), Hint: p.words(2)}
	case 13:
		return &event.Decided{ID: id, Decision: event.Decision(p.pick("allow", "always", "refuse")), Scope: p.words(1), Note: p.words(2)}
	case 14:
		ask := event.Ask{ID: id, Title: title, Effect: "read", Question: p.words(30), Many: p.IntN(2) == 0}
		for range 2 + p.IntN(5) {
			ask.Choices = append(ask.Choices, event.Choice{Text: p.words(3), Explain: p.words(p.IntN(20))})
		}
		return event.Asked{Ask: ask}
	case 15:
		var items []event.TodoItem
		for range p.IntN(20) {
			items = append(items, event.TodoItem{Text: p.words(p.IntN(9)), State: event.TodoState(p.pick("pending", "active", "done"))})
		}
		return &event.TodoSet{ID: id, Items: items}
	case 16:
		return event.JobsNow{Jobs: []event.Job{{ID: 1, Title: title, State: p.words(p.IntN(2)), Lines: 3}}}
	case 17:
		return &event.Rewound{Keep: p.IntN(30) - 1}
	case 18:
		return &event.Renamed{Title: p.words(p.IntN(9))}
	case 20:
		return &event.ShellStart{ID: p.pick("s1", "s2"), Line: p.words(4), Join: p.IntN(2) == 0}
	case 21:
		return event.Progress{ID: p.pick("s1", "s2"), Text: p.words(10)}
	case 22:
		return &event.ShellEnd{ID: p.pick("s1", "s2"), Line: p.words(4), Join: p.IntN(2) == 0, Text: p.words(40) + p.pick("", "\n[exit 0]\n"),
			Outcome: event.Outcome(p.pick("ok", "error", "interrupted", "unknown")), Summary: p.words(p.IntN(3)), Duration: time.Second}
	case 23:
		return event.NotRun{Line: p.words(3), Why: p.words(2)}
	case 24:
		return event.Asked{Ask: event.Ask{ID: p.pick(id, "plan"), Title: title, Effect: effect, Plan: p.words(1 + p.IntN(60)), Warnings: []string{p.words(4)}[:p.IntN(2)]}}
	case 25:
		return &event.PlanSet{ID: p.pick(id, ""), Plan: event.Plan{Title: p.words(5)}, Text: p.words(40), Mode: p.pick("ask", "edits", ""), Edited: p.IntN(2) == 0, Note: p.words(p.IntN(3)),
			State: event.PlanState(p.pick("presented", "approved", "rejected"))}
	case 19:
		return &event.Compacted{Replies: 3, Saved: p.IntN(1e6), Why: p.words(2)}
	}
	return &event.TurnEnd{Reason: event.Reason(p.pick("done", "error", "interrupted", "length")), Error: p.words(2), Hint: p.words(2), Duration: time.Hour}
}
