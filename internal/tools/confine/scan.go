package confine

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/tools/protect"
)

// maxDirs is how many directories the first scan finds, those near the top first, because a
// scan is part of each command. What a command makes later has no limit: otherwise it could
// hide a protected path behind many other files.
const maxDirs = 500

// chunk is how many entries of a directory are read at once.
const chunk = 1000

// maxSkipped is how many directories in those of dependencies a scan finds, those near the top
// first. Directories that commands make there count, because installations make many.
// Submodules have no limit.
const maxSkipped = 200

// tree holds the protected paths and the git directories in the writable directories.
// A scan reads only directories that have changed since the last one.
type tree struct {
	tops      []string // absolute, without links
	protected *protect.Names
	gitDirs   func(worktree string) (dirs []string) // of a .git file
	modules   func(worktree string) (dirs []string) // see Area.submodules
	around    []string                              // see Area.around
	open      func(path string) error               // makes a directory readable
	// planted are directories in which the last command may have created a repository. The
	// value is true for a directory that existed before but that no scan has seen.
	planted map[string]bool
	dirs    map[string]*directory
	scans   int
}

// directory is the state of a directory at its last read.
type directory struct {
	stamp
	racy  bool     // it may have changed since the stamp: see stamp.fresh
	since int      // number of the scan that found a directory at its path
	visit int      // number of the last scan
	subs  []string // directories to scan, absolute; .git first
	deps  []string // further ones in those of dependencies, absolute
	names map[string]protectedName
	made  bool // it was made after the scan that first found the directory above it
	repo  bool // it contains .git
	git   bool // it is a git directory
	whole bool // it has all entries by which git recognizes a git directory
	// closed is set if the directory cannot be read. Other programs may find files in it
	// by name.
	closed bool
	// pointer is the number of the scan that found a .git that is not a directory; 0 if
	// there is none. It names the git directories in named.
	pointer int
	named   []string
	leaving []string // symbolic links whose targets are outside the tops, absolute
}

// protectedName is an entry of a directory that is protected by its name.
type protectedName struct {
	why   string
	since int // number of the scan that found it
}

// walk is a scan of a tree.
type walk struct {
	*tree
	made    map[string]bool // directories that were not in the one above them before
	modules map[string]bool // directories of submodules
}

// scan brings the tree up to date. Directories that were made since an earlier scan do
// not count for maxDirs.
func (t *tree) scan() {
	t.scans++
	w := walk{tree: t, made: map[string]bool{}, modules: map[string]bool{}}
	todo := slices.Clone(t.tops)
	for dir := range t.planted {
		if todo = append(todo, dir); t.dirs[dir] == nil {
			w.made[dir] = true
		}
	}
	for _, worktree := range t.around {
		todo = append(todo, w.submodules(worktree)...)
	}
	deps := w.scan(todo, false)
	w.scan(deps, true)
	for path, d := range t.dirs {
		if d.visit != t.scans {
			delete(t.dirs, path)
		}
	}
	for _, d := range t.dirs {
		for _, path := range d.named {
			if to := t.dirs[path]; to != nil {
				to.git = true
			}
		}
	}
}

