package tools

import (
	"io/fs"
	"os"
)

func announce(*os.File) {}

// alone cannot be told here, so nothing is removed.
func alone(*os.File) bool { return false }

func mine(fs.FileInfo) bool { return false }

func otherNames(fs.FileInfo) bool { return false }
