//go:build !(linux && (amd64 || arm64))

package watch

import (
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/snapshot"
)

// Watcher does nothing: this system cannot hold system calls.
type Watcher struct{}

// New returns a Watcher.
func New(snapshot.Order, snapshot.Store, Reports) *Watcher { return &Watcher{} }

// Calls returns none.
func Calls() []sandbox.Held { return nil }

// Worker does nothing.
func (w *Watcher) Worker(*sandbox.Listener) func(*sandbox.Notification) { return nil }

// NewTurn does nothing.
func (w *Watcher) NewTurn(func() []int) {}

// End does nothing.
func (w *Watcher) End() {}

// Touched returns 0.
func (w *Watcher) Touched() int { return 0 }

// Problem returns "".
func (w *Watcher) Problem() string { return "" }
