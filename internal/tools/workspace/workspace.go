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

	"agent/internal/tools/tempdir"
)

// Workspace is the working directory. All access to its files goes through one
// os.Root, so that neither a path nor a symbolic link leads out of it. Files outside are
// accessible only by absolute paths, and only if the caller allows it. It is safe for
// concurrent use.
type Workspace struct {
	main       tree
	added      []*tree                // see Add
	outputs    string                 // see Attach
	outside    bool                   // see AllowOutside
	home       string                 // see AllowOutside
	withheld   func(path string) bool // see Withhold; may be nil
	temp       *tempdir.Dir           // see UseTemp; may be nil
	replacing  sync.Mutex             // held while a commit checks and replaces files
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
	for _, t := range w.added {
		err = errors.Join(err, t.root.Close())
	}
	if w.outputTree != nil {
		err = errors.Join(err, w.outputTree.root.Close())
	}
	return err
}

// Attach sets the absolute path of the directory for long outputs, which is
// created on first use. Find accepts absolute paths of files in it. Call Attach
// before any tool runs.
func (w *Workspace) Attach(outputs string) { w.outputs = outputs }

// Hide denies all tools access to the content of the files at absolute paths, and of
// those in directories at such paths. The paths need not exist. Call Hide before any tool
// runs.
func (w *Workspace) Hide(paths ...string) {
	w.main.hidden = paths
	for _, t := range w.added {
		t.hidden = paths
	}
}

// Dir returns the absolute path of the workspace. Symbolic links in it are not
// resolved.
func (w *Workspace) Dir() string { return w.main.dir }

// Top returns the workspace itself as a Place.
func (w *Workspace) Top() Place { return Place{Path: ".", Info: w.main.self, tree: &w.main} }

// Inside returns an absolute path relative to the workspace, with slashes. It
// compares directories by identity, not by spelling.
func (w *Workspace) Inside(path string) (rel string, ok bool) { return w.main.inside(path) }

// Resolve returns the Place.Path of an existing file or directory of the
// workspace. It does not search the outputs.
func (w *Workspace) Resolve(name string) (string, error) {
	p, _, err := w.main.existing(name, &alike{})
	return p, err
}

// Exists reports whether an existing file or directory of the workspace, or a path that
// leads out of it, has exactly this name.
func (w *Workspace) Exists(name string) bool {
	_, _, err := w.main.existing(name, nil)
	_, out := errors.AsType[outsideError](err)
	return err == nil || out
}

// Find resolves name, as a model writes it, to an existing file or directory of
// the workspace or the outputs, or outside them: see AllowOutside. An empty name is
// the workspace itself. A name that does not exist stands for the only one that looks the
// same.
func (w *Workspace) Find(name string) (Place, error) {
	if name == "" {
		name = "."
	}
	place, err := w.find(name, name)
	if _, out := errors.AsType[outsideError](err); !out || !w.outside {
		return place, err
	}
	real, resolved := w.outsidePath(name)
	if !resolved {
		return place, err
	}
	return w.find(name, real)
}

// find is Find for a file that the model calls name, at the path to.
func (w *Workspace) find(name, to string) (Place, error) {
	var same alike
	t, at, err := w.locateAlike(to, &same)
	if err != nil {
		return Place{}, err
	}
	now, done, err := t.enter()
	if err != nil {
		return Place{}, err
	}
	defer done()
	p, info, err := now.existing(at, &same)
	if err != nil {
		return Place{}, err
	}
	if now.isHidden(p) {
		return Place{}, hiddenError(name)
	}
	place := Place{Path: p, Info: info, Note: same.note(), tree: t, withheld: w.withheld}
	if s := w.spelling(name, place.Name()); s != "" {
		place.Spelled = []string{s}
	}
	return place, checkReadable(name, info)
}

// outputsOf returns the tree of the outputs if name is an absolute path in it, else nil.
func (w *Workspace) outputsOf(name string) (*tree, error) {
	if w.outputs == "" {
		return nil, nil
	}
	if rel, err := filepath.Rel(w.outputs, name); err != nil || !filepath.IsLocal(rel) {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outputTree == nil {
		t, err := openTree(w.outputs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; the session has no saved outputs yet", name, Cause(err))
		}
		t.kind = outputsTree
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
	Path     string      // relative to the directory of Enter, with slashes, without symbolic links
	Info     fs.FileInfo // at the time of Find
	Spelled  []string    // another name by which the model called it: see Target.Spelled
	Note     string      // for the model, if the name that it used only looks like that of the file
	tree     *tree
	withheld func(path string) bool // see Workspace.Withhold
}

// Dir is an open directory with a Place.
type Dir struct {
	Root     *os.Root
	Path     string                 // absolute
	Outputs  bool                   // it is the outputs directory
	Hidden   []string               // the hidden files and directories below Root, relative to it
	Withheld func(path string) bool // which files may hold secrets; nil for none
}

// Enter opens the directory that p.Path is relative to: the workspace, the outputs, a
// directory that was added, or one outside them. That one must still be the directory
// of Find. The caller calls done when it no longer uses the directory.
func (p Place) Enter() (d Dir, done func(), err error) {
	t, done, err := p.tree.enter()
	if err != nil {
		return Dir{}, nil, err
	}
	return Dir{Root: t.root, Path: t.dir, Outputs: t.kind == outputsTree, Hidden: t.hiddenPaths(), Withheld: p.withheld}, done, nil
}

// Name returns the path of p as a model writes it.
func (p Place) Name() string { return p.Show(p.Path) }

// Show returns path, relative to the directory of Enter, as a model writes it.
func (p Place) Show(path string) string { return p.tree.show(path) }

// Open opens p for reading and returns its current file info. The caller closes
// the file.
func (p Place) Open() (*os.File, fs.FileInfo, error) {
	t, done, err := p.tree.enter()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	return t.open(p.Name(), p.Path)
}
