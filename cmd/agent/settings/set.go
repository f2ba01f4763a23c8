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
func Set(path, name string, value any) error {
	return Change(path, func(Settings) ([]Edit, error) { return []Edit{SetValue(value, name)}, nil })
}

// Change makes the edits that decide returns, in order, in the configuration file at path,
// and creates the file if it does not exist. Decide gets the settings of the file. No other
// call of Change, in any process, reads or writes the file until this one has ended. Change
// keeps the rest of the file byte for byte. If decide returns an error, or the result is not
// a valid configuration, the file stays as it is.
func Change(path string, decide func(Settings) ([]Edit, error)) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // keep a symlink and change its target
	}
	var changing error
	err := history.Exclusive(path, func() error {
		changing = change(path, decide)
		return nil
	})
	if changing == nil && err != nil {
		return fmt.Errorf("lock the configuration: %w", err)
	}
	return changing
}

// change is Change while the file is locked.
func change(path string, decide func(Settings) ([]Edit, error)) error {
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = []byte("{}\n"), nil
	}
	if err != nil {
		return err
	}
	var now Settings
	if _, err := decode(path, b, &now); err != nil {
		return err
	}
	edits, err := decide(now)
	if err != nil || len(edits) == 0 {
		return err
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
