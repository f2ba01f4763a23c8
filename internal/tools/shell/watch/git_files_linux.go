//go:build amd64 || arm64

package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/realpath"
	"agent/internal/tools/snapshot"
)

// manner is how a call changes a place.
type manner int

const (
	written   manner = iota // created, or opened for writing
	remoded                 // its mode changes
	taken                   // removed, or renamed to another path
	put                     // a rename puts something there
	exchanged               // a rename exchanges it with another path
)

// gitFile is a path in a git directory that decides which programs git runs. It knows what may
// happen to the path while a command runs that nobody approved: git directories that existed
// before get no new programs, and those of the command get none before they were checked.
type gitFile struct {
	dir   string // the git directory, absolute
	rest  string // the path in it
	fresh bool   // the command has created the git directory, or the entries that make it one
	runs  bool   // git makes the change, and the text of the command runs git
}

// gitFileAt returns the first git directory on the way to an absolute path in which the path
// decides about programs. Both results are empty if there is none.
func gitFileAt(path string) (dir, rest string) {
	for {
		name, after, more := strings.Cut(path[len(dir)+1:], "/")
		if dir != "" && decidesPrograms(path[len(dir)+1:]) && isGitDirInUse(dir) {
			return dir, path[len(dir)+1:]
		}
		if !more || after == "" {
			return "", ""
		}
		dir += "/" + name
	}
}

// decidesPrograms reports whether a path in a git directory decides which programs git runs.
func decidesPrograms(path string) bool {
	return holdsPrograms(path) || strings.HasPrefix(path, configCopy) ||
		slices.Contains([]string{rebaseDir, rebaseTodo, rebaseStrategy, sequencerDir, sequencerOptions}, path)
}

// isGitDirInUse reports whether git may use a directory as a git directory, now or soon: a command
// can create the other entries as sockets, which no held call does. Each directory with the name
// .git counts.
func isGitDirInUse(dir string) bool {
	return strings.EqualFold(filepath.Base(dir), ".git") || hasHead(dir)
}

// hasHead reports whether a directory has a HEAD that git can read. It counts one that cannot be
// looked up.
func hasHead(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, "HEAD"))
	if err != nil {
		return hasEntry(dir, "HEAD")
	}
	return !info.IsDir() && info.Mode()&os.ModeSocket == 0
}

// isGitDir reports whether git may recognize a directory as a git directory. It counts entries that
// cannot be looked up.
func isGitDir(dir string) bool { return !lacksEntry(dir, "") }

// lacksEntry reports whether a directory has not all entries of a git directory except for one.
func lacksEntry(dir, except string) bool {
	return slices.ContainsFunc(gitEntries(), func(name string) bool { return name != except && !hasEntry(dir, name) })
}

// marksGit reports whether git recognizes git directories by an entry of that name.
func marksGit(name string) bool { return slices.Contains(gitEntries(), name) }

func gitEntries() []string { return []string{"HEAD", "objects", "refs"} }

// mayBeGit reports whether creating path may turn its directory into a repository or a git
// directory.
func mayBeGit(path string) bool {
	switch filepath.Base(path) {
	case ".git", "HEAD", commonDir:
		return true
	case "objects", "refs":
		return hasEntry(filepath.Dir(path), "HEAD")
	}
	return false
}

func hasEntry(dir, name string) bool { return !realpath.Missing(filepath.Join(dir, name)) }

// commonDir names another directory that holds the configuration and the hooks.
const commonDir = "commondir"

// linkedCommonDir is the content of commondir in the git directory of a linked worktree.
const linkedCommonDir = "../.."

// What git continues later. rebaseTodo lists what a rebase in progress still has to do, which can be
// to run programs. rebaseStrategy and sequencerOptions, a configuration file of git cherry-pick and
// git revert, name the merge strategy, which can be a program. Git only renames new files to
// rebaseTodo and sequencerOptions.
const (
	rebaseDir        = "rebase-merge"
	rebaseTodo       = rebaseDir + "/git-rebase-todo"
	rebaseStrategy   = rebaseDir + "/strategy"
	sequencerDir     = "sequencer"
	sequencerOptions = sequencerDir + "/opts"
)

// isConfig reports whether the path is a configuration file.
func (f gitFile) isConfig() bool { return f.rest == "config" || f.rest == "config.worktree" }

