package policy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/policy/command"
	"agent/internal/realpath"
	"agent/internal/tools/protect"
	"agent/internal/tools/snapshot"
)

// Limits of the look at the files that a command deletes or overwrites.
const (
	maxScanTime = 50 * time.Millisecond
	maxLost     = 3         // that a warning names
	largeFile   = 1_000_000 // bytes of a file from which a warning shows its size
)

// changes says what a command may change, as far as its text shows that, and what undo records of it.
type changes struct {
	recorded bool     // undo records what commands change
	git      bool     // the command runs git, so it may change git directories
	keepsGit bool     // undo restores what it changes there
	gitDirs  []string // of the workspace; a command that does not run git must not change them
	unsaved  []string // files that the command writes to and that undo cannot restore
	shared   []string // those of them that have several hard links, or are no regular files
	removal  removal
}

// removal says what an approved command deletes or overwrites, as far as its text shows that, and
// whether undo could restore it. It only serves the dialog: the sandbox limits commands that nobody
// approved.
type removal struct {
	partial bool // the text does not show all files
	sizes   sizes
	// lost is what undo cannot restore, each with the reason, for the user: "data.db (3.0
	// GB): it is larger than 64 MB".
	lost []string
}

// sizes describes the directories and large files that a command removes, by path, as in
// "build/ (1,204 files, 80.1 MB)": with what follows the name.
type sizes map[string]string

// note returns how far undo can restore what a command deletes or overwrites, as a part of a warning
// that already says the text before; empty if that is not known.
func (c changes) note(before string) string {
	r := c.removal
	switch {
	case !c.recorded:
		return ""
	case len(r.lost) == 1 && strings.Contains(before, r.lost[0]):
		return "cannot be undone"
	case len(r.lost) > 0:
		return "cannot be undone: " + phrase.Some(r.lost, maxLost)
	case r.partial:
		return ""
	}
	return "can be undone"
}

// room returns how many bytes of old file contents undo accepts from commands; 0 if it records none.
func (p Paths) room() int64 {
	if p.Room == nil || p.Sandbox.none() {
		return 0
	}
	return p.Room()
}

// lookAtChanges fills in what a command in dir changes, as far as its text shows that, and how far undo
// records it.
func (p Paths) lookAtChanges(ctx context.Context, f *Facts, dir string, in borders) {
	f.changes.git = slices.ContainsFunc(f.Command.Parts, opensGit)
	f.changes.keepsGit = p.keepsGit(in)
	for _, dir := range in.workspace {
		if path := filepath.Join(dir, ".git"); !f.changes.git && p.Sandbox == SandboxFull && exists(path) {
			f.changes.gitDirs = append(f.changes.gitDirs, path)
		}
	}
	s := removalScan{removal: removal{sizes: sizes{}}, recorded: f.changes.recorded, dir: dir, in: in, paths: p, until: time.Now().Add(maxScanTime)}
	for i := range f.Command.Parts {
		part := &f.Command.Parts[i]
		for _, path := range part.Writes {
			real := p.follow(path)
			info, err := os.Lstat(real)
			if err != nil || info.IsDir() || p.Temp.Holds(real) {
				continue
			}
			why := snapshot.UnsavedReason(info)
			if why != "" {
				f.changes.unsaved = append(f.changes.unsaved, path)
			}
			if why == snapshot.UnsavedLinks || why == snapshot.UnsavedKind {
				f.changes.shared = append(f.changes.shared, path)
			}
		}
		if part.Traits&command.Destroys != 0 {
			s.part(ctx, part, f.changes.keepsGit)
		}
	}
	if room := p.room(); s.bytes > room {
		s.lose(phrase.Bytes(s.bytes) + " of old file contents: undo has room for " + phrase.Bytes(room))
	}
	f.changes.removal = s.removal
}

// removalScan looks at the files that a command deletes or overwrites.
type removalScan struct {
	removal
	recorded bool   // as in changes
	dir      string // of the command
	in       borders
	paths    Paths
	until    time.Time
	scanned  int   // entries
	bytes    int64 // of the files that would be copied
	kept     int64 // bytes of the files that would be kept without a copy
}

// lose adds something that undo cannot restore.
func (s *removalScan) lose(what string) {
	if !slices.Contains(s.lost, what) {
		s.lost = append(s.lost, what)
	}
}

