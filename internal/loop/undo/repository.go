package undo

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/history/blobs"
	"agent/internal/loop/event"
	"agent/internal/realpath"
	"agent/internal/tools/git"
	"agent/internal/tools/snapshot"
)

// repository is the state of git that a Plan restores in one git directory: all of it or nothing. A
// branch without its index, or the other way around, would show changes that nobody made.
type repository struct {
	dir   string // absolute
	shown string // for the user
	items []Item
	why   string // why none of the items are restored; empty if they are
}

// repositoriesOf returns the git directories outside dirs, without symbolic links, of the
// repositories that contain dirs or of which they are worktrees.
func repositoriesOf(dirs []string) (all []string) {
	for _, dir := range dirs {
		r, ok := git.Open(dir)
		if !ok {
			continue
		}
		state := r.State()
		isIn := func(dir string) bool { return realpath.Inside(state, dir) }
		if state != "" && !slices.ContainsFunc(dirs, isIn) && !slices.Contains(all, state) {
			all = append(all, state)
		}
	}
	return all
}

// stateAt returns the git directory in which a path of r is, if the path holds the state of git.
// It reports false for other paths in git directories.
func (r root) stateAt(rel string) (dir string, ok bool) {
	if r.isGit {
		_, ok = snapshot.GitState(rel)
		return r.dir, ok
	}
	worktree, rest, found := strings.Cut("/"+rel, "/.git/")
	if !found {
		return "", false
	}
	_, ok = snapshot.GitState(rest)
	return join(r.dir, strings.TrimPrefix(worktree+"/.git", "/")), ok
}

// isGitPath reports whether a noted path is in a git directory of the workspace.
func isGitPath(path string) bool { return strings.Contains(filepath.ToSlash(path), "/.git/") }

// innerGitDir returns the git directory of the submodule or linked worktree, relative to the git
// directory dir and with slashes, to which a path in dir belongs; empty for none. Branches and
// submodules can have the same names as files of git, so it looks for the submodule first.
func innerGitDir(dir, path string) string {
	rel, _ := realpath.Rel(path, dir)
	rest := filepath.ToSlash(rel)
	inner := ""
	for below, found := strings.CutPrefix(rest, "modules/"); found; below, found = strings.CutPrefix(strings.TrimPrefix(rest, inner+"/"), "modules/") {
		at := submoduleIn(dir, inner, below)
		if at == "" {
			break
		}
		inner = at
	}
	if inner == "" {
		inner, _ = snapshot.GitState(rest)
	}
	return inner
}

