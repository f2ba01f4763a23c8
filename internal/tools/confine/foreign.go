package confine

import (
	"os"
	"path/filepath"
	"slices"

	"agent/internal/realpath"
)

const (
	// maxForeign is how many entries of the temporary directory are looked at.
	maxForeign = 5000
	// foreignDepth is how far below it repositories are searched.
	foreignDepth = 2
)

// Foreign returns the directories of repositories that are in the temporary directory now, but
// not those that contain one of dirs or are in one. Work in such a repository is not that of
// the session: a command that nobody approved must not change it.
func Foreign(dirs []string) []string {
	s := foreignSearch{left: maxForeign}
	for _, dir := range dirs {
		if dir != "" {
			s.dirs = append(s.dirs, realpath.Of(dir))
		}
	}
	s.search(realpath.Of(os.TempDir()), foreignDepth)
	return s.found
}

type foreignSearch struct {
	dirs  []string
	left  int // entries to look at
	found []string
}

func (s *foreignSearch) search(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if s.left--; s.left < 0 {
			return
		}
		if !e.IsDir() || inAny(path, s.dirs) {
			continue
		}
		holds := slices.ContainsFunc(s.dirs, func(d string) bool { return within(d, path) })
		if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil && !holds {
			s.found = append(s.found, path)
		} else if depth > 1 {
			s.search(path, depth-1)
		}
	}
}
