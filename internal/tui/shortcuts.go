package tui

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/dialog"
	"agent/internal/tui/keys"
)

// shortcuts is the layer of the keys that mean the same whatever has the focus.
type shortcuts struct {
	*session
	dialog *dialog.Dialog
	find   *finder
	pager  *pager
	mouse  *mouse
	table  *commandTable
	models *modelPicker

	interrupt func()
}

// Key implements layer.
func (s *shortcuts) Key(msg tea.KeyPressMsg) (tea.Cmd, offer) {
	k := msg.String()
	if s.keys.Is(k, keys.Interrupt) && s.busy() {
		s.interrupt()
		return nil, taken
	}
	if s.scroll(k) {
		return nil, taken
	}
	switch {
	case s.keys.Is(k, keys.Find):
		s.find.start()
	case s.keys.Is(k, keys.View):
		s.pager.show()
	case s.keys.Is(k, keys.Palette):
		return s.table.showPalette(), taken
	case s.keys.Is(k, keys.Mode):
		if s.dialog.Waits() { // a key that looks at the question must not approve what follows
			s.flash = "answer the question first"
			break
		}
		s.setMode(s.nextMode())
	case s.keys.Is(k, keys.Model):
		return s.models.show(), taken
	case s.keys.Is(k, keys.Mouse):
		s.mouse.toggle()
	case s.keys.Is(k, keys.Suspend):
		return tea.Suspend, taken
	case s.keys.Is(k, keys.Redraw):
		return tea.ClearScreen, taken
	default:
		return nil, below
	}
	return nil, taken
}

// Paste implements layer.
func (s *shortcuts) Paste(string) (tea.Cmd, bool) { return nil, false }

// scroll takes a key that moves the transcript, or opens items in it. It reports
// whether it is one.
func (s *shortcuts) scroll(k string) bool {
	page := max(s.list.Height-2, 1)
	switch {
	case s.keys.Is(k, keys.PageUp):
		s.list.Scroll(-page)
	case s.keys.Is(k, keys.PageDown):
		s.list.Scroll(page)
	case s.keys.Is(k, keys.Top):
		s.list.ShowStart()
	case s.keys.Is(k, keys.Bottom):
		s.list.ShowEnd()
	case s.keys.Is(k, keys.JumpBack), s.keys.Is(k, keys.JumpOn):
		s.jump(s.keys.Is(k, keys.JumpBack))
	case s.keys.Is(k, keys.Open):
		s.list.ToggleLast()
	case s.keys.Is(k, keys.OpenAll):
		s.list.ToggleAll()
	default:
		return false
	}
	return true
}
