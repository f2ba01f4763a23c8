package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// replace puts a new private file of that content in a file's place. Whoever
// reads it finds the old one or the new one; of two writers, the last wins. It
// is not synced: for what may be lost with the power.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*"+tempExtension)
	if err != nil {
		return err
	}
	err = errors.Join(writeAll(f, text), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, remove(f.Name()))
	}
	return nil
}

// sweep removes what programs that were killed left half made. It is made of
// nothing that anybody was told is there.
func (s *Store) sweep(now time.Time) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), tempExtension) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}
