//go:build !darwin && !(linux && (amd64 || arm64))

package sandbox

import "errors"

// Probe reports that this system has no sandbox.
func Probe() Report {
	return Report{Reason: "this system has no sandbox that the program can use"}
}

// Command is a command to start in the current directory.
type Command struct {
	Args          []string
	Env           []string
	Input, Output int
	Errors        int
	Cgroup        int
	User, Net     int
	IPC, Mounts   int
	Listen        bool
	Held          []Held
	NoAttributes  bool
}

// Start fails: this system has no sandbox.
func Start([]string, Command) (pid int, l *Listener, err error) {
	return 0, nil, errors.New("this system has no sandbox")
}

// Value returns 0: Start reports no errors of the system.
func Value(error) uint32 { return 0 }

// Unpack returns the error of a value.
func Unpack(uint32) error { return errors.New("this system has no sandbox") }
