package policy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/policy/command"
	"agent/internal/tools/git"
	"agent/internal/tools/protect"
	"agent/internal/tools/snapshot"
)

// Limits of the scan of the files that a command destroys. Beyond them, undo counts as
// unable to restore the files.
const (
	maxScanTime = 200 * time.Millisecond
	maxScanned  = 100_000
	maxGitTime  = time.Second // of the search for staged changes
	maxLost     = 3           // that a warning names
	largeFile   = 1_000_000   // bytes of a file from which a warning shows its size
)

// losses says what undo could restore after a command that destroys files.
type losses struct {
	recorded bool // undo records what the command changes
	git      bool // the command runs git, so it may change git directories
	keepsGit bool // a complete sandbox keeps the state of git that the command changes
	sizes    sizes
	// lost is what undo cannot restore, each with the reason, for the user: "data.db (3.0
	// GB): it is larger than 64 MB".
	lost []string
	// unseen is how many of them are files that the text of the command does not show.
	unseen int
	// readOnly are git directories, which undo does not record. The command must not change
	// them; it is empty for commands that run git.
	readOnly []string
	// appended are the files that a command adds to and that undo cannot restore. Those of
	// shared may be outside the workspace under another name, or they are not regular files.
	appended, shared []string
}

// sizes describes the directories and large files that a command removes, by path, as in
// "build/ (1,204 files, 80.1 MB)": with what follows the name.
type sizes map[string]string

// losses scans the files that a command in dir destroys.
func (p Paths) losses(ctx context.Context, c *command.Command, dir string, in borders) losses {
	room := int64(0)
	if p.Room != nil && !p.Sandbox.none() {
		room = p.Room()
	}
	ds := deletionScan{losses: losses{recorded: room > 0, sizes: sizes{}}, dir: dir, in: in, paths: p}
	ds.adds(c, room)
	ds.keepsGit = ds.recorded && p.Sandbox == SandboxFull && p.keepsGit(in)
	if c.Traits&command.Destroys == 0 {
		ds.protectGit(c, p.Sandbox)
		return ds.losses
	}
	ctx, stop := context.WithTimeout(ctx, maxScanTime+maxGitTime)
	defer stop()
	ds.until = time.Now().Add(maxScanTime)
	known := command.Trait(0)
	for i := range c.Parts {
		if part := &c.Parts[i]; part.Traits&command.Destroys != 0 {
			known |= part.Traits
			ds.part(ctx, part, p.Git != nil)
		}
	}
	if known&command.Destroys == 0 {
		ds.lose("its text does not show what it destroys")
	}
	if ds.bytes > room {
		ds.lose(phrase.Bytes(ds.bytes) + " of old file contents: undo has room for " + phrase.Bytes(room))
	}
	ds.protectGit(c, p.Sandbox)
	return ds.losses
}

// deletionScan is the check of the files that a command destroys.
type deletionScan struct {
	losses
	dir     string // of the command
	in      borders
	paths   Paths
	until   time.Time
	scanned int      // entries
	bytes   int64    // of the files that would be copied
	kept    int64    // bytes of the files that would be kept without a copy
	found   []string // git directories that a command could destroy without naming them
}

// lose adds something that undo cannot restore.
func (ds *deletionScan) lose(what string) {
	if !slices.Contains(ds.lost, what) {
		ds.lost = append(ds.lost, what)
	}
}

// show returns a path as the user knows it.
func (ds *deletionScan) show(path string) string { return Grant{Scope: Scope{Dir: ds.dir}}.show(path) }

// part scans the files that a part destroys.
func (ds *deletionScan) part(ctx context.Context, p *command.Part, hasGit bool) {
	switch {
	case endsProcesses(p) && ds.recorded && ds.paths.Sandbox == SandboxFull: // the sandbox keeps it from others
	case ds.keepsGit && restoresGit(p) && len(p.Writes)+len(p.Destroyed.Roots) == 0:
	case p.Traits&command.Permanent != 0 && !(ds.keepsGit && restoresGit(p)):
		ds.lose(p.Reason)
	case p.Destroyed.Partial, len(p.Writes)+len(p.Destroyed.Roots) == 0:
		before := len(ds.lost)
		ds.lose(p.Reason + ", and its text does not show which")
		ds.unseen += len(ds.lost) - before
	}
	for _, path := range p.Destroyed.Trees {
		ds.tree(path)
	}
	for _, path := range p.Writes {
		if !slices.Contains(p.Destroyed.Trees, path) {
			ds.file(ds.paths.follow(path))
		}
	}
	for _, path := range p.Destroyed.Roots {
		real := ds.paths.follow(path)
		switch {
		case ds.paths.Temp.Holds(real):
		case !ds.in.inside(real):
			ds.lose(ds.show(path) + " is outside the workspace")
		case !p.Destroyed.KeepsGitDirs:
			ds.repositories(real)
		case p.Destroyed.Unstages && !ds.keepsGit && (!hasGit || staged(ctx, real)):
			ds.lose("changes staged for the next commit")
		}
	}
}

