package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/tempdir"
)

// tree is a directory that is accessed only through its os.Root.
type tree struct {
	root   *os.Root    // nil for a directory outside the workspace: see enter
	dir    string      // absolute path
	self   fs.FileInfo // info of the directory
	kind   treeKind
	hidden []string // see Workspace.Hide
	wider  bool     // see Workspace.AllowOutside
	editor Editor   // see Workspace.UseEditor; may be nil
	temp   *tempdir.Dir
}

// treeKind is the kind of a tree.
type treeKind int

const (
	workspaceTree treeKind = iota // the workspace
	outputsTree                   // the outputs directory, which is only read
	addedTree                     // see Workspace.Add
	temporaryTree                 // the temporary directory of the session: see Workspace.UseTemp
	outsideTree                   // any other directory: see Workspace.AllowOutside
)

func openTree(dir string) (tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return tree{}, fmt.Errorf("open workspace: %w", err)
	}
	self, err := root.Stat(".")
	if err != nil {
		return tree{}, errors.Join(fmt.Errorf("open workspace: %w", err), root.Close())
	}
	return tree{root: root, dir: dir, self: self}, nil
}

// show returns the resolved path p as a model writes it.
func (t *tree) show(p string) string {
	if t.kind == workspaceTree {
		return p
	}
	return t.temp.Shown(filepath.Join(t.dir, filepath.FromSlash(p)))
}

// existing resolves name and returns an error if it does not exist. Names in it that only
// look like existing ones are replaced, and added to a; nil replaces none.
func (t *tree) existing(name string, a *alike) (string, fs.FileInfo, error) {
	p, err := t.walk(name, a)
	if err != nil {
		return "", nil, err
	}
	info, err := t.root.Stat(p)
	if err != nil {
		return "", nil, t.notFound(name, p)
	}
	return p, info, nil
}

// The limits of one path.
const (
	maxLinks = 40  // symbolic links followed
	maxNames = 256 // in a path and in the links that it follows: a file costs the square of them
	maxShown = 200 // bytes of a path shown in an error
)

// resolve returns name relative to the tree, with slashes and without symbolic
// links. name is relative, or absolute inside the tree. The file need not exist.
func (t *tree) resolve(name string) (string, error) { return t.walk(name, nil) }

// walk is resolve for a name with elements that may only look like existing ones: see
// existing.
func (t *tree) walk(name string, a *alike) (string, error) {
	rel, err := t.relative(name)
	if err != nil {
		return "", err
	}
	done, todo := ".", strings.Split(rel, "/")
	for links, names := 0, 0; len(todo) > 0; {
		if names++; names+len(todo)-1 > maxNames {
			return "", advice.Add(fmt.Errorf("%s has more than %d names", phrase.Clip(name, maxShown), maxNames), "Use a shorter path")
		}
		c := todo[0]
		todo = todo[1:]
		switch {
		case c == "" || c == ".":
			continue
		case c == ".." && done == ".":
			return "", t.outside(name, "it contains a symbolic link that leads out")
		case c == "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, c)
		info, err := t.root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if same := a.find(t, done, c); same != "" {
				todo = slices.Insert(todo, 0, same)
				continue
			}
			return t.missing(name, next, todo)
		case errors.Is(err, syscall.ENOTDIR):
			return "", notDirectory(name, done)
		case err != nil:
			return "", fmt.Errorf("%s: %w", name, Cause(err))
		case info.Mode().IsRegular() && len(todo) > 0:
			return "", notDirectory(name, next)
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", advice.Add(fmt.Errorf("%s: symbolic link loop at %s", name, next), "Use another path")
		}
		target, err := t.root.Readlink(next)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, Cause(err))
		}
		if filepath.IsAbs(target) {
			in, ok := t.inside(target)
			if !ok {
				return "", t.outside(name, fmt.Sprintf("%s is a symbolic link to %s", next, target))
			}
			done, target = ".", in
		}
		todo = slices.Concat(strings.Split(filepath.ToSlash(target), "/"), todo)
	}
	return done, nil
}

// missing returns the resolved path of name, where next does not exist and rest follows it. No
// element after a missing one can be a link.
func (t *tree) missing(name, next string, rest []string) (string, error) {
	p := path.Join(next, path.Join(rest...))
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", t.outside(name, "it contains a symbolic link that leads out")
	}
	return p, nil
}

// notDirectory returns the error for a path that uses a file as a directory. Some
// systems do not report it.
func notDirectory(name, file string) error {
	return fmt.Errorf("%s: %s is a file, not a directory", name, file)
}

// relative cleans name and makes it relative to the tree. It does not resolve
// links.
func (t *tree) relative(name string) (string, error) {
	switch {
	case name == "":
		return "", advice.Add(errors.New("the path is empty"), "Give a path relative to the working directory, or \".\" for the directory itself")
	case strings.ContainsRune(name, 0):
		return "", advice.Add(fmt.Errorf("the path %q contains a NUL byte", name), "Remove it")
	}
	if filepath.IsAbs(name) {
		rel, ok := t.inside(name)
		if !ok {
			return "", t.outside(name, "")
		}
		return rel, checkNames(rel)
	}
	rel := filepath.Clean(filepath.FromSlash(name))
	if err := checkNames(rel); err != nil {
		return "", err
	}
	if !filepath.IsLocal(rel) {
		return "", t.outside(name, "")
	}
	return filepath.ToSlash(rel), nil
}

// inside returns an absolute path relative to the tree. It compares directories
// by identity, not by spelling.
func (t *tree) inside(name string) (string, bool) {
	name = filepath.Clean(name)
	for dir := name; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, t.self) {
			rel, err := filepath.Rel(dir, name)
			return filepath.ToSlash(rel), err == nil
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

func (t *tree) outside(name, why string) error {
	if why != "" {
		why = " (" + why + ")"
	}
	switch t.kind {
	case outputsTree:
		return outsideErrorf("%s is outside %s, the directory of this session's outputs%s", name, t.dir, why)
	case addedTree, temporaryTree, outsideTree:
		return advice.Add(outsideErrorf("%s is outside %s%s", name, t.dir, why), "Use the path without symbolic links")
	}
	err := outsideErrorf("%s is outside the working directory %s%s", name, t.dir, why)
	if t.wider {
		return advice.Add(err, "If you need it, give its absolute path without symbolic links; the user may have to approve that")
	}
	return advice.Add(err,
		"Use a path inside the working directory, or ask the user to copy the file into it or to start the program in another directory")
}

// outsideError is the error for a path that leads out of a tree.
type outsideError string

func outsideErrorf(format string, args ...any) error {
	return outsideError(fmt.Sprintf(format, args...))
}

func (e outsideError) Error() string { return string(e) }

// Cause returns err without the operation and path of an os error.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
