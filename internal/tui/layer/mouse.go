package layer

import tea "charm.land/bubbletea/v2"

// Mouse passes a mouse event to the full-screen layer, to the layer that has taken the
// click, or else to the layer under the pointer. Line top of the window is the first
// of the panel p. clicks is as in Pointed.
func (s *Stack) Mouse(msg tea.MouseMsg, clicks int, p *Panel, top int) tea.Cmd {
	if full := s.Full(); full != nil {
		return s.point(full, msg, clicks)
	}
	switch msg.(type) {
	case tea.MouseMotionMsg, tea.MouseReleaseMsg:
		return s.follow(msg, clicks, p, top)
	}
	to := s.Transcript
	l, first := p.at(msg.Mouse().Y - top)
	cmd, taken := tea.Cmd(nil), false
	if pointed, ok := l.(Pointed); ok {
		if cmd, taken = pointed.Mouse(moved(msg, -top-first), clicks); taken {
			to = pointed
		}
	}
	if !taken {
		cmd, _ = s.Transcript.Mouse(msg, clicks)
	}
	if _, ok := msg.(tea.MouseClickMsg); ok {
		s.pressed = to
	}
	return cmd
}

// point passes an event to a layer that has the mouse to itself.
func (s *Stack) point(full Drawn, msg tea.MouseMsg, clicks int) tea.Cmd {
	if l, ok := full.(Pointed); ok {
		cmd, _ := l.Mouse(msg, clicks)
		return cmd
	}
	return nil
}

// follow passes a motion or a release to the layer that has taken the click, if it is
// still shown.
func (s *Stack) follow(msg tea.MouseMsg, clicks int, p *Panel, top int) tea.Cmd {
	pressed := s.pressed
	if _, released := msg.(tea.MouseReleaseMsg); released {
		s.pressed = nil
	}
	if pressed == nil {
		return nil
	}
	if pressed != s.Transcript {
		msg = moved(msg, -top-p.first(pressed))
	}
	cmd, _ := pressed.Mouse(msg, clicks)
	return cmd
}

// LetGo ends a drag: the layer that has taken the click gets no more events.
func (s *Stack) LetGo() { s.pressed = nil }

// first returns the first line of a layer, 0 if it is not drawn.
func (p *Panel) first(l Pointed) int {
	for _, a := range p.areas {
		if o, ok := a.layer.(Pointed); ok && o == l {
			return a.from
		}
	}
	return 0
}

// moved returns a mouse event whose position is by lines further down.
func moved(msg tea.MouseMsg, by int) tea.MouseMsg {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		msg.Y += by
		return msg
	case tea.MouseMotionMsg:
		msg.Y += by
		return msg
	case tea.MouseReleaseMsg:
		msg.Y += by
		return msg
	case tea.MouseWheelMsg:
		msg.Y += by
		return msg
	}
	return msg
}

// WheelLines returns how many lines of text an event of the wheel scrolls, up if negative.
func WheelLines(msg tea.MouseWheelMsg) int { return 3 * WheelRows(msg) }

// WheelRows returns how many rows of a list an event of the wheel scrolls, up if negative.
func WheelRows(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -1
	case tea.MouseWheelDown:
		return 1
	}
	return 0
}
