package git

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// Limits of the files that are read, in bytes.
const (
	maxRef    = 1 << 16
	maxConfig = 1 << 20
	maxPacked = 16 << 20
)

// readFile reads a file of at most limit bytes. It rejects pipes and devices, which
// could block or be endless.
func readFile(name string, limit int64) ([]byte, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > limit {
		return nil, fmt.Errorf("read %s: not a git file", name)
	}
	// The file may have been replaced by a pipe since, or may grow.
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err = f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", name)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
