//go:build !linux && !darwin

package confine

import "os"

func renameNew(dir *os.Root, from, to string) error { return renameFreeName(dir, from, to) }
