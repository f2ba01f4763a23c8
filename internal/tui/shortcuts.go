package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/keys"
	"agent/internal/tui/layer"
	"agent/internal/tui/pager"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// shortcuts is the layer of the global key bindings.
type shortcuts struct {
	*screen.Window
	transcript *transcript.Transcript
	feed       *transcript.Feed
	pager      *pager.Pager
	mouse      *mouse
	slash      *slash.Session

	interrupt func()
	nextMode  func()
	waits     func() bool // reports whether a dialog waits for the user
}

// Key implements layer.Layer.
func (s *shortcuts) Key(msg tea.KeyPressMsg) (tea.Cmd, layer.Offer) {
	k := msg.String()
	if s.Keys.Is(k, keys.Interrupt) && s.feed.Busy() {
		s.interrupt()
		return nil, layer.Taken
	}
	if s.scroll(k) {
		return nil, layer.Taken
	}
	switch {
	case s.Keys.Is(k, keys.Find):
		s.pager.Find.Start()
	case s.Keys.Is(k, keys.View):
		s.pager.Show()
	case s.Keys.Is(k, keys.Palette):
		return s.slash.Palette.Show(), layer.Taken
	case s.Keys.Is(k, keys.Mode):
		if s.waits() { // a key meant for the dialog must not approve later calls
			s.Flash = "answer the question first"
			break
		}
		s.nextMode()
	case s.Keys.Is(k, keys.Model):
		return s.slash.Models.Show(), layer.Taken
	case s.Keys.Is(k, keys.Agents):
		return s.slash.Agents.Show(), layer.Taken
	case s.Keys.Is(k, keys.Mouse):
		s.mouse.toggle()
	case s.Keys.Is(k, keys.Suspend):
		return tea.Suspend, layer.Taken
	case s.Keys.Is(k, keys.Redraw):
		return tea.ClearScreen, layer.Taken
	default:
		return nil, layer.Below
	}
	return nil, layer.Taken
}

// Hint implements layer.Hinted.
func (s *shortcuts) Hint() string {
	if s.transcript.Follow {
		return ""
	}
	return "more below (" + s.Keys.Name(keys.Bottom) + ")"
}

// Paste implements layer.Layer.
func (s *shortcuts) Paste(string) (tea.Cmd, bool) { return nil, false }

// scroll handles the keys that scroll the transcript or expand its items. It reports
// whether k is one of them.
func (s *shortcuts) scroll(k string) bool {
	page := max(s.transcript.Height-2, 1)
	switch {
	case s.Keys.Is(k, keys.PageUp):
		s.transcript.Scroll(-page)
	case s.Keys.Is(k, keys.PageDown):
		s.transcript.Scroll(page)
	case s.Keys.Is(k, keys.Top):
		s.transcript.ShowStart()
	case s.Keys.Is(k, keys.Bottom):
		s.transcript.ShowEnd()
	case s.Keys.Is(k, keys.PreviousTurn), s.Keys.Is(k, keys.NextTurn):
		s.feed.Log.Jump(s.transcript, s.Keys.Is(k, keys.PreviousTurn))
	case s.Keys.Is(k, keys.Open):
		s.transcript.ToggleLast()
	case s.Keys.Is(k, keys.OpenAll):
		s.transcript.ToggleAll()
	default:
		return false
	}
	return true
}
