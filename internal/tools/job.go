package tools

import "time"

// Job is a command that runs in the background, or did.
type Job struct {
	ID    int       // from 1 on, never used twice
	Title string    // its command in one printable line
	Began time.Time // when the command was started
	// State is how it ended, in words ("exit 1", "stopped"); empty while it runs.
	State string
	Lines int64 // that it has written so far
}