// endsProcesses reports whether a part only ends processes. In the complete sandbox those are its own;
// before Linux 6.12 any program there can end others of the user, without the name of such a program.
func endsProcesses(p *command.Part) bool {
	return slices.Contains([]string{"kill", "pkill", "killall", "skill"}, p.Program())
}

// adds checks the files that the parts of c change without destroying them, such as those
// that they append to.
func (ds *deletionScan) adds(c *command.Command, room int64) {
	var all []string
	for i := range c.Parts {
		if part := &c.Parts[i]; part.Traits&command.Destroys == 0 {
			all = append(all, part.Writes...)
		}
	}
	for _, path := range all {
		real := ds.paths.follow(path)
		info, err := os.Lstat(real)
		if err != nil || info.IsDir() || ds.paths.Temp.Holds(real) {
			continue
		}
		why := snapshot.UnsavedReason(info)
		if why != "" || ds.recorded && info.Size() > room {
			ds.appended = append(ds.appended, path)
		}
		if why == snapshot.UnsavedLinks || why == snapshot.UnsavedKind {
			ds.shared = append(ds.shared, path)
		}
	}
}

// tree scans everything at and below a path that is removed.
func (ds *deletionScan) tree(path string) {
	path = strings.TrimRight(path, "/")
	real := ds.paths.follow(path)
	if base := filepath.Base(path); base != "." && base != ".." {
		real = filepath.Join(ds.paths.follow(filepath.Dir(path)), base)
	}
	if _, err := os.Lstat(real); err != nil || ds.paths.Temp.Holds(real) {
		return
	}
	switch {
	case slices.Contains(ds.in.workspace, real):
		ds.lose(ds.show(real) + " is itself a workspace directory")
		return
	case !ds.in.inside(real):
		ds.lose(ds.show(real) + " is outside the workspace")
		return
	}
	files, bytes, isDir := 0, int64(0), false
	ds.each(real, func(path string, info fs.FileInfo) error {
		switch {
		case isGit(path):
			ds.lose(ds.show(path) + ": " + lostGit)
			return skip(info)
		case info.IsDir():
			isDir = true
			return nil
		}
		files++
		if ds.recorded && ds.paths.Keeps != nil && ds.paths.Keeps(info, ds.kept) {
			ds.kept += info.Size()
			bytes += info.Size()
			return nil
		}
		bytes += ds.count(path, info)
		return nil
	})
	switch {
	case isDir:
		ds.sizes[path] = "/ (" + grouped(phrase.Count(files, "file")) + ", " + phrase.Bytes(bytes) + ")"
	case bytes >= largeFile:
		ds.sizes[path] = " (" + phrase.Bytes(bytes) + ")"
	}
}

// file checks a file that is changed.
func (ds *deletionScan) file(real string) {
	info, err := os.Lstat(real)
	switch {
	case err != nil || info.IsDir() || ds.paths.Temp.Holds(real):
	case isGit(real):
		ds.lose(ds.show(real) + ": " + lostGit)
	case !ds.in.inside(real):
		ds.lose(ds.show(real) + " is outside the workspace")
	default:
		ds.count(real, info)
	}
}

// count adds a file to those that undo must keep, and returns its size.
func (ds *deletionScan) count(path string, info fs.FileInfo) int64 {
	if why := snapshot.UnsavedReason(info); why != "" {
		ds.lose(ds.show(path) + " (" + phrase.Bytes(info.Size()) + "): " + why)
	}
	if !info.Mode().IsRegular() {
		return 0
	}
	ds.bytes += info.Size()
	return info.Size()
}

// repositories finds the git directories below a directory.
func (ds *deletionScan) repositories(dir string) {
	ds.each(dir, func(path string, info fs.FileInfo) error {
		if !isGit(path) {
			return nil
		}
		ds.found = append(ds.found, path)
		return skip(info)
	})
}