// isLinked reports whether the git directory is where git keeps that of a linked worktree: in the
// directory worktrees of another git directory.
func (f gitFile) isLinked() bool {
	parent := filepath.Dir(f.dir)
	return filepath.Base(parent) == "worktrees" && !strings.EqualFold(filepath.Base(f.dir), ".git") && isGitDirInUse(filepath.Dir(parent))
}

// allows reports whether the path may be changed. A configuration file that is put there must
// also set no new program: see config.
func (f gitFile) allows(p place, how manner) bool {
	own := f.fresh || f.runs
	top, name, _ := strings.Cut(f.rest, "/")
	switch {
	case top == "info" && name != "" && name != "attributes":
		return own
	case how == exchanged:
		return false
	case f.rest == rebaseStrategy:
		return f.isFree() || own && (how == taken || how == remoded)
	case top == rebaseDir || top == sequencerDir:
		return f.isFree() || own && !p.link && (how == taken || how == remoded || (how == put) == (name != ""))
	case how == taken:
		return f.fresh || f.runs && f.isLinked() // git worktree remove
	case f.isConfig():
		return own && (how == put || how == remoded)
	case strings.HasPrefix(f.rest, configCopy):
		return false
	case top == commonDir:
		return false
	case p.link || how == put && name == "":
		return false
	case name == "": // the directory hooks or info
		return own
	case top == "hooks": // no sample runs
		return strings.HasSuffix(f.rest, ".sample") && (f.fresh || f.runs && !p.exists)
	}
	return f.fresh // info/attributes
}

// isFree reports whether the command may choose what git does in a rebase: in its own repositories.
func (f gitFile) isFree() bool { return f.fresh && !f.isLinked() }

// protected returns the path that a refusal of the change names.
func (f gitFile) protected() string {
	if top, _, _ := strings.Cut(f.rest, "/"); top == "hooks" {
		return f.dir + "/" + top
	}
	return f.dir + "/" + f.rest
}

// objectPaths returns the parts of a path in a git directory that are below a directory of objects,
// also of a submodule, whose name can contain "/objects/". Deeper below lie the objects of Git LFS and
// git-annex, which are none of git.
func objectPaths(rest string) (paths []string) {
	if below, ok := strings.CutPrefix(rest, "objects/"); ok {
		paths = append(paths, below)
	}
	if !strings.HasPrefix(rest, "modules/") {
		return paths
	}
	for i := range rest {
		below, ok := strings.CutPrefix(rest[i:], "/objects/")
		if !ok {
			continue
		}
		dir, name, _ := strings.Cut(below, "/")
		if isDeep := strings.Contains(name, "/"); len(dir) == 2 && !isDeep || dir == "pack" && !isDeep || dir == "info" {
			paths = append(paths, below)
		}
	}
	return paths
}

// isObject reports whether a path below a directory of objects is a file with objects, or names
// another place for them.
func isObject(below string) bool {
	dir, name, _ := strings.Cut(below, "/")
	switch {
	case below == "info/alternates" || below == "info/http-alternates":
		return true
	case strings.Contains(name, "/"):
		return false
	case dir == "pack":
		return strings.HasPrefix(name, "pack-") && (strings.HasSuffix(name, ".pack") || strings.HasSuffix(name, ".idx"))
	}
	return len(dir) == 2 && !snapshot.IsObjectScratch(name)
}

// allowsObject reports whether git may change a path below a directory of objects in this manner. It
// gives objects their final names only by links and renames, after it has checked them; with options
// such as --output, it writes any text to any file.
func allowsObject(below string, p place, how manner, opens bool) bool {
	name := filepath.Base(below)
	isNew := (snapshot.IsObjectScratch(name) || strings.HasSuffix(name, ".keep") || strings.HasSuffix(name, ".promisor")) && !readsAsPack(name)
	switch {
	case p.dir():
		return how != exchanged
	case isObject(below) && (p.exists || strings.HasPrefix(below, "info/")), p.link, how == exchanged:
		return false
	case how == written && opens:
		return isNew
	case how == put:
		return isNew || p.source != nil && snapshot.IsObjectScratch(filepath.Base(p.source.path))
	}
	return true
}

// readsAsPack reports whether git reads a file with that name as a pack, or to find objects in one: it
// does so also if the name begins with a mark of incomplete files.
func readsAsPack(name string) bool {
	return slices.Contains([]string{".pack", ".idx", ".rev", ".mtimes", ".bitmap"}, filepath.Ext(name))
}

// holdsPrograms reports whether a path in a git directory names programs that git runs.
func holdsPrograms(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return slices.Contains([]string{"config", "config.worktree", "hooks", "info", commonDir}, first)
}
