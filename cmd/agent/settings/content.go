package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// maxSize is the size limit of a configuration file, in bytes.
const maxSize = 1 << 20

// readFile returns the content of the configuration file at path, without a byte
// order mark. It rejects anything but a regular file, because a pipe can block and a
// device has no end. It returns fs.ErrNotExist if a parent is not a directory, as in
// the home directory /dev/null.
func readFile(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fs.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read the configuration: %w", err)
	case fi.IsDir():
		return nil, fmt.Errorf("read the configuration: %s is a directory. Move it away", path)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("read the configuration: %s is not a regular file. Move it away", path)
	case fi.Size() > maxSize:
		return nil, fmt.Errorf("read the configuration: %s is larger than %d MiB. Move it away", path, maxSize>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return bytes.TrimPrefix(b, []byte("\uFEFF")), nil
}
