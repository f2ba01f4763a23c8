package trust

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

const (
	// maxFile is the size limit of a configuration file of a repository, in bytes.
	maxFile = 256 << 10
	// maxNamed is the number of files of the repository that one command may name.
	maxNamed = 20
)

// ReadFile returns the content of a file below the directory root. A missing file is empty.
// The file must be regular, at most 256 KiB of UTF-8, and not reached by a symbolic link
// that leaves root.
func ReadFile(root, name string) (string, error) {
	b, err := readBelow(root, name, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("%s of this repository is not used: %w", name, err)
	case !utf8.Valid(b):
		return "", fmt.Errorf("%s of this repository is not used: it is not UTF-8 text", name)
	}
	return string(b), nil
}

func readBelow(root, name string, limit int64) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Stat(name) // a pipe could block its opening
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	return b, err
}

// Programs describes the files of the repository root that the words of commands name,
// which run in dir: their content if it is short text, otherwise its hash. It belongs to
// the Content of an item, so that a changed script waits for a new confirmation.
func Programs(root, dir string, commands ...string) string {
	var out strings.Builder
	seen := map[string]bool{}
	for _, line := range commands {
		for word := range strings.FieldsFuncSeq(line, notInName) {
			if !filepath.IsAbs(word) {
				word = filepath.Join(dir, word)
			}
			name, err := filepath.Rel(root, word)
			if err != nil || seen[name] || !filepath.IsLocal(name) || len(seen) >= maxNamed {
				continue
			}
			if text := program(root, name); text != "" {
				seen[name] = true
				fmt.Fprintf(&out, "\n--- %s\n%s", filepath.ToSlash(name), text)
			}
		}
	}
	return out.String()
}

// notInName reports whether r separates the words of a shell command.
func notInName(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`$(){}[];&|<>=,:", r) }

// program describes a file of the repository; empty if there is none.
func program(root, name string) string {
	const maxShown, maxHashed = 32 << 10, 64 << 20
	b, err := readBelow(root, name, maxShown)
	if err == nil && utf8.Valid(b) {
		return string(b)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return ""
	}
	defer dir.Close()
	if info, err := dir.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := dir.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxHashed))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("(%d bytes, SHA-256 %x)\n", n, h.Sum(nil))
}