// scan scans directories and those in them. It returns those in directories of dependencies,
// unless it scans these: in them, directories that commands make count, and known ones stay.
func (w *walk) scan(todo []string, inDeps bool) (deps []string) {
	counted, limit := 0, maxDirs
	if inDeps {
		limit = maxSkipped
	}
	for i := 0; i < len(todo); i++ {
		path := todo[i]
		d := w.dirs[path]
		if d != nil && d.visit == w.scans {
			continue
		}
		noLimit := filepath.Base(path) == ".git" || w.modules[path]
		if inDeps && counted >= limit && d == nil && !noLimit {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		isMade := w.made[path] || d != nil && d.made
		if (isMade || d != nil && !d.closed) && !readable(path, info) && w.open(path) == nil {
			if info, err = os.Lstat(path); err != nil {
				continue
			}
		}
		if inDeps || !isMade {
			if !inDeps && counted >= limit && !noLimit {
				continue
			}
			counted++
		}
		d = w.update(path, info, isMade)
		todo = append(todo, d.subs...)
		if d.repo {
			todo = append(todo, w.submodules(path)...)
		}
		if inDeps {
			todo = append(todo, d.deps...)
		} else {
			deps = append(deps, d.deps...)
		}
	}
	return deps
}

// update returns the state of a directory. It reads one that has changed.
func (w *walk) update(path string, info fs.FileInfo, isMade bool) *directory {
	d := w.dirs[path]
	if s := stampOf(info); d == nil || d.racy || d.stamp != s {
		before := d
		d = w.read(path, s, before)
		d.closed = d.closed || !readable(path, info)
		w.dirs[path] = d
		switch {
		case before != nil && (before.inode != s.inode || before.device != s.device): // it was replaced
			markNew(w.made, d, nil)
		case before != nil || isMade:
			markNew(w.made, d, before)
		}
	}
	d.visit, d.made = w.scans, isMade
	return d
}

// submodules returns the directories of the submodules of a worktree. Those that the last scan
// did not find are made, or became submodules, since then.
func (w *walk) submodules(worktree string) []string {
	dirs := w.tree.modules(worktree)
	for _, dir := range dirs {
		w.modules[dir] = true
		if w.scans > 1 && w.dirs[dir] == nil {
			w.made[dir] = true
		}
	}
	return dirs
}

// markNew adds the directories of d to made that were not in it before. Nil before means
// that d itself is new.
func markNew(made map[string]bool, d, before *directory) {
	for _, sub := range slices.Concat(d.subs, d.deps) {
		made[sub] = true
	}
	if before != nil {
		for _, sub := range slices.Concat(before.subs, before.deps) {
			delete(made, sub)
		}
	}
}

// read reads a directory. before is its previous state; nil if it is new.
func (t *tree) read(path string, s stamp, before *directory) *directory {
	d := &directory{stamp: s, racy: s.fresh(time.Now()), since: t.scans, names: map[string]protectedName{}}
	if before != nil {
		d.since = before.since
	}
	inGit := t.inGit(path)
	inDeps := !inGit && t.inDeps(path)
	entries, err := t.readDir(path, inDeps)
	d.closed = err != nil
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	// Only the name .git makes sure that a directory is used by git alone: everybody can make
	// the entries that make git recognize others. It counts without them, which git init adds.
	d.whole = has("HEAD") && (has("objects") && has("refs") || has("commondir"))
	d.git = filepath.Base(path) == ".git" || d.whole
	for _, e := range entries {
		name := e.Name()
		sub := filepath.Join(path, name)
		if e.Type()&fs.ModeSymlink != 0 && name != ".git" && t.leaves(path, sub) {
			d.leaving = append(d.leaving, sub)
		}
		switch {
		case d.git && inGit:
			if e.IsDir() && (name == "modules" || name == "worktrees") {
				d.subs = append(d.subs, sub)
			}
			continue
		case name == ".git":
			d.repo = true
			first := []string{sub}
			if !e.IsDir() {
				d.named, d.pointer = t.gitDirs(path), t.scans
				first = slices.Clone(d.named)
				if before != nil && before.pointer > 0 {
					d.pointer = before.pointer
				}
			}
			d.subs = append(first, d.subs...)
			continue
		}
		if inDeps || slices.Contains(protect.Dependencies, name) && e.IsDir() && !inGit {
			if e.IsDir() {
				d.deps = append(d.deps, sub)
			}
			continue
		}
		if why := t.why(path, e); why != "" {
			p := protectedName{why: why, since: t.scans}
			if before != nil && before.names[name].why != "" {
				p.since = before.names[name].since
			}
			d.names[name] = p
		} else if e.IsDir() {
			d.subs = append(d.subs, sub)
		}
	}
	return d
}

// why returns why an entry of dir is protected; "" if it is not.
func (t *tree) why(dir string, e fs.DirEntry) string {
	if why := t.protected.Why(dir, e.Name(), e.IsDir()); why != "" || !t.leads(dir, e) {
		return why
	}
	return "other programs use files below it"
}

// inGit reports whether path is a .git directory, or in one that commands can write to.
func (t *tree) inGit(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".git" {
			return true
		}
		if t.ends(dir) {
			return false
		}
	}
}

