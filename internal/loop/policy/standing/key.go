package standing

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"agent/internal/history"
)

// keySize is the length of a key in bytes.
const keySize = 32

// Key returns the key in the file at path, and creates the file if it does not exist.
// It replaces a file that other users can read or write, or that holds no key; seals
// made with the old key become invalid.
func Key(path string) (key []byte, err error) {
	if key, err = readKey(path); err == nil {
		return key, nil
	}
	err = history.Exclusive(path, func() error {
		if key, err = readKey(path); err == nil { // another process has created it
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // Replace would keep its mode
			return err
		}
		key = make([]byte, keySize)
		rand.Read(key)
		return history.Replace(path, key, true)
	})
	if err != nil {
		return nil, fmt.Errorf("create the key of standing permissions: %w", err)
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
