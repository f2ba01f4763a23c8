package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Limits of a scan. What lies beyond them is not checked.
const (
	maxDirs    = 500   // directories that the first scan finds, those near the top first: a scan is part of each command
	maxMade    = 20000 // directories that were made later
	maxEntries = 20000 // of one directory
)

// skipped are directories of dependencies, which contain many files with protected
// names. No program uses these files.
var skipped = []string{"node_modules", "vendor", ".venv", "venv", "site-packages", "target", ".tox"}

// tree holds the protected paths and the git directories in the writable directories.
// A scan reads only directories that have changed since the last one.
type tree struct {
	tops      []string                               // absolute, without links
	protected func(parent, name string) (why string) // see Options.Protected
	gitDirs   func(worktree string) (dirs []string)  // of a .git file
	dirs      map[string]*directory
	scans     int
}

// directory is the state of a directory at its last read.
type directory struct {
	stamp
	racy  bool     // it may have changed since the stamp: see stamp.fresh
	since int      // number of the scan that found it
	visit int      // number of the last scan
	subs  []string // directories to scan, absolute; .git first
	names map[string]protectedName
	made  bool // it was made after the scan that first found the directory above it
	repo  bool // it contains .git
	git   bool // it is a git directory
	// pointer is the number of the scan that found a .git that is not a directory; 0 if
	// there is none.
	pointer int
}

// protectedName is an entry of a directory that is protected by its name.
type protectedName struct {
	why   string
	link  string // target, if it is a symbolic link
	since int    // number of the scan that found it
}

// scan brings the tree up to date. Directories that were made since an earlier scan do
// not count for maxDirs: a command must not be able to make so many of them that others
// are overlooked.
func (t *tree) scan() {
	t.scans++
	todo, made := slices.Clone(t.tops), map[string]bool{}
	counted, madeCount := 0, 0
	for i := 0; i < len(todo); i++ {
		path := todo[i]
		d := t.dirs[path]
		if d != nil && d.visit == t.scans {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		isMade := made[path] || d != nil && d.made
		count, limit := &counted, maxDirs
		if isMade {
			count, limit = &madeCount, maxMade
		}
		if *count >= limit && filepath.Base(path) != ".git" {
			continue
		}
		*count++
		if s := stampOf(info); d == nil || d.racy || d.stamp != s {
			before := d
			d = t.read(path, s, before)
			t.dirs[path] = d
			if before != nil || isMade {
				markNew(made, d, before)
			}
		}
		d.visit, d.made = t.scans, isMade
		todo = append(todo, d.subs...)
	}
	for path, d := range t.dirs {
		if d.visit != t.scans {
			delete(t.dirs, path)
		}
	}
}

// markNew adds the directories of d to made that were not in it before. Nil before means
// that d itself is new.
func markNew(made map[string]bool, d, before *directory) {
	for _, sub := range d.subs {
		made[sub] = true
	}
	if before != nil {
		for _, sub := range before.subs {
			delete(made, sub)
		}
	}
}

// read reads a directory. before is its previous state; nil if it is new.
func (t *tree) read(path string, s stamp, before *directory) *directory {
	d := &directory{stamp: s, racy: s.fresh(time.Now()), since: t.scans, names: map[string]protectedName{}}
	if before != nil && before.inode == s.inode && before.device == s.device {
		d.since = before.since
	}
	entries := readDir(path)
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	d.git = has("HEAD") && (has("objects") && has("refs") || has("commondir"))
	for _, e := range entries {
		name := e.Name()
		sub := filepath.Join(path, name)
		switch {
		case d.git:
			if e.IsDir() && (name == "modules" || name == "worktrees") {
				d.subs = append(d.subs, sub)
			}
			continue
		case name == ".git":
			d.repo = true
			first := []string{sub}
			if !e.IsDir() {
				first, d.pointer = t.gitDirs(path), t.scans
				if before != nil && before.pointer > 0 {
					d.pointer = before.pointer
				}
			}
			d.subs = append(first, d.subs...)
			continue
		}
		if why := t.protected(filepath.Base(path), name); why != "" {
			p := protectedName{why: why, since: t.scans}
			if e.Type()&fs.ModeSymlink != 0 {
				p.link, _ = os.Readlink(sub)
			}
			if before != nil && before.names[name].why != "" {
				p.since = before.names[name].since
			}
			d.names[name] = p
		} else if e.IsDir() && !slices.Contains(skipped, name) {
			d.subs = append(d.subs, sub)
		}
	}
	return d
}

// readDir returns the entries of a directory, at most maxEntries.
func readDir(path string) []fs.DirEntry {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxEntries) // with an error, the entries that could be read
	return entries
}

// newRepository reports whether path is in a repository that was made, with the
// directory that contains it, after a scan.
func (t *tree) newRepository(path string, after int) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		d := t.dirs[dir]
		if d == nil || slices.Contains(t.tops, dir) {
			return false
		}
		if d.since > after && d.repo {
			return true
		}
	}
	return false
}
