package policy

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the length of a key in bytes.
const keySize = 32

// Key returns the key in the file at path, and creates the file if it does not exist.
// It replaces a file that other users can read or write, or that holds no key; seals
// made with the old key become invalid.
func Key(path string) ([]byte, error) {
	key, err := readKey(path)
	if err == nil {
		return key, nil
	}
	replace := !errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the key of standing permissions: %w", err)
	}
	if err := writeKey(path, replace); err != nil {
		return nil, fmt.Errorf("create the key of standing permissions: %w", err)
	}
	if key, err = readKey(path); err != nil { // another process may have created it
		return nil, fmt.Errorf("read the key of standing permissions: %w", err)
	}
	return key, nil
}

// errKey is the error of a key file that must not be used.
var errKey = errors.New("not a private file of 32 bytes")

func readKey(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|keyFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() != keySize || !private(info) {
		return nil, fmt.Errorf("%s: %w", path, errKey)
	}
	key := make([]byte, keySize)
	if _, err := io.ReadFull(f, key); err != nil {
		return nil, err
	}
	return key, nil
}

// writeKey atomically creates the key file at path. Unless replace is set, it keeps a
// key that another process has created meanwhile.
func writeKey(path string, replace bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".permissions-*.key") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	key := make([]byte, keySize)
	rand.Read(key)
	_, err = f.Write(key)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if !replace {
		if err := os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
			return nil
		}
	}
	return os.Rename(f.Name(), path)
}
