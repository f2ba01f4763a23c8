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
)

// tree is a directory that is reached through its os.Root only: the workspace,
// or the directory of outputs.
type tree struct {
	root    *os.Root
	self    fs.FileInfo // of the directory
	outputs bool        // it is the directory of outputs
	hidden  string      // see Workspace.Hide
}

func openTree(dir string) (tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return tree{}, fmt.Errorf("open workspace: %w", err)
	}
	self, err := root.Stat(".")
	if err != nil {
		return tree{}, errors.Join(fmt.Errorf("open workspace: %w", err), root.Close())
	}
	return tree{root: root, self: self}, nil
}

// show returns a resolved path as a model writes it.
func (t *tree) show(p string) string {
	if !t.outputs {
		return p
	}
	return filepath.Join(t.root.Name(), filepath.FromSlash(p))
}

// existing resolves the path of something that exists.
func (t *tree) existing(name string) (string, fs.FileInfo, error) {
	p, err := t.resolve(name)
	if err != nil {
		return "", nil, err
	}
	info, err := t.root.Stat(p)
	if err != nil {
		return "", nil, t.notThere(name, p)
	}
	return p, info, nil
}

// The limits of one path: how many symbolic links it may lead through, how many
// names it may have with those of the links, and how much of it an error shows.
const (
	maxLinks = 40
	maxNames = 4096
	maxShown = 200 // bytes
)

// resolve turns a path as a model writes it (relative, or absolute inside the
// tree) into one relative to the tree, with slashes, none of whose components is
// a symbolic link. The file need not exist.
func (t *tree) resolve(name string) (string, error) {
	rel, err := t.relative(name)
	if err != nil {
		return "", err
	}
	done, todo := ".", strings.Split(rel, "/")
	for links, names := 0, 0; len(todo) > 0; {
		if names++; names > maxNames {
			return "", fmt.Errorf("%s leads through more than %d names: use a shorter path", phrase.Clip(name, maxShown), maxNames)
		}
		c := todo[0]
		todo = todo[1:]
		switch {
		case c == "" || c == ".":
			continue
		case c == ".." && done == ".":
			return "", t.outside(name, "a link in it leads out")
		case c == "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, c)
		info, err := t.root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// From the first component that does not exist, nothing can be a link.
			p := path.Join(next, path.Join(todo...))
			if !filepath.IsLocal(filepath.FromSlash(p)) {
				return "", t.outside(name, "a link in it leads out")
			}
			return p, nil
		case errors.Is(err, syscall.ENOTDIR):
			return "", underFile(name, done)
		case err != nil:
			return "", fmt.Errorf("%s: %w", name, Cause(err))
		case info.Mode().IsRegular() && len(todo) > 0:
			return "", underFile(name, next)
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: its symbolic links go round in a circle at %s; use another path", name, next)
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

// underFile rejects a name because a part of it is a file. Not every system says so.
func underFile(name, file string) error {
	return fmt.Errorf("%s: %s is a file, so nothing can be below it", name, file)
}

// relative cleans name and makes it relative to the tree, without a look at links.
func (t *tree) relative(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path is empty: give one relative to the working directory, or \".\" for the directory itself")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the path %q holds a NUL byte: give a path without it", name)
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

// inside returns the part of an absolute path below the tree, however the
// directories above it are spelled.
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
	if t.outputs {
		return fmt.Errorf("%s leaves %s, the directory of this session's outputs%s: read what is in it, or below the working directory", name, t.root.Name(), why)
	}
	return fmt.Errorf("%s leaves the working directory %s%s: tools reach only what is below it. "+
		"Use a path inside it; if the file is really needed, ask the person to copy it here or to start there", name, t.root.Name(), why)
}

// Cause returns the cause of an error of the file system without the operation
// and path that os puts before it.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
