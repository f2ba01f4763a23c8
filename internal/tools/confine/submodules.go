package confine

import (
	"os"
	"path/filepath"
	"time"

	"agent/internal/tools/git"
)

// index holds the submodules in the index of a worktree, as last read.
type index struct {
	stamp
	racy  bool     // it may have changed since the stamp: see stamp.fresh
	paths []string // relative to the worktree
}

// submodules returns the directories in which git looks for the submodules of a worktree, by
// its index, if commands can write to them. They need not exist.
func (a *Area) submodules(worktree string) (dirs []string) {
	for _, path := range a.last.submodules(worktree) {
		if dir := filepath.Join(worktree, filepath.FromSlash(path)); a.writable(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// submodules returns the paths of the submodules in the index of a worktree.
func (r *lastRead) submodules(worktree string) []string {
	gitDir, _ := r.gitDirOf(worktree)
	if gitDir == "" {
		return nil
	}
	file := filepath.Join(gitDir, "index")
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	i, known := r.indexes[file]
	if s := stampOf(info); !known || i.racy || i.stamp != s {
		i = index{stamp: s, racy: s.fresh(time.Now())}
		var isSplit bool
		i.paths, isSplit = git.Submodules(gitDir)
		i.racy = i.racy || isSplit // another part may change without this one
		r.indexes[file] = i
	}
	return i.paths
}
