package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"agent/internal/history"
)

// Set changes the text setting called name in the file at path, and creates the file
// if it does not exist. It keeps the rest of the file unchanged.
func Set(path, name, value string) error {
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
	b, err = setValue(b, name, value)
	if err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	if _, err := check[Settings](b); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	if err := history.Replace(path, b, true); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return nil
}

// setValue returns the JSON object b with a new value for name. A missing key is
// inserted first.
func setValue(b []byte, name, value string) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	open := int(d.InputOffset())
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var old json.RawMessage
		if err := d.Decode(&old); err != nil {
			return nil, err
		}
		if key == name {
			end := int(d.InputOffset())
			return bytes.Join([][]byte{b[:end-len(old)], text, b[end:]}, nil), nil
		}
	}
	line := fmt.Sprintf("\n  %q: %s", name, text)
	if rest := bytes.TrimLeft(b[open:], " \t\r\n"); rest[0] != '}' {
		return bytes.Join([][]byte{b[:open], []byte(line + ","), b[open:]}, nil), nil
	}
	return append([]byte("{"+line+"\n}"), bytes.TrimLeft(b[open:], " \t\r\n")[1:]...), nil
}
