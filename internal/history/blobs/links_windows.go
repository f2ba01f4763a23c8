package blobs

import "io/fs"

// links returns 1: only Linux keeps files.
func links(fs.FileInfo) uint64 { return 1 }
