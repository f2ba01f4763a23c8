package workspace

import "path/filepath"

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
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return t.inside(filepath.Join(dir, filepath.Base(path)))
}
