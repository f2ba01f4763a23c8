//go:build !(linux && (amd64 || arm64))

package watch

import "agent/internal/tools/shell/sandbox"

// Calls returns none: this system cannot hold system calls.
func Calls() []sandbox.Held { return nil }

// Worker does nothing: see Calls.
func (w *Watcher) Worker(*sandbox.Listener) func(*sandbox.Notification) { return nil }

// NewTurn does nothing: see Calls.
func (w *Watcher) NewTurn(func() []int) {}
