package layer

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Layer is a part of the screen that takes input.
type Layer interface {
	// Key handles a key, or returns where it is offered next.
	Key(msg tea.KeyPressMsg) (tea.Cmd, Offer)
	// Paste handles pasted text. It reports false to offer it to the layers below.
	Paste(text string) (tea.Cmd, bool)
}

// FullScreen is a layer that has the screen and the mouse to itself while it is on
// top. Its keys are not joined to chords.
type FullScreen interface {
	Layer
	// View draws the layer.
	View() ([]string, *tea.Cursor)
	Mouse(msg tea.MouseMsg) tea.Cmd
}

// Offer is what happens next to a key that a layer was offered.
type Offer int

const (
	Taken  Offer = iota // it was handled
	Below               // it is offered to the layers below
	Global              // it is offered to the shortcuts only
)

// Stack holds the layers. Input is offered from the top layer, which was opened last,
// down to the prompt. A layer is pushed when it opens and removed when it closes.
type Stack struct {
	layers    []Layer // the bottom one first
	Shortcuts Layer   // handles global keys
}

// Push opens a layer on top of the others.
func (s *Stack) Push(l Layer) {
	s.Remove(l)
	s.layers = append(s.layers, l)
}

// Remove closes a layer, if it is open.
func (s *Stack) Remove(l Layer) {
	s.layers = slices.DeleteFunc(s.layers, func(o Layer) bool { return o == l })
}

// Has reports whether a layer is open.
func (s *Stack) Has(l Layer) bool { return slices.Contains(s.layers, l) }

// top returns the layer that is offered input first.
func (s *Stack) top() Layer { return s.layers[len(s.layers)-1] }

// Full returns the top layer if it is a FullScreen, otherwise nil.
func (s *Stack) Full() FullScreen {
	f, _ := s.top().(FullScreen)
	return f
}

// Covers reports whether a layer is above l.
func (s *Stack) Covers(l Layer) bool { return s.top() != l && s.Has(l) }

// Key offers a key to all layers.
func (s *Stack) Key(msg tea.KeyPressMsg) tea.Cmd { return s.offer(msg, len(s.layers)) }

// KeyBelow offers a key to the layers below l or to the shortcuts, according to to.
func (s *Stack) KeyBelow(l Layer, msg tea.KeyPressMsg, to Offer) tea.Cmd {
	switch to {
	case Below:
		return s.offer(msg, slices.Index(s.layers, l))
	case Global:
		cmd, _ := s.Shortcuts.Key(msg)
		return cmd
	}
	return nil
}

// offer offers a key to the layers below index from.
func (s *Stack) offer(msg tea.KeyPressMsg, from int) tea.Cmd {
	for i := from - 1; i >= 0; i-- {
		cmd, to := s.layers[i].Key(msg)
		switch to {
		case Taken:
			return cmd
		case Global:
			cmd, _ = s.Shortcuts.Key(msg)
			return cmd
		}
	}
	return nil
}

// Paste offers pasted text to all layers.
func (s *Stack) Paste(text string) tea.Cmd {
	for _, l := range slices.Backward(slices.Clone(s.layers)) {
		if cmd, taken := l.Paste(text); taken {
			return cmd
		}
	}
	return nil
}
