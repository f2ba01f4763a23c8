//go:build unix

package terminal

import tea "charm.land/bubbletea/v2"

// lend lets another program have the terminal while this one goes on.
func (s *stage) lend(l lend) tea.Msg {
	s.tty.loan.begin()
	s.handOver(l)
	go func() {
		err := l.Run()
		s.send(returned{l.note, l.told(err)})
	}()
	return nil
}
