package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// shareOutputs gives a new session the outputs of another. Completed outputs
// never change, so both sessions can share the files.
func (s *Store) shareOutputs(from, to string) (renamedDir, error) {
	old, dir := s.Outputs(from), s.Outputs(to)
	entries, err := os.ReadDir(old)
	if errors.Is(err, fs.ErrNotExist) {
		return renamedDir{}, nil
	}
	if err == nil {
		err = os.Mkdir(dir, 0o700) // it must be new: it is removed if creating the session fails
	}
	if err != nil {
		return renamedDir{}, fmt.Errorf("copy the outputs of session %s: %w", from, err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") { // incomplete
			continue
		}
		if err := linkOrCopy(filepath.Join(old, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return renamedDir{}, errors.Join(fmt.Errorf("copy the outputs of session %s: %w", from, err), os.RemoveAll(dir))
		}
	}
	return renamedDir{dir: dir, from: inJSON(old), to: inJSON(dir)}, nil
}

// linkOrCopy links from to to, or copies it if the file system has no hard
// links.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// renamedDir is the old and new name of a directory in JSON encoding. The zero
// value changes nothing.
type renamedDir struct {
	dir      string
	from, to []byte
}

// undo removes the created directory, if any.
func (m renamedDir) undo() error {
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}

// all yields bodies with the directory renamed.
func (m renamedDir) all(bodies iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for body, err := range bodies {
			if len(m.from) > 0 {
				body = bytes.ReplaceAll(body, m.from, m.to)
			}
			if !yield(body, err) {
				return
			}
		}
	}
}

// inJSON returns text as it appears inside a JSON string without HTML escapes.
func inJSON(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return nil // unreachable for a string
	}
	return bytes.Trim(b.Bytes(), "\"\n")
}
