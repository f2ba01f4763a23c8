package undo

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools/snapshot"
)

var errLocked = errors.New("another git process is running in this repository, or was killed and left its lock")

// lockRepositories locks the repositories of the journal, as git itself does, so that no git command
// changes them meanwhile. It skips all items of a repository that is locked or has changed. The
// caller calls unlock.
func (w *applier) lockRepositories() (unlock func()) {
	var locks []string
	for dir, items := range w.repositories() {
		held, err := w.lock(dir, items)
		locks = append(locks, held...)
		if err != nil {
			w.skipAll(items, err)
		}
	}
	return func() {
		for _, name := range locks {
			if at, ok := w.roots.lockAt(name); ok {
				_ = at.open.Remove(at.rel)
			}
		}
	}
}

// repositories returns the items of the journal that restore the state of git, by git directory.
func (w *applier) repositories() map[string][]int {
	all := map[string][]int{}
	for i, it := range w.journal.Items {
		if at, ok := w.roots.at(it.Path); ok && at.repository != "" {
			all[at.repository] = append(all[at.repository], i)
		}
	}
	return all
}

// lock locks the repository in dir, and returns the paths of the locks. The error says why nothing
// in it can be restored.
func (w *applier) lock(dir string, items []int) (held []string, err error) {
	for _, name := range w.lockNames(dir, items) {
		at, ok := w.roots.lockAt(name)
		if !ok {
			continue
		}
		switch err := w.create(at); {
		case err == nil:
			held = append(held, name)
		case !errors.Is(err, fs.ErrNotExist): // otherwise it is that of a submodule that is gone
			return held, err
		}
	}
	for _, i := range items {
		if w.ready[i] || w.isSkipped(i) || isDirItem(w.journal.Items[i]) {
			continue
		}
		if at, ok := w.roots.at(w.journal.Items[i].Path); !ok || w.unchanged(i, at) != nil {
			return held, errChanged
		}
	}
	return held, nil
}

// create creates a lock. The lock of an undo that a crash interrupted, which its content names, is
// taken over. Locks of git are empty at first, so a lock never has less than its content.
func (w *applier) create(at rootPath) error {
	mark := []byte("agent undo " + w.journal.ID + "\n")
	temp := path.Join(path.Dir(at.rel), ".agent-"+w.journal.ID+".tmp")
	defer func() { _ = at.open.Remove(temp) }()
	if err := at.open.WriteFile(temp, mark, 0o644); err != nil {
		return err
	}
	err := at.open.Link(temp, at.rel)
	if old, _ := at.open.ReadFile(at.rel); errors.Is(err, fs.ErrExist) && string(old) == string(mark) {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return errLocked
	}
	return err
}

func isDirItem(it journalItem) bool {
	return it.From.Kind == snapshot.Dir || it.To.Kind == snapshot.Dir
}

// lockNames returns the absolute paths of the locks of a repository and of the submodules and linked
// worktrees in it that have items.
func (w *applier) lockNames(dir string, items []int) (names []string) {
	dirs := []string{dir}
	for _, i := range items {
		if at := join(dir, innerGitDir(dir, w.journal.Items[i].Path)); !slices.Contains(dirs, at) {
			dirs = append(dirs, at)
		}
	}
	for _, dir := range dirs {
		for _, file := range []string{"index", "HEAD", "packed-refs", "config"} {
			names = append(names, filepath.Join(dir, file+".lock"))
		}
	}
	return names
}

// lockAt returns the path of a lock of git.
func (a *roots) lockAt(name string) (rootPath, bool) {
	at, ok := a.at(strings.TrimSuffix(name, ".lock"))
	at.rel += ".lock"
	return at, ok && at.repository != ""
}

// skipAll skips items.
func (w *applier) skipAll(items []int, err error) {
	for _, i := range items {
		if !w.isSkipped(i) {
			w.skip(i, err)
		}
	}
}

// dropRepositories removes the items of repositories some of whose items are dropped, and returns
// the rest.
func (w *applier) dropRepositories(items, dropped []Item) (kept []Item) {
	gone := map[string]bool{}
	for _, it := range dropped {
		if at, ok := w.roots.at(it.Path); ok && at.repository != "" {
			gone[at.repository] = true
		}
	}
	for i, it := range items {
		if at, _ := w.roots.at(it.Path); at.repository != "" && gone[at.repository] {
			at := len(kept)
			w.journal.Items, w.stamps = slices.Delete(w.journal.Items, at, at+1), slices.Delete(w.stamps, at, at+1)
			continue
		}
		kept = append(kept, items[i])
	}
	return kept
}

// showItem is show for a path of the journal: the git directory stands for the state of git.
func (a *roots) showItem(path string) string {
	if at, ok := a.at(path); ok && at.repository != "" {
		path = at.repository
	}
	return a.show(path)
}

// unique returns names without repetitions, in the same order.
func unique(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}
