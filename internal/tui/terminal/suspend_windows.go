package terminal

import tea "charm.land/bubbletea/v2"

// suspend does nothing: there is no job control.
func suspend() {}

// signals are none: the console tells its size with the keys.
type signals struct{}

func catchSignals() signals { return signals{} }

func (signals) drop() {}

func (signals) watch(*tty, func(tea.Msg)) (unwatch func()) { return func() {} }
