//go:build !(linux && (amd64 || arm64))

package sandbox

import (
	"errors"
	"os"
	"slices"
)

// Namespaces are empty: this system has none.
type Namespaces struct{ User, Net, IPC, Mounts *os.File }

// Files returns nothing.
func (n Namespaces) Files() []*os.File { return nil }

// Listener is empty: on this system Start returns none.
type Listener struct {
	Connects func(address string, lookup bool) // is never called
}

// SeesConnections reports false.
func (l *Listener) SeesConnections() bool { return false }

// Serve does nothing.
func (l *Listener) Serve(int, func() func(*Notification)) {}

// Continue does nothing.
func (l *Listener) Continue(*Notification) {}

// Notification is empty: on this system no system call waits.
type Notification struct{}

// Session holds nothing on this system.
type Session struct{ form Form }

// NewSession returns a session of a form that Probe has reported.
func NewSession(form Form) *Session { return &Session{form: form} }

// Form returns the form of the session.
func (s *Session) Form() Form { return s.form }

func (s *Session) open() (files uint64, n Namespaces, err error) { return 0, n, nil }

// Mount fails: this system has no overlays.
func (s *Session) Mount(overlays []Overlay) []error { return TestOverlays(overlays) }

// Mounted reports false.
func (s *Session) Mounted(Overlay) bool { return false }

// TestOverlays fails: this system has no overlays.
func TestOverlays(overlays []Overlay) []error {
	return slices.Repeat([]error{errors.ErrUnsupported}, len(overlays))
}

// Close does nothing.
func (s *Session) Close() {}

// Run does nothing: this system needs no helper.
func Run() {}
