package undo

import (
	"errors"

	"agent/internal/tools/snapshot"
)

// giveOwner does nothing: a new file belongs to the user.
func (p rootPath) giveOwner(string, snapshot.State) bool { return true }

// linkTo fails: hard links are not recorded.
func (p rootPath) linkTo(rootPath) error { return errors.ErrUnsupported }
