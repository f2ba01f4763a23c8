// Package workspace holds the directory that tools work in: which paths are
// inside it, how its files are opened, how several of them are changed together,
// and what a model has read of them.
//
// It never runs a command, and knows neither tools nor permissions. Errors are
// read by the model. Start reading at Workspace and Transaction.
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
// os.Root, so that neither a path nor a link leads out of it. It is safe for
// concurrent use.
type Workspace struct {
	work    tree
	outputs string // see Attach
	mu      sync.Mutex
	out     *tree // of outputs; nil until it is needed
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
	return &Workspace{work: t}, nil
}

// Close releases the directory. Calls prepared before it fail after it.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.work.root.Close()
	if w.out != nil {
		err = errors.Join(err, w.out.root.Close())
	}
	return err
}

// Attach sets the absolute path of the directory that keeps long outputs. It is
// created when it is first needed. Find reaches the files in it by their
// absolute paths. Call Attach before any tool is used.
func (w *Workspace) Attach(outputs string) { w.outputs = outputs }

// Hide keeps the content of the file at an absolute path, which need not exist,
// from all tools. Call it before any tool is used.
func (w *Workspace) Hide(path string) { w.work.hidden = path }

// Dir returns the absolute path of the workspace, spelled as it was opened.
func (w *Workspace) Dir() string { return w.work.root.Name() }

// Top returns the workspace itself as a Place.
func (w *Workspace) Top() Place { return Place{Path: ".", Info: w.work.self, tree: &w.work} }

// Inside returns the part of an absolute path below the workspace, with slashes,
// however the directories above it are spelled.
func (w *Workspace) Inside(path string) (rel string, ok bool) { return w.work.inside(path) }

// Resolve returns the path of an existing file or directory of the workspace as
// Place.Path has it. The outputs are not part of the workspace.
func (w *Workspace) Resolve(name string) (string, error) {
	p, _, err := w.work.existing(name)
	return p, err
}

// Find returns the file or directory that a model calls name, to be read: one of
// the workspace, or one of the outputs. An empty name is the workspace itself.
func (w *Workspace) Find(name string) (Place, error) {
	t, err := w.reach(name)
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
		return Place{}, hidden(name)
	}
	return Place{Path: p, Info: info, tree: t}, readable(name, info)
}

// reach returns the tree in which name is found.
func (w *Workspace) reach(name string) (*tree, error) {
	if w.outputs == "" || !filepath.IsAbs(name) {
		return &w.work, nil
	}
	if rel, err := filepath.Rel(w.outputs, name); err != nil || !filepath.IsLocal(rel) {
		return &w.work, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out == nil {
		t, err := openTree(w.outputs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w. No output is kept there yet", name, Cause(err))
		}
		t.outputs = true
		w.out = &t
	}
	return w.out, nil
}

// OutputFile returns a function that creates a file for a long output, or nil if
// no directory is attached.
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
	Path string      // relative to Root, with slashes, free of symbolic links
	Info fs.FileInfo // as it was found
	tree *tree
}

// Root returns the directory that Path is relative to: the workspace or, if
// outputs is set, the directory of outputs. The workspace owns it.
func (p Place) Root() (root *os.Root, outputs bool) { return p.tree.root, p.tree.outputs }

// Hidden returns the path below Root of the file that Hide named, or "" if it
// lies elsewhere.
func (p Place) Hidden() string { return p.tree.hiddenPath() }

// Name returns the path of p as a model writes it.
func (p Place) Name() string { return p.Show(p.Path) }

// Show returns a path below Root as a model writes it.
func (p Place) Show(path string) string { return p.tree.show(path) }

// Open opens p for reading and returns what it is now. The caller closes it.
func (p Place) Open() (*os.File, fs.FileInfo, error) { return p.tree.open(p.Name(), p.Path) }
