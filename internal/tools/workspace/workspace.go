// Package workspace holds the working directory of the tools: path resolution,
// opening files, changing several files in one transaction, and the record of
// what a model has read. It never runs a command and knows neither tools nor
// permissions. Its errors are for the model, with advice where the user needs
// less text. Start reading at Workspace and Transaction.
package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Workspace is the working directory. All access to its files goes through one
// os.Root, so that neither a path nor a symbolic link leads out of it. It is safe
// for concurrent use.
type Workspace struct {
	main       tree
	outputs    string // see Attach
	mu         sync.Mutex
	outputTree *tree // the outputs directory; nil until first used
}

// Open returns the workspace at dir, which must be a directory. The caller
// closes it.
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	t, err := openTree(abs)
	if err != nil {
		return nil, err
	}
	return &Workspace{main: t}, nil
}

// Close releases the directory. Calls prepared before Close fail after it.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.main.root.Close()
	if w.outputTree != nil {
		err = errors.Join(err, w.outputTree.root.Close())
	}
	return err
}

// Attach sets the absolute path of the directory for long outputs, which is
// created on first use. Find accepts absolute paths of files in it. Call Attach
// before any tool runs.
func (w *Workspace) Attach(outputs string) { w.outputs = outputs }

// Hide denies all tools access to the content of the file at an absolute path.
// The file need not exist. Call Hide before any tool runs.
func (w *Workspace) Hide(path string) { w.main.hidden = path }

// Dir returns the absolute path of the workspace. Symbolic links in it are not
// resolved.
func (w *Workspace) Dir() string { return w.main.root.Name() }

// Top returns the workspace itself as a Place.
func (w *Workspace) Top() Place { return Place{Path: ".", Info: w.main.self, tree: &w.main} }

// Inside returns an absolute path relative to the workspace, with slashes. It
// compares directories by identity, not by spelling.
func (w *Workspace) Inside(path string) (rel string, ok bool) { return w.main.inside(path) }

// Resolve returns the Place.Path of an existing file or directory of the
// workspace. It does not search the outputs.
func (w *Workspace) Resolve(name string) (string, error) {
	p, _, err := w.main.existing(name)
	return p, err
}

// Find resolves name, as a model writes it, to an existing file or directory of
// the workspace or the outputs. An empty name is the workspace itself.
func (w *Workspace) Find(name string) (Place, error) {
	t, err := w.treeOf(name)
	if err != nil {
		return Place{}, err
	}
	if name == "" {
		name = "."
	}
	p, info, err := t.existing(name)
	if err != nil {
		return Place{}, err
	}
	if t.isHidden(p) {
		return Place{}, hiddenError(name)
	}
	return Place{Path: p, Info: info, tree: t}, checkReadable(name, info)
}

// treeOf returns the tree that name belongs to.
func (w *Workspace) treeOf(name string) (*tree, error) {
	if w.outputs == "" || !filepath.IsAbs(name) {
		return &w.main, nil
	}
	if rel, err := filepath.Rel(w.outputs, name); err != nil || !filepath.IsLocal(rel) {
		return &w.main, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outputTree == nil {
		t, err := openTree(w.outputs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; the session has no saved outputs yet", name, Cause(err))
		}
		t.outputs = true
		w.outputTree = &t
	}
	return w.outputTree, nil
}

// OutputFile returns a function that creates a file for a long output. It returns
// nil if no outputs directory is attached.
func (w *Workspace) OutputFile() func() (*os.File, error) {
	if w.outputs == "" {
		return nil
	}
	return func() (*os.File, error) {
		if err := os.MkdirAll(w.outputs, 0o700); err != nil {
			return nil, err
		}
		name := "shell-" + strings.ToLower(rand.Text()) + ".txt"
		return os.OpenFile(filepath.Join(w.outputs, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
}

// Place is an existing file or directory that may be read.
type Place struct {
	Path string      // relative to Root, with slashes, without symbolic links
	Info fs.FileInfo // at the time of Find
	tree *tree
}

// Root returns the directory that Path is relative to: the workspace or, if
// outputs is true, the outputs directory. The workspace owns the root.
func (p Place) Root() (root *os.Root, outputs bool) { return p.tree.root, p.tree.outputs }

// Hidden returns the path of the hidden file relative to Root, or "" if it is not
// below Root.
func (p Place) Hidden() string { return p.tree.hiddenPath() }

// Name returns the path of p as a model writes it.
func (p Place) Name() string { return p.Show(p.Path) }

// Show returns path, relative to Root, as a model writes it.
func (p Place) Show(path string) string { return p.tree.show(path) }

// Open opens p for reading and returns its current file info. The caller closes
// the file.
func (p Place) Open() (*os.File, fs.FileInfo, error) { return p.tree.open(p.Name(), p.Path) }