// inDeps reports whether path is a directory of dependencies, or in one.
func (t *tree) inDeps(path string) bool {
	for dir := path; !t.ends(dir); dir = filepath.Dir(dir) {
		if slices.Contains(protect.Dependencies, filepath.Base(dir)) {
			return true
		}
	}
	return false
}

// ends reports whether the tree has no directory above dir.
func (t *tree) ends(dir string) bool {
	return slices.Contains(t.tops, dir) || dir == filepath.Dir(dir)
}

// isGit reports whether path is a git directory of the tree.
func (t *tree) isGit(path string) bool {
	d := t.dirs[path]
	return d != nil && d.git
}

// leaves reports whether the target of a link in dir is outside the tops.
func (t *tree) leaves(dir, link string) bool {
	target, err := os.Readlink(link)
	return err == nil && !inAny(from(dir, target), t.tops)
}

// leads reports whether e is a link with the name of a directory whose files are protected.
func (t *tree) leads(dir string, e fs.DirEntry) bool {
	return e.Type()&fs.ModeSymlink != 0 && t.protected.Parent(dir, e.Name())
}

// readDir returns the entries of a directory that may matter: directories, links, and files that
// are protected or belong to git; in dependencies, no protected files.
func (t *tree) readDir(path string, inDeps bool) ([]fs.DirEntry, error) {
	return entriesOf(path, func(e fs.DirEntry) bool {
		return e.IsDir() || e.Type()&fs.ModeSymlink != 0 || slices.Contains(gitNames, e.Name()) || !inDeps && t.protected.Why(path, e.Name(), false) != ""
	})
}

// readable reports whether the entries of a directory can be listed and found.
func readable(path string, info fs.FileInfo) bool {
	if info.Mode().Perm()&0o500 == 0o500 {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	_, err = os.Lstat(path + string(filepath.Separator) + ".")
	return err == nil
}

// entriesOf returns the entries of a directory that keep accepts, in no order. With an
// error, it returns those that could be read.
func entriesOf(path string, keep func(fs.DirEntry) bool) (out []fs.DirEntry, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(chunk)
		for _, e := range entries {
			if keep(e) {
				out = append(out, e)
			}
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

func anyEntry(fs.DirEntry) bool { return true }

// gitNames are the entries by which a git directory and a repository are recognized.
// They need not be directories: git accepts links and other files.
var gitNames = []string{".git", "HEAD", "commondir", "objects", "refs"}

// newRepository reports whether path is in a repository that was made, with the
// directory that contains it, after a scan. One that took the place of another directory
// does not count, nor one whose name makes the files in it protected.
func (t *tree) newRepository(path string, after int) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		d := t.dirs[dir]
		if d == nil || slices.Contains(t.tops, dir) {
			return false
		}
		if t.protected.Parent(filepath.Dir(dir), filepath.Base(dir)) {
			continue
		}
		if d.since > after && t.hasRepository(dir, d) {
			return true
		}
	}
	return false
}

// hasRepository reports whether git uses a directory as a repository.
func (t *tree) hasRepository(dir string, d *directory) bool {
	named := d.named
	if d.pointer == 0 {
		named = []string{filepath.Join(dir, ".git")}
	}
	return d.repo && slices.ContainsFunc(named, func(path string) bool {
		to := t.dirs[path]
		return to != nil && to.whole
	})
}
