package search

import (
	"context"
	"io"
	"io/fs"
)

// partSize is how many entries of a directory are read at once.
const partSize = 4096

// readDir calls take for the entries of d, in parts and in any order, up to most
// entries. has reports whether d contains a regular file of that name, or .git.
// more reports whether entries were left out. An error after the first part only
// ends the directory.
func readDir(ctx context.Context, d folder, most int, take func(part []fs.DirEntry, has func(name string) bool)) (more bool, err error) {
	for read := 0; ; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		part, err := d.f.ReadDir(min(partSize, most-read+1))
		if read == 0 && len(part) == 0 && err != nil && err != io.EOF {
			return false, err
		}
		last := err != nil || len(part) < partSize && read+len(part) <= most
		more := read+len(part) > most
		if more {
			part = part[:most-read]
		}
		if len(part) > 0 || read == 0 {
			has := d.has
			if read == 0 && last {
				has = hasName(part)
			}
			take(part, has)
		}
		read += len(part)
		if last || more {
			return more, nil
		}
	}
}

// hasName returns a function that reports whether a regular file, or .git, is
// among the entries.
func hasName(entries []fs.DirEntry) func(string) bool {
	return func(name string) bool {
		for _, e := range entries {
			if e.Name() == name {
				return name == gitDir || e.Type().IsRegular()
			}
		}
		return false
	}
}
