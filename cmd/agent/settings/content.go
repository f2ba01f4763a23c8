package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// maxSize is how many bytes of a configuration are read. What is larger is
// something else under its name.
const maxSize = 1 << 20

// readFile returns what the configuration file at path holds, without the mark
// that some editors begin a file with. Anything but a file is refused unread: a
// pipe would have nothing to say, and a device no end. Where what should be a
// directory is none, as below the home /dev/null, no file exists.
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
		return nil, fmt.Errorf("read the configuration: %s is a directory and must be a file: move it away", path)
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("read the configuration: %s is no file: move it away", path)
	case fi.Size() > maxSize:
		return nil, fmt.Errorf("read the configuration: %s is larger than %d MiB: move it away", path, maxSize>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return bytes.TrimPrefix(b, []byte("\uFEFF")), nil
}
