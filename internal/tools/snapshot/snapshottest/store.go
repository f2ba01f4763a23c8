// Package snapshottest holds a snapshot.Store in a directory, for tests of commands that
// are watched. Production code never imports it.
package snapshottest

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

	"agent/internal/tools/snapshot"
)

// Store is a snapshot.Store in an existing directory. It refuses contents that begin with
// "full", as if it were full.
type Store string

// Open returns the store in a directory. It fails if the directory does not exist.
func Open(path string) (snapshot.Store, error) {
	_, err := os.Stat(path)
	return Store(path), err
}

// Put writes the content to a file that is named by its hash.
func (s Store) Put(content io.Reader) (hash string, size int64, err error) {
	b, err := io.ReadAll(content)
	if err != nil {
		return "", 0, err
	}
	if bytes.HasPrefix(b, []byte("full")) {
		return "", 0, errors.New("the store is full")
	}
	sum := sha256.Sum256(b)
	hash = hex.EncodeToString(sum[:])
	return hash, int64(len(b)), os.WriteFile(filepath.Join(string(s), hash), b, 0o600)
}

// Add appends a line to a file.
func (s Store) Add(t snapshot.Touched) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(string(s), "touched"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}

// Touched returns what was added, in that order. It fails if a content of it is missing.
func (s Store) Touched() (all []snapshot.Touched, err error) {
	text, err := os.ReadFile(filepath.Join(string(s), "touched"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var t snapshot.Touched
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, err
		}
		if h := t.Before.Hash; h != "" {
			if _, err := os.Stat(filepath.Join(string(s), h)); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Path, err)
			}
		}
		all = append(all, t)
	}
	return all, nil
}
