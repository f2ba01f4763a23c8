package shell

import (
	"fmt"

	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot"
)

// ErrNotUndoable is the error of a command that did not start because its Order.Strict cannot
// be met. Its text is for the user.
var ErrNotUndoable = supervisor.ErrStoreFailed

// Kept describes the saved states of the files that a command with a Command.Snapshot has
// changed.
type Kept = supervisor.Files

// Refused is a change of a file that the command was not allowed to make.
type Refused = supervisor.Change

// watchable returns the order to keep files if this command can be watched. Otherwise it
// returns why it cannot, and an error if the order is strict.
func watchable(o *snapshot.Order, able bool, why string) (order *snapshot.Order, problem string, err error) {
	switch {
	case o == nil || able:
		return o, "", nil
	case o.Strict:
		return nil, "", fmt.Errorf("%w: %s", ErrNotUndoable, why)
	}
	return nil, why, nil
}
