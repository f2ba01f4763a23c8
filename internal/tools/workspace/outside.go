package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
	"agent/internal/tools/advice"
	"agent/internal/tools/tempdir"
)

// AllowOutside lets Find and transactions accept files outside the workspace, by
// absolute paths and by paths that begin with ~, which stands for home. Find also accepts
// them by .. and through symbolic links. The caller must judge the targets of every call.
// Call it before any tool runs.
func (w *Workspace) AllowOutside(home string) {
	w.outside, w.main.wider, w.home = true, true, home
}

// Withhold sets which files are withheld, such as those that may hold secrets, by their
// paths. Searches skip them, and their contents are not shown before the model has read
// them. Call it before any tool runs.
func (w *Workspace) Withhold(withheld func(path string) bool) { w.withheld = withheld }

// Add adds a directory that tools read and change like the workspace, by absolute
// paths. Call it before any tool runs.
func (w *Workspace) Add(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Cause(err)
	}
	t, err := openTree(real)
	if err != nil {
		return Cause(err)
	}
	t.kind, t.hidden = addedTree, w.main.hidden
	w.added = append(w.added, &t)
	return nil
}

// Added returns the directories of Add, without symbolic links.
func (w *Workspace) Added() (dirs []string) {
	for _, t := range w.added {
		dirs = append(dirs, t.dir)
	}
	return dirs
}

// Share gives w the access that from has to its outputs and to files outside the
// workspace. The same files are hidden and guarded. It does not add the directories that
// were added to from. Call it before any tool of w runs.
func (w *Workspace) Share(from *Workspace) {
	w.outputs, w.outside, w.home, w.withheld, w.temp = from.outputs, from.outside, from.home, from.withheld, from.temp
	w.main.hidden, w.main.wider = from.main.hidden, from.main.wider
}

// UseTemp makes paths below /tmp mean what commands find there. Call it before any tool runs.
func (w *Workspace) UseTemp(temp *tempdir.Dir) { w.temp = temp }

// locate returns the tree to which name, as a model writes it, belongs, and name in a
// form that this tree accepts. A tree outside the workspace has no open root: see
// tree.enter.
func (w *Workspace) locate(name string) (*tree, string, error) {
	name = w.expandHome(name)
	if !filepath.IsAbs(name) || strings.ContainsRune(name, 0) {
		return &w.main, name, nil
	}
	if w.outside && len(name) > maxAbsolute {
		return nil, "", advice.Add(fmt.Errorf("%s: the path is longer than %d bytes", phrase.Clip(name, maxShown), maxAbsolute), "Use a shorter path")
	}
	if t, err := w.rootOf(name); t != nil || err != nil {
		return t, name, err
	}
	if !w.outside {
		return &w.main, name, nil
	}
	real, err := realpath.Checked(w.temp.Real(name))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, Cause(err))
	}
	if t, err := w.rootOf(real); t != nil || err != nil {
		return t, real, err
	}
	t, err := w.treeAround(name, real)
	return t, real, err
}

// outsidePath returns the absolute path of a name that leads out of the workspace, by ".."
// or through a symbolic link. It reports false if its links cannot be resolved.
func (w *Workspace) outsidePath(name string) (string, bool) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(realpath.Of(w.Dir()), filepath.FromSlash(name))
	}
	real, err := realpath.Checked(name)
	return real, err == nil
}

// maxAbsolute is the length in bytes of the longest absolute path. Systems accept no
// longer ones.
const maxAbsolute = 4095

// expandHome replaces ~ at the beginning of a path by the home directory.
func (w *Workspace) expandHome(name string) string {
	rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~")
	if !ok || rest != "" && rest[0] != '/' || !w.outside || w.home == "" {
		return name
	}
	return filepath.Join(w.home, filepath.FromSlash(rest))
}

