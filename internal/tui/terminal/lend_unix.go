//go:build unix

package terminal

import tea "charm.land/bubbletea/v2"

// lend runs another program on the terminal in the background.
func (s *stage) lend(l lend) tea.Msg {
	s.tty.loan.begin()
	s.handOver(l)
	go func() {
		err := l.Run()
		s.send(returned{l.note, l.done(err)})
	}()
	return nil
}
