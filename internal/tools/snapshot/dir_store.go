package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// DirStore is a Store in an existing directory, for tests. It refuses contents that begin with
// "full", as if it were full.
type DirStore string

// OpenDirStore returns the store in a directory. It fails if the directory does not exist.
func OpenDirStore(path string) (Store, error) {
	_, err := os.Stat(path)
	return DirStore(path), err
}

// Put writes the content to a file that is named by its hash.
func (d DirStore) Put(content io.Reader) (hash string, size int64, err error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return "", 0, err
	}
	if bytes.HasPrefix(b, []byte("full")) {
		return "", 0, errors.New("the store is full")
	}
	sum := sha256.Sum256(b)
	hash = hex.EncodeToString(sum[:])
	return hash, int64(len(b)), os.WriteFile(filepath.Join(string(d), hash), b, 0o600)
}

// Add appends a line to a file.
func (d DirStore) Add(t Touched) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(string(d), "touched"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}

// Touched returns what was added, in that order. It fails if a content of it is missing.
func (d DirStore) Touched() (all []Touched, err error) {
	text, err := os.ReadFile(filepath.Join(string(d), "touched"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var t Touched
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, err
		}
		if h := t.Before.Hash; h != "" {
			if _, err := os.Stat(filepath.Join(string(d), h)); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Path, err)
			}
		}
		all = append(all, t)
	}
	return all, nil
}
