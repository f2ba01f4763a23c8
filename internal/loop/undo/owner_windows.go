package undo

import "os"

// giveOwner does nothing: a new file belongs to the user.
func (p place) giveOwner(*os.File) {}
