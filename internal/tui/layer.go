package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// layer is a part of the screen that takes input.
type layer interface {
	// Key takes a key, or says who it is offered to next.
	Key(msg tea.KeyPressMsg) (tea.Cmd, offer)
	// Paste takes pasted text. It reports false to leave it to the layers below.
	Paste(text string) (tea.Cmd, bool)
}

// fullScreen is a layer that has the screen and the mouse for itself while it is on
// top. Its keys come as they are, without joining those of a chord.
type fullScreen interface {
	layer
	// View draws the layer.
	View() ([]string, *tea.Cursor)
	Mouse(msg tea.MouseMsg) tea.Cmd
}

// offer says what becomes of a key that a layer was offered.
type offer int

const (
	taken  offer = iota // nobody else gets it
	below               // it is offered to the layers below
	global              // it is offered to the shortcuts, and to nobody below them
)

// stack holds the layers. Input is offered from the top: what was opened last
// comes first, the prompt last. A layer that covers others is pushed when it opens
// and removed when it closes.
type stack struct {
	layers    []layer // the bottom one first
	shortcuts layer   // the one that takes global keys
}

func (s *stack) push(l layer) {
	s.remove(l)
	s.layers = append(s.layers, l)
}

func (s *stack) remove(l layer) {
	s.layers = slices.DeleteFunc(s.layers, func(o layer) bool { return o == l })
}

// has reports whether a layer is open.
func (s *stack) has(l layer) bool { return slices.Contains(s.layers, l) }

// top is the layer that is offered input first.
func (s *stack) top() layer { return s.layers[len(s.layers)-1] }

// full returns the layer that has the screen for itself, nil if none has.
func (s *stack) full() fullScreen {
	f, _ := s.top().(fullScreen)
	return f
}

// covers reports whether a layer is above l.
func (s *stack) covers(l layer) bool { return s.top() != l && s.has(l) }

// key offers a key to all layers.
func (s *stack) key(msg tea.KeyPressMsg) tea.Cmd { return s.offer(msg, len(s.layers)) }

// keyBelow offers a key to the layers below l, as l says.
func (s *stack) keyBelow(l layer, msg tea.KeyPressMsg, to offer) tea.Cmd {
	switch to {
	case below:
		return s.offer(msg, slices.Index(s.layers, l))
	case global:
		cmd, _ := s.shortcuts.Key(msg)
		return cmd
	}
	return nil
}

// offer offers a key to the layers below number from.
func (s *stack) offer(msg tea.KeyPressMsg, from int) tea.Cmd {
	for i := from - 1; i >= 0; i-- {
		cmd, to := s.layers[i].Key(msg)
		switch to {
		case taken:
			return cmd
		case global:
			cmd, _ = s.shortcuts.Key(msg)
			return cmd
		}
	}
	return nil
}

// paste offers pasted text to all layers.
func (s *stack) paste(text string) tea.Cmd {
	for _, l := range slices.Backward(slices.Clone(s.layers)) {
		if cmd, taken := l.Paste(text); taken {
			return cmd
		}
	}
	return nil
}
