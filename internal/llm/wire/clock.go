package wire

import "time"

// Clock is the time as an exchange sees it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own when d has passed, as
	// time.AfterFunc does.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is the part of a time.Timer that is needed here.
type Timer interface {
	Reset(d time.Duration) bool
	Stop() bool
}

type systemClock struct{}

func (systemClock) Now() time.Time                            { return time.Now() }
func (systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
