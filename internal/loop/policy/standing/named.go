package standing

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"agent/internal/tools/manifest"
)

// Named are the files that a command names, as they are now.
type Named struct {
	Files []File // sorted by path
	// Unbound is set if Files are not all files that the command names.
	Unbound bool
	Dirs    []string // in which the command may run, and those above in the workspace; absolute
}

// Manifests returns those of the files that say what commands beginning with
// prefix do, such as package.json for npm run. It reports false if the program has
// none.
func (n Named) Manifests(prefix string) (files []File, ok bool) {
	program, _, _ := strings.Cut(prefix, " ")
	names := slices.Concat(manifest.Tasks(program), manifest.Settings(program))
	for _, file := range n.Files {
		if slices.Contains(names, filepath.Base(file.Path)) {
			files = append(files, File{Path: file.Path, Sum: cmp.Or(file.Decides, file.Sum)})
		}
	}
	return files, len(names) > 0
}

// Hash returns a regular file with its hash, and its size in bytes. It reports false for any other file,
// and for one of more than limit bytes.
func Hash(path string, limit int64) (out File, size int64, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return File{}, 0, false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return File{}, 0, false
	}
	h, content := sha256.New(), new(bytes.Buffer)
	to := io.Writer(h)
	if filepath.Base(path) == "package.json" {
		to = io.MultiWriter(h, content)
	}
	size, err = io.Copy(to, io.LimitReader(f, limit+1))
	if err != nil || size > limit {
		return File{}, 0, false
	}
	return File{Path: path, Sum: sumOf(h), Decides: packageSum(content.Bytes())}, size, true
}

func sumOf(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }
