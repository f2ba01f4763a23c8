package terminal

import tea "charm.land/bubbletea/v2"

// suspend does nothing: Windows has no job control.
func suspend() {}

// signals is empty: the console reports its size as input.
type signals struct{}

func catchSignals() signals { return signals{} }

func (signals) drop() {}

func (signals) watch(*tty, func(tea.Msg)) (unwatch func()) { return func() {} }
