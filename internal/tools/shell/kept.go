package shell

import (
	"errors"
	"fmt"

	"agent/internal/tools/snapshot"
)

// ErrUnkept is the error of a command that did not start because its Order.Strict cannot
// be met. Its text is for the user.
var ErrUnkept = errors.New("the files that the command changes cannot be kept")

// Kept is what was kept of the files that a command with a Command.Snapshot has changed.
type Kept struct {
	Touched int // paths that were added to the store
	// Problem is why changed files were not kept, for the user; empty if all were. They may
	// have been kept until then.
	Problem string
	// Refused is the first change that failed, because its file could not be kept and
	// Order.Strict was set; nil if none failed.
	Refused *Refused
}

// Refused is a change of a file that the command was not allowed to make.
type Refused struct {
	Path string // absolute; empty if it is not known
	Why  string // why the file cannot be kept, for the user: "it is larger than 64 MB"
}

// watchable returns the order to keep files if this command can be watched. Otherwise it
// returns why it cannot, and an error if the order is strict.
func watchable(o *snapshot.Order, able bool, why string) (*snapshot.Order, Kept, error) {
	switch {
	case o == nil || able:
		return o, Kept{}, nil
	case o.Strict:
		return nil, Kept{}, fmt.Errorf("%w: %s", ErrUnkept, why)
	}
	return nil, Kept{Problem: why}, nil
}
