//go:build !(linux && (amd64 || arm64))

package watch

import "agent/internal/tools/shell/sandbox"

// Calls returns none: this system cannot hold system calls.
func Calls() []sandbox.Held { return nil }

// Serve does nothing: see Calls.
func (w *Watcher) Serve(*sandbox.Listener, int) {}
