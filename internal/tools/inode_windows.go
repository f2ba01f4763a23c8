package tools

import "io/fs"

// inode tells nothing here: no number comes with what is known of a file.
func inode(fs.FileInfo) uint64 { return 0 }
