package snapshot

import (
	"fmt"
	"io/fs"
)

// nonblock is not needed: no file blocks when it is opened.
const nonblock = 0

// unrestorable returns an empty string: owners and links are not known.
func unrestorable(fs.FileInfo) string { return "" }

// stamp returns the State.Stamp of a file.
func stamp(info fs.FileInfo) string {
	return fmt.Sprintf("%d:%d", info.Size(), info.ModTime().UnixNano())
}
