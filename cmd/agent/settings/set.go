package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"agent/internal/history"
)

// Set changes the setting called name in the file at path, and creates the file if it
// does not exist. It keeps the rest of the file unchanged.
func Set(path, name string, value any) error { return Change(path, SetValue(value, name)) }

// Change makes edits, in order, in the configuration file at path, and creates the file if
// it does not exist. It keeps the rest of the file byte for byte. If the result is not a
// valid configuration, the file stays as it is.
func Change(path string, edits ...Edit) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // keep a symlink and change its target
	}
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = []byte("{}\n"), nil
	}
	if err != nil {
		return err
	}
	if _, err := check[Settings](b); err != nil {
		return fmt.Errorf("%s:%w", path, err)
	}
	for _, e := range edits {
		if b, err = e.apply(b); err != nil {
			return fmt.Errorf("change %s in %s: %w", e.name(), path, err)
		}
		if _, err := check[Settings](b); err != nil {
			return fmt.Errorf("set %s: %w", e.name(), err)
		}
	}
	if err := history.Replace(path, b, true); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}
