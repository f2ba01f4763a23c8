package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"agent/internal/tools/advice"
)

// Worktree is a git worktree with a copy of the files of a workspace, in which an
// agent works without changing the workspace. No program of the repository runs to
// make it: the files are copied, not checked out. It is not safe for concurrent use.
// Close or Remove it.
type Worktree struct {
	repo    Repository
	session *Session
	head    string // ID of the commit
	rel     string // the workspace relative to the top directory, with slashes
	options WorktreeOptions
	lock    *os.File
	root    *os.Root // of the working tree
	saved   *os.Root // see base.saved

	// The paths are relative to the top directory, with slashes.
	base       map[string]base
	absent     []string // files of the index that do not exist in the base
	submodules []string
	left       notes // files that were not copied
}

// WorktreeOptions say where a worktree is made, and from what.
type WorktreeOptions struct {
	Workspace string // the absolute directory to copy
	// Dir is the absolute directory that gets the worktree and the files that the
	// program keeps about it. It must not exist.
	Dir string
	// Private are absolute files and directories that are not copied.
	Private []string
}

// AddWorktree makes a worktree of the commit that is checked out, with the workspace's
// staged, changed and untracked files. Ignored files and submodules are not copied.
// An error is text for the model.
func AddWorktree(ctx context.Context, p WorktreeOptions) (*Worktree, error) {
	w := &Worktree{options: p, base: map[string]base{}}
	err := w.openRepository(ctx)
	if err != nil {
		err = fmt.Errorf("isolation: worktree needs a git repository with a commit: %w", err)
	} else if err = w.add(ctx); err != nil {
		err = fmt.Errorf("cannot make a git worktree: %w", err)
	}
	switch {
	case err == nil:
		return w, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		err = advice.Add(err, "Delegate without isolation")
	}
	if w.lock == nil {
		w.release()
		return nil, err
	}
	if cleaned := w.Remove(); cleaned != nil && ctx.Err() == nil {
		err = errors.Join(err, cleaned)
	}
	return nil, err
}

// add makes the worktree. If it fails, the caller removes what it has made.
func (w *Worktree) add(ctx context.Context) error {
	if err := w.makeDir(); err != nil {
		return err
	}
	entries, err := w.carry(ctx)
	if err != nil {
		return err
	}
	if err := w.session.writeIndex(ctx, w.env(), entries); err != nil {
		return err
	}
	return w.register()
}

// openRepository opens the repository of the workspace.
func (w *Worktree) openRepository(ctx context.Context) error {
	dir, err := filepath.EvalSymlinks(w.options.Workspace)
	if err != nil {
		return err
	}
	repo, ok := Open(dir)
	switch {
	case !ok && isGitDir(dir):
		return fmt.Errorf("%s is a bare repository", dir)
	case !ok:
		return fmt.Errorf("%s is in no git repository", dir)
	}
	rel, err := filepath.Rel(repo.Root, dir)
	if err != nil {
		return err
	}
	w.repo, w.rel = repo, filepath.ToSlash(rel)
	if w.session, err = repo.Session(ctx); errors.Is(err, exec.ErrNotFound) {
		return errors.New("git is not installed")
	}
	if err != nil {
		return err
	}
	if w.session.bare {
		return fmt.Errorf("%s is a bare repository", repo.Root)
	}
	if w.head = repo.commit(); w.head == "" {
		return fmt.Errorf("%s has no commit", repo.Root)
	}
	if !isGitDir(repo.common) {
		return fmt.Errorf("%s is not a git directory", repo.common)
	}
	return nil
}

// isGitDir reports whether dir has the files of a git directory.
func isGitDir(dir string) bool {
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	})
}

// Names in WorktreeOptions.Dir.
const (
	lockName  = "lock"
	linkName  = "registered" // see registration
	savedName = "base"
	treeName  = "tree"
)

// makeDir makes the directories of the worktree and locks them.
func (w *Worktree) makeDir() error {
	if err := os.MkdirAll(filepath.Dir(w.options.Dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(w.options.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(w.options.Dir, lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(err, os.RemoveAll(w.options.Dir))
	}
	w.lock = file
	if locked, err := lock(file); err != nil || !locked {
		return fmt.Errorf("lock %s: in use: %w", file.Name(), err)
	}
	open := func(dir string) (*os.Root, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		return os.OpenRoot(dir)
	}
	if w.saved, err = open(filepath.Join(w.options.Dir, savedName)); err != nil {
		return err
	}
	// The tree has the name of the repository: programs derive names from it.
	w.root, err = open(w.top())
	return err
}

// top returns the top directory of the working tree.
func (w *Worktree) top() string {
	return filepath.Join(w.options.Dir, treeName, filepath.Base(w.repo.Root))
}

// env returns the environment of git commands on the working tree. They use an index
// of their own, because the agent can change that of the worktree.
func (w *Worktree) env() []string {
	return append(slices.Clone(w.session.env), "GIT_WORK_TREE="+w.top(), "GIT_INDEX_FILE="+filepath.Join(w.session.dir, "worktree-index"))
}

// Dir returns the absolute directory that corresponds to the workspace.
func (w *Worktree) Dir() string { return filepath.Join(w.top(), filepath.FromSlash(w.rel)) }

// LeftOut returns sentences about files of the workspace that the worktree lacks,
// apart from ignored ones.
func (w *Worktree) LeftOut() []string { return w.left.lines() }

// Close keeps the worktree on disk and releases everything else.
func (w *Worktree) Close() { w.release() }

// Remove removes the worktree from the disk and from the repository.
func (w *Worktree) Remove() error {
	err := unregister(w.options.Dir)
	w.release()
	return errors.Join(err, removeAll(w.options.Dir))
}

func (w *Worktree) release() {
	for _, root := range []*os.Root{w.root, w.saved} {
		if root != nil {
			_ = root.Close()
		}
	}
	if w.session != nil {
		w.session.Close()
	}
	if w.lock != nil {
		_ = unlock(w.lock)
	}
	w.root, w.saved, w.session, w.lock = nil, nil, nil, nil
}