// submoduleIn returns the git directory of the submodule, relative to dir, to which the path below
// modules/ of the git directory inner belongs; empty if none is found.
func submoduleIn(dir, inner, below string) string {
	for i, c := range below {
		if c != '/' {
			continue
		}
		at := path.Join(inner, "modules", below[:i])
		if full := join(dir, at); isDirectory(filepath.Join(full, "objects")) && (exists(filepath.Join(full, "HEAD")) || exists(filepath.Join(full, "config"))) { // HEAD may be lost
			return at
		}
	}
	return ""
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool { return !realpath.Missing(path) }

// isIndex reports whether a path that holds the state of git is an index.
func isIndex(path string) bool {
	return filepath.Base(path) == "index" && !strings.Contains(path, "/refs/")
}

// sameStaged reports whether two states of an index stage the same. git writes an index anew when it
// only looks at files. The contents must be in the pack; otherwise the states count as different.
func sameStaged(p *blobs.Pack, a, b snapshot.State) bool {
	if a.Kind != snapshot.File || b.Kind != snapshot.File || a.Mode != b.Mode || a.Hash == "" || b.Hash == "" {
		return false
	}
	if a.Hash == b.Hash {
		return true
	}
	x, err := p.Read(a.Hash)
	if err != nil {
		return false
	}
	y, err := p.Read(b.Hash)
	entries := staged(x)
	return err == nil && entries != nil && slices.Equal(entries, staged(y))
}

// staged returns the entries of an index; nil if it cannot be read.
func staged(index []byte) []git.StagedEntry {
	entries, err := git.StagedEntries(index)
	if err != nil {
		return nil
	}
	return entries
}

// addState plans to restore a path that holds the state of git.
func (w *planner) addState(at rootPath, path string, runs []changeRun) {
	r := w.repositories[at.repository]
	if r == nil {
		r = &repository{dir: at.repository, shown: w.roots.show(at.repository)}
		w.repositories[at.repository] = r
	}
	last := runs[len(runs)-1].after
	now := at.now(nil).State
	cur := now
	if last != nil && isIndex(at.rel) && now.Kind == snapshot.File && now.Mode == last.Mode {
		if entries := staged(at.wholeNow()); entries != nil && slices.Equal(entries, w.staged(*last)) {
			cur = *last
		}
	}
	same := func(a, b snapshot.State) bool { return a.Same(b) || isIndex(at.rel) && sameStaged(w.pack, a, b) }
	it := Item{Path: path, Shown: w.roots.show(path), Now: now, left: last != nil && cur.Same(*last)}
	for _, run := range slices.Backward(runs) {
		switch {
		case same(cur, run.before):
			cur = run.before
		case run.before.Lost != "":
			r.why = it.Shown + ": " + run.before.Lost
		case run.after == nil || same(cur, *run.after):
			cur = run.before
		default:
			r.why = it.Shown + " was changed since"
		}
	}
	if cur.Kind == snapshot.File && !w.pack.Has(cur.Hash) && !cur.Same(now) {
		r.why = it.Shown + ": its old content is no longer stored"
	}
	if it.To = cur; !cur.Same(now) {
		w.items[path] = &it
	}
}

// staged returns the entries of an index in the pack; nil if it cannot be read.
func (w *planner) staged(s snapshot.State) []git.StagedEntry {
	index, err := w.pack.Read(s.Hash)
	if s.Hash == "" || err != nil {
		return nil
	}
	return staged(index)
}

// finishRepositories decides which repositories the plan restores, and adds them to it.
func (w *planner) finishRepositories(ctx context.Context, paths []string) {
	for _, r := range w.repositories {
		w.plan.Conflicts = slices.DeleteFunc(w.plan.Conflicts, func(it Item) bool {
			if !realpath.Inside(it.Path, r.dir) {
				return false
			}
			r.items, r.why = append(r.items, it), it.Shown+" is in the way"
			return true
		})
		for _, path := range paths {
			if it := w.items[path]; it != nil && realpath.Inside(path, r.dir) {
				r.items = append(r.items, *it)
			}
		}
		if r.why == "" {
			r.why = w.missingObjects(ctx, r)
		}
		if r.why != "" {
			for _, it := range r.items {
				delete(w.items, it.Path)
			}
			w.plan.Lost = append(w.plan.Lost, event.LostChange{Path: r.shown, Why: "the state of git stays: " + r.why})
		}
		if len(r.items) > 0 {
			w.plan.repositories = append(w.plan.repositories, *r)
		}
	}
	slices.SortFunc(w.plan.repositories, func(a, b repository) int { return strings.Compare(a.dir, b.dir) })
}

// missingObjects returns why a repository cannot be restored: git has removed commits or files that
// its earlier state names, or cannot tell. It is empty if it can be.
func (w *planner) missingObjects(ctx context.Context, r *repository) (why string) {
	if !isDirectory(filepath.Join(r.dir, "objects")) {
		return "the repository was removed"
	}
	named := map[string][]string{} // by git directory
	for _, it := range r.items {
		dir := r.dir
		if inner := innerGitDir(r.dir, it.Path); strings.HasPrefix(inner, "modules/") { // it has objects of its own
			dir = join(r.dir, inner)
		}
		named[dir] = append(named[dir], w.objects(it)...)
	}
	for dir, ids := range named {
		slices.Sort(ids)
		if ids = slices.Compact(ids); len(ids) == 0 {
			continue
		}
		s, err := git.At(dir).Session(ctx)
		if err != nil {
			return "its objects cannot be looked up: " + err.Error()
		}
		missing, err := s.Missing(ctx, ids)
		s.Close()
		switch {
		case err != nil:
			return "its objects cannot be looked up: " + err.Error()
		case len(missing) > 0:
			return "git has removed the object " + missing[0]
		}
	}
	return ""
}

// objects returns the IDs of objects that the earlier state of an item names and the current one
// does not.
func (w *planner) objects(it Item) (ids []string) {
	if it.To.Kind != snapshot.File {
		return nil
	}
	to, err := w.pack.Read(it.To.Hash)
	if err != nil {
		return nil
	}
	if id := strings.TrimSpace(string(to)); git.IsObjectID(id) {
		return []string{id}
	}
	if !isIndex(it.Path) {
		return nil
	}
	staged, _ := git.StagedEntries(to)
	known := map[string]bool{}
	if at, ok := w.roots.at(it.Path); ok {
		now, _ := git.StagedEntries(at.wholeNow())
		for _, e := range now {
			known[e.ID] = true
		}
	}
	for _, e := range staged {
		if !known[e.ID] && !e.IsSubmodule() {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
