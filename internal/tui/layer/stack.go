package layer

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Stack holds the layers. Input is offered from the top layer, which was opened last,
// down to the prompt. A layer is pushed when it opens and removed when it closes.
type Stack struct {
	layers     []Layer // the bottom one first
	Shortcuts  Layer   // handles global keys
	Transcript Pointed // gets the mouse events that no layer takes

	pressed Pointed // has taken a click, and gets the events of the mouse until its release
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

// Full returns the top layer if it is drawn in the full screen, otherwise nil.
func (s *Stack) Full() Drawn {
	if d, ok := s.top().(Drawn); ok && d.Place() == FullScreen {
		return d
	}
	return nil
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

// Hint returns the hint of the top layer that has one.
func (s *Stack) Hint() string { return firstText(s, Hinted.Hint) }

// KeyHint returns the keys of the top layer that names some.
func (s *Stack) KeyHint() string { return firstText(s, Keyed.KeyHint) }

// firstText returns the first text that a layer has, from the top.
func firstText[T any](s *Stack, text func(T) string) string {
	for _, l := range slices.Backward(s.layers) {
		if l, ok := l.(T); ok {
			if t := text(l); t != "" {
				return t
			}
		}
	}
	return ""
}

// Animates reports whether a layer changes as time passes.
func (s *Stack) Animates() bool {
	return slices.ContainsFunc(s.layers, func(l Layer) bool {
		a, ok := l.(Animated)
		return ok && a.Animates()
	})
}

// Tick tells the layers that time has passed.
func (s *Stack) Tick() { each(s, Animated.Tick) }

// Restyle applies the styles of the window to the layers.
func (s *Stack) Restyle() { each(s, Styled.Restyle) }

// each calls do for the layers that are a T.
func each[T any](s *Stack, do func(T)) {
	for _, l := range slices.Clone(s.layers) {
		if l, ok := l.(T); ok {
			do(l)
		}
	}
}

// Cancel ends what the top layer with something to end has open.
func (s *Stack) Cancel() tea.Cmd {
	for _, l := range slices.Backward(slices.Clone(s.layers)) {
		if c, ok := l.(Canceler); ok {
			if cmd, done := c.Cancel(); done {
				return cmd
			}
		}
	}
	return nil
}

// Closes reports whether the key closes a layer, or something in it.
func (s *Stack) Closes(key string) bool {
	return slices.ContainsFunc(s.layers, func(l Layer) bool {
		c, ok := l.(Closer)
		return ok && c.Closes(key)
	})
}

// Receive passes a message to the layers that follow messages.
func (s *Stack) Receive(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range slices.Clone(s.layers) {
		if r, ok := l.(Receiver); ok {
			cmds = append(cmds, r.Receive(msg))
		}
	}
	return tea.Batch(cmds...)
}
