package workspace

import (
	"io/fs"
	"os"
)

const nonblock = 0

// inode tells nothing here: no number comes with what is known of a file.
func inode(fs.FileInfo) uint64 { return 0 }

func mine(fs.FileInfo) bool { return false }

func otherNames(fs.FileInfo) bool { return false }

func cautions(string, fs.FileInfo) []string { return nil }

func keepGroup(*os.File, fs.FileInfo) {}

// syncDir does nothing: a directory cannot be synced here.
func syncDir(*os.File) error { return nil }

func announce(*os.File) {}

// alone cannot be told here, so no file is removed.
func alone(*os.File) bool { return false }
