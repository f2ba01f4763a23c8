//go:build !(linux && (amd64 || arm64))

package sandbox

import (
	"errors"
	"os"
)

// Namespaces are empty: this system has none.
type Namespaces struct{ User, Net, IPC, Mounts *os.File }

// Files returns nothing.
func (n Namespaces) Files() []*os.File { return nil }

// Listener is empty: on this system Start returns none.
type Listener struct{}

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

// Mount mounts nothing.
func (s *Session) Mount([]Overlay) error { return nil }

// Mounted reports false.
func (s *Session) Mounted(Overlay) (ok, tried bool) { return false, true }

// TestOverlays reports that this system has none.
func TestOverlays([]Overlay) error { return errors.New("this system has no overlays") }

// Close does nothing.
func (s *Session) Close() {}

// Run does nothing: this system needs no helper.
func Run() {}
