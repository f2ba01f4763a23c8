package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// replace writes a private file atomically: readers see the old or the new
// content, and the last of two writers wins. It does not sync.
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

// removeStale removes temporary files of killed programs. Nothing refers to
// them.
func (s *Store) removeStale(now time.Time) {
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
