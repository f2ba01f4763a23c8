package undo

import (
	"errors"

	"agent/internal/tools/snapshot"
)

// giveOwner does nothing: a new file belongs to the user.
func (p place) giveOwner(string, snapshot.State) bool { return true }

// linkTo fails: hard links are not recorded.
func (p place) linkTo(place) error { return errors.ErrUnsupported }
