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
	maxDirs    = 500   // directories, those near the top first: a scan is part of each command
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
	subs  []string // directories to scan, absolute
	names map[string]protectedName
	repo  bool // it contains .git
	git   bool // it is a git directory
}

// protectedName is an entry of a directory that is protected by its name.
type protectedName struct {
	why   string
	link  string // target, if it is a symbolic link
	since int    // number of the scan that found it
}

// scan brings the tree up to date.
func (t *tree) scan() {
	t.scans++
	todo := slices.Clone(t.tops)
	for i := 0; i < len(todo) && i < maxDirs; i++ {
		d := t.dirs[todo[i]]
		if d != nil && d.visit == t.scans {
			continue
		}
		info, err := os.Lstat(todo[i])
		if err != nil || !info.IsDir() {
			continue
		}
		s := stampOf(info)
		if d == nil || d.racy || d.stamp != s {
			d = t.read(todo[i], s, d)
			t.dirs[todo[i]] = d
		}
		d.visit = t.scans
		todo = append(todo, d.subs...)
	}
	for path, d := range t.dirs {
		if d.visit != t.scans {
			delete(t.dirs, path)
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
			if e.IsDir() {
				d.subs = append(d.subs, sub)
			} else {
				d.subs = append(d.subs, t.gitDirs(path)...)
			}
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