// rootOf returns the tree with an open root that an absolute path belongs to, or nil.
func (w *Workspace) rootOf(name string) (*tree, error) {
	if t, err := w.outputsOf(name); t != nil || err != nil {
		return t, err
	}
	for _, t := range append([]*tree{&w.main}, w.added...) {
		if _, ok := t.inside(name); ok {
			return t, nil
		}
	}
	return nil, nil
}

// treeAround returns the tree of real, a path without symbolic links: real itself if it
// is a directory, else the closest directory above it that exists.
func (w *Workspace) treeAround(name, real string) (*tree, error) {
	if isPseudo(real) {
		return nil, advice.Add(fmt.Errorf("%s is not a file on a disk; tools cannot read or write it", name), "Use a command in shell")
	}
	for dir := real; ; dir = filepath.Dir(dir) {
		self, err := statNoLinks(dir)
		switch {
		case err == nil:
			kind := outsideTree
			if w.temp.Holds(dir) {
				kind = temporaryTree
			}
			return &tree{dir: dir, self: self, kind: kind, hidden: w.main.hidden, temp: w.temp}, nil
		case dir == filepath.Dir(dir), errors.Is(err, fs.ErrPermission):
			return nil, fmt.Errorf("%s: %w", name, Cause(err))
		}
	}
}

// isPseudo reports whether a path without symbolic links is in a virtual file system of
// the kernel. These include the memory and the environment of this process.
func isPseudo(real string) bool {
	names := strings.Split(real, string(filepath.Separator))
	return len(names) > 1 && names[0] == "" && slices.Contains([]string{"proc", "sys", "dev"}, names[1])
}

// isClosed reports whether t has no open root, because its directory is outside the workspace.
func (t *tree) isClosed() bool { return t.kind == outsideTree || t.kind == temporaryTree }

// enter returns t with an open root, which done closes. A directory outside the
// workspace must still be the one that t was made for.
func (t *tree) enter() (opened *tree, done func(), err error) {
	if !t.isClosed() {
		return t, func() {}, nil
	}
	now, err := openTree(t.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", t.dir, Cause(err))
	}
	now.kind, now.hidden, now.temp = t.kind, t.hidden, t.temp
	err = now.checkPath()
	if err == nil && !os.SameFile(now.self, t.self) {
		err = errMoved
	}
	if err != nil {
		now.root.Close()
		return nil, nil, fmt.Errorf("%s: %w", t.dir, err)
	}
	return &now, func() { now.root.Close() }, nil
}

// checkPath returns an error if the path of a directory outside the workspace leads
// to another directory, or through a symbolic link, since it was opened.
func (t *tree) checkPath() error {
	if !t.isClosed() {
		return nil
	}
	if self, err := statNoLinks(t.dir); err != nil || !os.SameFile(self, t.self) {
		return errMoved
	}
	return nil
}

// errMoved rejects a directory that is not the one that was judged.
const errMoved = staleError("its path now leads elsewhere")

// spelling returns the name by which a model called a file, if that is not the path of
// the file without symbolic links: relative to the workspace with slashes, or absolute.
func (w *Workspace) spelling(name, path string) string {
	name = w.expandHome(name)
	if filepath.Clean(name) == path {
		return ""
	}
	if rel, err := w.main.relative(name); err == nil {
		name = rel
	} else {
		name = filepath.Clean(name)
	}
	if name == path {
		return ""
	}
	return name
}

// absolute returns the absolute path of a spelling.
func (w *Workspace) absolute(spelled string) string {
	if filepath.IsAbs(spelled) {
		return spelled
	}
	return filepath.Join(w.Dir(), filepath.FromSlash(spelled))
}

// isWithheld reports whether the content of a file must not be shown unless the model
// has read it: a file outside the workspace, or one that may hold secrets.
func (w *Workspace) isWithheld(t *tree, p, spelled string) bool {
	return t.kind == outsideTree || w.withheld != nil && (w.withheld(p) || spelled != "" && w.withheld(spelled))
}
