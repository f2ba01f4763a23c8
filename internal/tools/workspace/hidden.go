package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// located remembers where in a tree the directories of hidden files are, because finding out
// takes a look at each directory above them. What it remembers of a directory holds as long as
// the same directory is at its path.
type located struct {
	mu   sync.Mutex
	dirs map[string]locatedDir
}

type locatedDir struct {
	info   fs.FileInfo
	rel    string // in the tree, with slashes
	inside bool
}

// hiddenPaths returns the hidden paths below the tree, relative to it and with slashes.
func (t *tree) hiddenPaths() (paths []string) {
	for _, hidden := range t.hidden {
		if p, ok := t.locate(filepath.Dir(hidden)); ok {
			paths = append(paths, filepath.ToSlash(filepath.Join(p, filepath.Base(hidden))))
		}
	}
	return paths
}

// locate returns the path in the tree of a directory that may not exist. It reports false if
// the directory is outside.
func (t *tree) locate(dir string) (rel string, inside bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return t.inside(dir)
	}
	t.located.mu.Lock()
	defer t.located.mu.Unlock()
	if d, ok := t.located.dirs[dir]; ok && os.SameFile(d.info, info) {
		return d.rel, d.inside
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	rel, inside = t.inside(real)
	if t.located.dirs == nil {
		t.located.dirs = map[string]locatedDir{}
	}
	t.located.dirs[dir] = locatedDir{info, rel, inside}
	return rel, inside
}
