package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"agent/internal/tools/shell"
)

// Workspace is the working directory. Whatever the file tools read, write or
// rename goes through its one os.Root, so that neither a path nor a link leads
// out of it. It is safe for concurrent use.
type Workspace struct {
	root *os.Root
	dir  string
	self fs.FileInfo

	limits  shell.Limits // see LimitEnvironment
	outputs string       // see Attach
	hidden  string       // see Hide
	mu      sync.Mutex
	out     *Workspace // at outputs; nil until it is needed
	prefix  string     // that of the paths in out, as a model writes them

	drawing sync.Mutex // held while an image is decoded
}

// Open returns the workspace at dir, which must be a directory. The caller
// closes it.
func Open(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	self, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace: %w", err), root.Close())
	}
	return &Workspace{root: root, dir: abs, self: self}, nil
}

// Close lets go of the directory. Calls prepared before it fail after it.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.root.Close()
	if w.out != nil {
		err = errors.Join(err, w.out.root.Close())
	}
	return err
}

// Attach names the directory in which the whole of long outputs is kept. It is
// made when it is first needed. Tools that read reach it by its absolute path.
// It is called before any tool is used.
func (w *Workspace) Attach(outputs string) { w.outputs = outputs }

// Hide keeps the content of the file at an absolute path, which need not exist,
// from all tools. It is called before any tool is used.
func (w *Workspace) Hide(path string) { w.hidden = path }

// Dir returns the absolute path of the workspace, spelled as it was opened.
func (w *Workspace) Dir() string { return w.dir }

// reach returns where a tool that only reads finds name: w itself or, where
// name is an absolute path below it, the directory of outputs.
func (w *Workspace) reach(name string) (*Workspace, error) {
	if w.outputs == "" || !filepath.IsAbs(name) {
		return w, nil
	}
	if rel, err := filepath.Rel(w.outputs, name); err != nil || !filepath.IsLocal(rel) {
		return w, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out == nil {
		out, err := Open(w.outputs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w. No output is kept there yet", name, reason(err))
		}
		out.prefix = w.outputs + string(filepath.Separator)
		w.out = out
	}
	return w.out, nil
}

// show is a resolved path as a model writes it.
func (w *Workspace) show(p string) string {
	if w.prefix == "" {
		return p
	}
	return filepath.Join(w.prefix, filepath.FromSlash(p))
}

// The limits of one path: how many symbolic links it may lead through, and how
// many names it may have with those of the links.
const (
	maxLinks = 40
	maxNames = 4096
)

// resolve turns a path as a model writes it (relative, or absolute inside the
// workspace) into one relative to the workspace, with slashes, none of whose
// components is a symbolic link. What it names need not exist.
func (w *Workspace) resolve(name string) (string, error) {
	rel, err := w.relative(name)
	if err != nil {
		return "", err
	}
	done, todo := ".", strings.Split(rel, "/")
	for links, names := 0, 0; len(todo) > 0; {
		if names++; names > maxNames {
			return "", fmt.Errorf("%s leads through more than %d names: use a shorter path", clipped(name), maxNames)
		}
		c := todo[0]
		todo = todo[1:]
		switch {
		case c == "" || c == ".":
			continue
		case c == ".." && done == ".":
			return "", w.outside(name, "a link in it leads out")
		case c == "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, c)
		info, err := w.root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return w.missing(name, next, todo)
		}
		if errors.Is(err, syscall.ENOTDIR) {
			return "", underFile(name, done)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, reason(err))
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if info.Mode().IsRegular() && len(todo) > 0 {
				return "", underFile(name, next)
			}
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: its symbolic links go round in a circle at %s; use another path", name, next)
		}
		target, err := w.root.Readlink(next)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, reason(err))
		}
		if filepath.IsAbs(target) {
			in, ok := w.inside(target)
			if !ok {
				return "", w.outside(name, fmt.Sprintf("%s is a symbolic link to %s", next, target))
			}
			done, target = ".", in
		}
		todo = slices.Concat(strings.Split(filepath.ToSlash(target), "/"), todo)
	}
	return done, nil
}

// underFile refuses a name because a part of it is a file. Not every system says so.
func underFile(name, file string) error {
	return fmt.Errorf("%s: %s is a file, so nothing can be below it", name, file)
}

// missing is the path of something that does not exist: from the first
// component that is not there, nothing can be a link.
func (w *Workspace) missing(name, next string, rest []string) (string, error) {
	p := path.Join(next, path.Join(rest...))
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", w.outside(name, "a link in it leads out")
	}
	return p, nil
}

// relative cleans name and makes it relative to the workspace, links unseen.
func (w *Workspace) relative(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty: give one relative to the working directory, or \".\" for the directory itself")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the path %q holds a NUL byte: give a path without it", name)
	}
	if filepath.IsAbs(name) {
		rel, ok := w.inside(name)
		if !ok {
			return "", w.outside(name, "")
		}
		return rel, checkNames(rel)
	}
	rel := filepath.Clean(filepath.FromSlash(name))
	if err := checkNames(rel); err != nil {
		return "", err
	}
	if !filepath.IsLocal(rel) {
		return "", w.outside(name, "")
	}
	return filepath.ToSlash(rel), nil
}

// inside returns the part of an absolute path below the workspace, however the
// directories above it are spelled.
func (w *Workspace) inside(name string) (string, bool) {
	name = filepath.Clean(name)
	for dir := name; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, w.self) {
			rel, err := filepath.Rel(dir, name)
			return filepath.ToSlash(rel), err == nil
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

func (w *Workspace) outside(name, why string) error {
	if why != "" {
		why = " (" + why + ")"
	}
	if w.prefix != "" {
		return fmt.Errorf("%s leaves %s, the directory of this session's outputs%s: read what is in it, or below the working directory", name, w.dir, why)
	}
	return fmt.Errorf("%s leaves the working directory %s%s: tools reach only what is below it. "+
		"Use a path inside it; if the file is really needed, ask the person to copy it here or to start there", name, w.dir, why)
}

// reason is the cause of an error of the file system without the operation and
// path that os puts before it.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
