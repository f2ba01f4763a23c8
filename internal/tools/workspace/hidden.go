package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// located remembers where in a tree hidden paths are, because finding out takes a look at each
// directory above them. That holds as long as the path leads to the same directory at the same
// place.
type located struct {
	mu    sync.Mutex
	paths map[string]locatedPath
}

type locatedPath struct {
	dir    fs.FileInfo // that holds the path
	real   string      // the path of dir without links
	rel    string      // in the tree, with slashes
	inside bool
}

// hiddenPaths returns the hidden paths below the tree, relative to it and with slashes.
func (t *tree) hiddenPaths() (paths []string) {
	for _, hidden := range t.hidden {
		if p, inside := t.locate(hidden); inside {
			paths = append(paths, p)
		}
	}
	return paths
}

// locate is inside for a path, in whose directory links are resolved first.
func (t *tree) locate(path string) (rel string, inside bool) {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return t.inside(path)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	t.located.mu.Lock()
	defer t.located.mu.Unlock()
	if known, ok := t.located.paths[path]; ok && known.real == real && os.SameFile(known.dir, info) {
		return known.rel, known.inside
	}
	rel, inside = t.inside(filepath.Join(real, filepath.Base(path)))
	if t.located.paths == nil {
		t.located.paths = map[string]locatedPath{}
	}
	t.located.paths[path] = locatedPath{info, real, rel, inside}
	return rel, inside
}
