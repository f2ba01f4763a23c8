package protect

import (
	"os"
	"path/filepath"
	"slices"

	"agent/internal/realpath"
)

// WhyShadow says why a program that shadows another one is protected.
const WhyShadow = "it would run instead of another program of that name, because its directory is in your PATH"

// Search says where the user's shell finds programs by their names: in the directories of
// PATH. A command could put a program with the name of another one into those that belong to
// the workspace, such as .venv/bin. The zero Search finds no programs. It is immutable.
type Search struct {
	Inside  []string // directories in the workspace, absolute
	Outside []string // the others, absolute
}

// NewSearch returns the Search of a shell in the directory dir with the variable PATH. Roots
// are the workspace and the directories that the user added to it.
func NewSearch(path, dir string, roots []string) (s Search) {
	if dir == "" {
		return s
	}
	for _, at := range filepath.SplitList(path) {
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		at = filepath.Clean(at)
		inside := func(root string) bool {
			return realpath.Inside(at, root) || realpath.Inside(realpath.Of(at), realpath.Of(root))
		}
		if slices.ContainsFunc(roots, inside) {
			s.Inside = append(s.Inside, at)
		} else {
			s.Outside = append(s.Outside, at)
		}
	}
	return s
}

// Shadows reports whether a program at an absolute path without links runs instead of another
// one, when the user types its name.
func (s Search) Shadows(path string) bool {
	dir := filepath.Dir(path)
	found := func(at string) bool { return at == dir || realpath.Of(at) == dir }
	return slices.ContainsFunc(s.Inside, found) && s.isProgram(filepath.Base(path))
}

// isProgram reports whether a directory outside the workspace has a program with that name.
func (s Search) isProgram(name string) bool {
	return slices.ContainsFunc(s.Outside, func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// Programs returns the names in a directory of Inside that are programs outside, too.
func (s Search) Programs(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if s.isProgram(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
