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

// shareOutputs gives a session that is to be made the outputs of another. They
// are never changed once they are whole, so that both may have the same files.
func (s *Store) shareOutputs(from, to string) (moved, error) {
	old, dir := s.Outputs(from), s.Outputs(to)
	entries, err := os.ReadDir(old)
	if errors.Is(err, fs.ErrNotExist) {
		return moved{}, nil
	}
	if err == nil {
		err = os.Mkdir(dir, 0o700) // which must be new: it is removed if the session is not made
	}
	if err != nil {
		return moved{}, fmt.Errorf("take over the outputs of session %s: %w", from, err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") { // not whole yet
			continue
		}
		if err := linkOrCopy(filepath.Join(old, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return moved{}, errors.Join(fmt.Errorf("take over the outputs of session %s: %w", from, err), os.RemoveAll(dir))
		}
	}
	return moved{dir: dir, from: inJSON(old), to: inJSON(dir)}, nil
}

// linkOrCopy makes to the same file as from or, where the disk has no such thing, a
// copy of it.
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

// moved is what a directory was called and is called now, as JSON has it. The
// zero value is none.
type moved struct {
	dir      string
	from, to []byte
}

// undo removes the directory that was made, if one was.
func (m moved) undo() error {
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}

// all yields bodies with the directory renamed.
func (m moved) all(bodies iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
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

// inJSON is a text as it stands within a string of JSON that no HTML is to be
// made of.
func inJSON(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return nil // which a string never does
	}
	return bytes.Trim(b.Bytes(), "\"\n")
}
