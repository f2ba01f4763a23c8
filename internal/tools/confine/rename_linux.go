package confine

import "golang.org/x/sys/unix"

// noReplace renames an entry of a directory, given by its descriptor, unless the new name exists.
func noReplace(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}
