package terminal

import tea "charm.land/bubbletea/v2"

// suspend does nothing: there is no job control.
func suspend() {}

// watchSignals has nothing to watch: the console tells its size with the keys.
func watchSignals(*tty, func(tea.Msg)) (unwatch func()) { return func() {} }
