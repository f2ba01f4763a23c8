package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// isHidden reports whether the resolved path p is hidden: see Workspace.Hide. It compares
// files and directories by identity, because a hidden path may lead through links.
func (t *tree) isHidden(p string) bool {
	if len(t.hidden) == 0 {
		return false
	}
	chain := t.chain(p)
	return slices.ContainsFunc(t.hidden, func(hidden string) bool { return chain.below(hidden) || isLinked(chain[0].info, hidden) })
}

// chain holds a path of a tree and the directories above it, up to the tree.
type chain []element

// element is a file or directory of a chain.
type element struct {
	name string      // "." for the tree
	info fs.FileInfo // nil if it does not exist
}

// chain returns the chain of the resolved path p.
func (t *tree) chain(p string) (c chain) {
	stat := t.root.Stat
	// os.Stat is faster than Stat of a root, and equivalent while t.dir leads to the tree.
	if now, err := os.Stat(t.dir); err == nil && os.SameFile(now, t.self) {
		stat = func(p string) (fs.FileInfo, error) { return os.Stat(filepath.Join(t.dir, filepath.FromSlash(p))) }
	}
	for ; p != "."; p = path.Dir(p) {
		info, _ := stat(p)
		c = append(c, element{path.Base(p), info})
	}
	return append(c, element{".", t.self})
}

// below reports whether the first element of c is file, or below it. If file does not exist, it
// is compared by its names below the closest directory that does.
func (c chain) below(file string) bool {
	var missing []string
	for at := file; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil {
			i := slices.IndexFunc(c, func(e element) bool { return e.info != nil && os.SameFile(e.info, info) })
			return i >= len(missing) && slices.EqualFunc(missing, c[i-len(missing):i], func(name string, e element) bool { return strings.EqualFold(name, e.name) })
		}
		if at == filepath.Dir(at) {
			return false
		}
		missing = append(missing, filepath.Base(at))
	}
}

// isLinked reports whether info describes a file with several hard links, one of them in dir.
func isLinked(info fs.FileInfo, dir string) bool {
	if info == nil || info.IsDir() || !hasOtherLinks(info) {
		return false
	}
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		entry, err := e.Info()
		return err == nil && os.SameFile(info, entry)
	})
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
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return t.inside(filepath.Join(dir, filepath.Base(path)))
}
