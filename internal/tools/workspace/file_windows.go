package workspace

import (
	"io/fs"
	"os"
)

const nonblock = 0

// inode returns 0: file info has no inode number on Windows.
func inode(fs.FileInfo) uint64 { return 0 }

func device(fs.FileInfo) uint64 { return 0 }

func ownedByUser(fs.FileInfo) bool { return false }

func hasOtherLinks(fs.FileInfo) bool { return false }

// linkCount returns 1: file info has no count of hard links on Windows.
func linkCount(fs.FileInfo) int { return 1 }

func foreignOwner(fs.FileInfo) (uid int, foreign bool) { return 0, false }

func sameOwner(a, b fs.FileInfo) bool { return true }

func copyOwner(*os.File, fs.FileInfo) {}

// syncDir does nothing: Windows cannot sync directories.
func syncDir(*os.File) error { return nil }

func lockShared(*os.File) {}

// lockExclusive returns false, so no leftover is removed.
func lockExclusive(*os.File) bool { return false }