// show returns a path as the user knows it.
func (s *removalScan) show(path string) string { return realpath.Shorten(path, s.dir) }

// part looks at the files that a part deletes or overwrites.
func (s *removalScan) part(ctx context.Context, p *command.Part, keepsGit bool) {
	undoesGit := keepsGit && restoresGit(p)
	if p.Traits&command.Permanent != 0 && !undoesGit {
		s.lose(p.Reason)
	}
	selects := p.Program() == "git" || p.Program() == "find" // they select the files below the directory
	s.partial = s.partial || p.Argv == nil || p.Runs != nil || len(p.Writes) == 0 && !selects
	for _, path := range p.Writes {
		if slices.Contains(p.Trees, path) {
			s.tree(ctx, path)
		} else {
			s.file(s.paths.follow(path))
		}
	}
}

// tree looks at everything at and below a path that is removed.
func (s *removalScan) tree(ctx context.Context, path string) {
	path = strings.TrimRight(path, "/")
	real := s.paths.follow(path)
	if base := filepath.Base(path); base != "." && base != ".." {
		real = filepath.Join(s.paths.follow(filepath.Dir(path)), base)
	}
	if _, err := os.Lstat(real); err != nil || s.paths.Temp.Holds(real) {
		return
	}
	switch {
	case slices.Contains(s.in.workspace, real):
		s.lose(s.show(real) + " is itself a workspace directory")
		return
	case !s.in.inside(real):
		s.lose(s.show(real) + " is outside the workspace")
		return
	}
	files, bytes, isDir := 0, int64(0), false
	err := s.each(ctx, real, func(path string, info fs.FileInfo) error {
		switch {
		case isGit(path):
			s.lose(s.show(path) + ": " + lostGit)
			if info.IsDir() {
				return fs.SkipDir
			}
			return nil
		case info.IsDir():
			isDir = true
			return nil
		}
		files++
		if s.recorded && s.paths.Keeps != nil && s.paths.Keeps(info, s.kept) {
			s.kept += info.Size()
			bytes += info.Size()
			return nil
		}
		bytes += s.count(path, info)
		return nil
	})
	switch {
	case errors.Is(err, errLimit):
		s.lose(s.show(path) + " has too many files to check")
	case err != nil:
		s.lose(s.show(path) + " cannot be read completely")
	case isDir:
		s.sizes[path] = "/ (" + grouped(phrase.Count(files, "file")) + ", " + phrase.Bytes(bytes) + ")"
	case bytes >= largeFile:
		s.sizes[path] = " (" + phrase.Bytes(bytes) + ")"
	}
}

// file looks at a file that is changed.
func (s *removalScan) file(real string) {
	info, err := os.Lstat(real)
	switch {
	case err != nil || info.IsDir() || s.paths.Temp.Holds(real):
	case isGit(real):
		s.lose(s.show(real) + ": " + lostGit)
	case !s.in.inside(real):
		s.lose(s.show(real) + " is outside the workspace")
	default:
		s.count(real, info)
	}
}

// count adds a file to those that undo must keep, and returns its size.
func (s *removalScan) count(path string, info fs.FileInfo) int64 {
	if why := snapshot.UnsavedReason(info); why != "" {
		s.lose(s.show(path) + " (" + phrase.Bytes(info.Size()) + "): " + why)
	}
	if !info.Mode().IsRegular() {
		return 0
	}
	s.bytes += info.Size()
	return info.Size()
}

// lostGit is why a git directory cannot be restored.
const lostGit = "undo does not restore whole git directories"

var errLimit = errors.New("there are too many files")

// each calls visit for a path and everything below it. Symbolic links are not followed.
func (s *removalScan) each(ctx context.Context, path string, visit func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if s.scanned++; s.scanned%256 == 0 && (ctx.Err() != nil || time.Now().After(s.until)) {
			return errLimit
		}
		if err == nil {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				return visit(path, info)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// isGit reports whether a path is a git directory, a file in its place, or in one.
func isGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool { return protect.Fold(name) == protect.Fold(".git") })
}

// grouped returns text that begins with a count, with commas in the count: "1,204 files".
func grouped(text string) string {
	digits := strings.IndexByte(text, ' ')
	for i := digits - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
