package instructions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
	"agent/internal/tools/advice"
	"agent/internal/tools/workspace"
)

// maxFile is the size limit of a file, in bytes.
const maxFile = 256 << 10

// source is a set of directories with the files of one owner: the repository or the
// user.
type source struct {
	dirs  []string // absolute
	place string   // dirs, in words
	user  bool     // the user's: a file with a fixed name may be a link to another place
	// withheld returns why a file must not be read; empty if it may be.
	withheld func(path string) string
}

// document is the text of a file.
type document struct {
	text    string
	real    string   // absolute path without symbolic links below the source
	repairs []string // changes to the text, described for the user
}

// fixed returns the text of a file with a fixed name, such as AGENTS.md.
func (s source) fixed(path string) (document, error) {
	if real, err := filepath.EvalSymlinks(path); s.user && err == nil && !s.holds(real) {
		s.dirs = append(slices.Clone(s.dirs), filepath.Dir(real))
		return s.read(real, true)
	}
	return s.read(path, false)
}

// read returns the text of the file at an absolute path. A file that a text imports
// must not be withheld; a file with a fixed name must not be a link to a withheld
// one.
func (s source) read(path string, imported bool) (document, error) {
	w, at, err := s.find(path)
	if err != nil {
		return document{}, err
	}
	defer w.Close()
	real := filepath.Join(w.Dir(), filepath.FromSlash(at.Path))
	if rel, err := filepath.Rel(w.Dir(), path); imported || err != nil || filepath.ToSlash(rel) != at.Path {
		if why := s.withheld(path); why != "" {
			return document{}, fmt.Errorf("it is withheld from the model: %s", why)
		}
	}
	if at.Info.IsDir() {
		return document{}, errors.New("it is a directory")
	}
	f, _, err := at.Open()
	if err != nil {
		return document{}, errors.New(advice.Cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return document{}, workspace.Cause(err)
	case len(b) > maxFile:
		return document{}, fmt.Errorf("larger than %s", phrase.Bytes(maxFile))
	case bytes.IndexByte(b, 0) >= 0:
		return document{}, errors.New("it is not a text file in UTF-8")
	case bytes.Contains(b, []byte("PRIVATE KEY-----")):
		return document{}, errors.New("it is withheld from the model: it contains a private key")
	}
	text, repairs := clean(b)
	return document{text, real, repairs}, nil
}

// find opens a directory of s that contains path, and finds path in it. The
// caller closes the workspace.
func (s source) find(path string) (*workspace.Workspace, workspace.Place, error) {
	why := fmt.Errorf("it is outside %s", s.place)
	for _, dir := range s.dirs { // one may be in another
		if !realpath.Inside(path, dir) {
			continue
		}
		w, err := workspace.Open(dir)
		if err != nil {
			why = workspace.Cause(err)
			continue
		}
		at, err := w.Find(path)
		if err == nil {
			return w, at, nil
		}
		_ = w.Close()
		why = s.explain(path, err)
	}
	return nil, workspace.Place{}, why
}

// explain describes the error of a path in s to the user.
func (s source) explain(path string, err error) error {
	info, lerr := os.Lstat(path)
	if errors.Is(lerr, fs.ErrNotExist) {
		return errors.New("it does not exist")
	}
	real, rerr := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(rerr, fs.ErrNotExist):
		return errors.New("it is a symbolic link to a file that does not exist")
	case rerr == nil && !s.holds(real):
		return fmt.Errorf("it is a symbolic link that leads out of %s, to %s", s.place, real)
	case lerr == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return fmt.Errorf("it is a %s, not a regular file", workspace.Kind(info.Mode()))
	}
	return errors.New(advice.Cause(err))
}

// holds reports whether a path without symbolic links is in s.
func (s source) holds(real string) bool {
	for _, dir := range s.dirs {
		if d, err := filepath.EvalSymlinks(dir); err == nil && realpath.Inside(real, d) {
			return true
		}
	}
	return false
}

// clean returns the content of a file as text with newlines as line ends, without a
// byte order mark and without characters that are invisible to a reader.
func clean(b []byte) (text string, repairs []string) {
	text = string(bytes.TrimPrefix(b, []byte("\uFEFF")))
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		repairs = append(repairs, "it is not valid UTF-8: the invalid bytes were replaced")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	removed := 0
	text = strings.Map(func(r rune) rune {
		if hidden(r) {
			removed++
			return -1
		}
		return r
	}, text)
	if removed > 0 {
		repairs = append(repairs, phrase.Count(removed, "invisible or control character")+" removed")
	}
	return text, repairs
}

// hidden reports whether r can hide text from a reader: a control character, a
// change of the writing direction, or a tag.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', 0x7F <= r && r <= 0x9F:
		return true
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069, 0xE0000 <= r && r <= 0xE007F:
		return true
	}
	return false
}