// skip makes filepath.WalkDir leave out the entries of a directory.
func skip(info fs.FileInfo) error {
	if info.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// lostGit is why a git directory cannot be restored.
const lostGit = "undo does not restore whole git directories"

var errLimit = errors.New("there are too many files")

// each calls visit for a path and everything below it. Symbolic links are not followed.
func (ds *deletionScan) each(path string, visit func(path string, info fs.FileInfo) error) {
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if ds.scanned++; ds.scanned > maxScanned || ds.scanned%256 == 0 && time.Now().After(ds.until) {
			return errLimit
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return visit(path, info)
	})
	switch {
	case errors.Is(err, errLimit):
		ds.lose(ds.show(path) + " has too many files to check")
	case err != nil:
		ds.lose(ds.show(path) + " cannot be read completely")
	}
}

// isGit reports whether a path is a git directory, a file in its place, or in one.
func isGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool { return protect.Fold(name) == protect.Fold(".git") })
}

// protectGit makes git directories read-only, because the text of a command may not show all
// files that it destroys. That is not possible if the command runs git: then no other part
// may be able to change them.
func (ds *deletionScan) protectGit(c *command.Command, s Sandbox) {
	ds.git = slices.ContainsFunc(c.Parts, runsGit)
	if ds.git && slices.ContainsFunc(c.Parts, func(p command.Part) bool { return !runsGit(p) && mayChangeGit(p) }) {
		ds.git = slices.ContainsFunc(c.Parts, func(p command.Part) bool { return runsGit(p) && !runsClean(p) })
		if ds.git && !ds.keepsGit {
			ds.lose("git directories, which other programs of this command can change")
		}
	}
	if ds.git || s != SandboxFull {
		for _, path := range ds.found {
			ds.lose(ds.show(path) + ": " + lostGit)
		}
		return
	}
	for _, dir := range ds.in.workspace {
		if path := filepath.Join(dir, ".git"); exists(path) && !slices.Contains(ds.found, path) {
			ds.found = append(ds.found, path)
		}
	}
	ds.readOnly = ds.found
}

// runsGit reports whether a part runs git other than to read.
func runsGit(p command.Part) bool {
	return p.Reason != "" && (p.Destroyed.KeepsGitDirs || p.Program() == "git")
}

// runsClean reports whether a part runs git clean, which works with read-only git
// directories.
func runsClean(p command.Part) bool {
	return p.Destroyed.KeepsGitDirs && len(p.Argv) > 1 && p.Argv[0] == "git" && p.Argv[1] == "clean"
}

// mayChangeGit reports whether a part moves HEAD, or could change a git directory although
// its text does not show that.
func mayChangeGit(p command.Part) bool {
	return p.Reason != "" && (!p.Destroyed.KeepsGitDirs || p.Destroyed.MovesHead) && (p.Traits != command.Destroys || len(p.Destroyed.Trees) == 0)
}

// staged reports whether something is staged for the next commit in the repository of
// dir, or whether that is not known.
func staged(ctx context.Context, dir string) bool {
	r, found := git.Open(dir)
	if !found {
		return false
	}
	s, err := r.Session(ctx)
	if err != nil {
		return true
	}
	defer s.Close()
	lines, err := s.Status(ctx, dir)
	return err != nil || slices.ContainsFunc(lines, func(line string) bool { return !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "?") })
}

// grouped returns text that begins with a count, with commas in the count: "1,204 files".
func grouped(text string) string {
	digits := strings.IndexByte(text, ' ')
	for i := digits - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// restorable reports whether undo can restore everything that the command destroys.
func (l losses) restorable() bool { return l.recorded && len(l.lost) == 0 }

// restorableStrictly reports whether undo can restore everything that the command destroys if
// a complete sandbox refuses other changes.
func (l losses) restorableStrictly(s Sandbox) bool {
	return l.restorable() || l.recorded && s == SandboxFull && len(l.lost) == l.unseen
}

// note returns how far undo can restore what a command destroys, as a part of a warning;
// empty if undo does not record it.
func (l losses) note() string {
	switch more := len(l.lost) - maxLost; {
	case !l.recorded:
		return ""
	case len(l.lost) == 0:
		return "can be undone"
	case more > 0:
		return "cannot be undone: " + strings.Join(l.lost[:maxLost], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return "cannot be undone: " + strings.Join(l.lost, ", ")
}
