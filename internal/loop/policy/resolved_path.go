package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/protect"
)

// resolvedPath is a protected absolute path with its other name and its identity.
type resolvedPath struct {
	names  [][]string // split and folded: as written, and without symbolic links
	info   os.FileInfo
	reason string
}

func newResolvedPath(path, reason string) resolvedPath {
	at := resolvedPath{names: [][]string{split(path)}, reason: reason}
	if real := realpath.Of(path); real != path {
		at.names = append(at.names, split(real))
	}
	at.info, _ = os.Stat(path)
	return at
}

// holds reports whether a file is the path or below it: by one of its names, or by
// the identity of the file or a directory above it.
func (at resolvedPath) holds(parts []string, above []os.FileInfo) bool {
	for _, name := range at.names {
		if len(parts) >= len(name) && slices.Equal(parts[:len(name)], name) {
			return true
		}
	}
	return at.info != nil && slices.ContainsFunc(above, func(info os.FileInfo) bool { return os.SameFile(info, at.info) })
}

// ancestors returns the FileInfo of a file and the directories above it that exist.
func ancestors(file string) []os.FileInfo {
	var out []os.FileInfo
	for dir := file; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			out = append(out, info)
		}
		if dir == filepath.Dir(dir) {
			return out
		}
	}
}

// split returns the folded elements of a path.
func split(path string) []string {
	names := strings.Split(filepath.Clean(path), string(filepath.Separator))
	for i, name := range names {
		names[i] = protect.Fold(name)
	}
	return names
}
