package confine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames an entry of dir to a name that is free; otherwise the error is
// fs.ErrExist. Where the file system cannot check that itself, a job can make the name meanwhile.
func renameNew(dir *os.Root, from, to string) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	err = unix.RenameatxNp(fd, from, fd, to, unix.RENAME_EXCL)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return renameFreeName(dir, from, to)
	}
	return err
}
