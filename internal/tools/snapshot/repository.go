package snapshot

import (
	"path"
	"slices"
	"strings"
)

// GitState reports whether undo restores a path, relative to a git directory and with slashes: all
// files but objects, which are never removed, hooks, locks, and what git writes only for the next
// command. Inner is the git directory of the submodule or linked worktree to which the path belongs,
// in the same form; empty for none.
func GitState(rest string) (inner string, ok bool) {
	first, below, isBelow := strings.Cut(rest, "/")
	switch {
	case rest == "" || strings.HasSuffix(rest, ".lock"):
		return "", false
	case isBelow && (first == "modules" || first == "worktrees"):
		if at := innerEntry(below); at >= 0 {
			_, ok = GitState(below[at+1:])
			return path.Join(first, below[:at]), ok
		}
		return "", true // a directory, or what git knows of a worktree
	case first == "objects":
		return "", rest == "objects/info/alternates"
	case slices.Contains([]string{"hooks", "lfs", "annex"}, first):
		return "", false
	}
	return "", !IsGitScratch(rest)
}

// innerEntry returns where the last part of a path begins that git expects in a git directory: the
// names of submodules can contain slashes, and be those of such entries. It is -1 if there is none.
func innerEntry(rest string) (at int) {
	at = -1
	for i, r := range rest {
		if r != '/' {
			continue
		}
		name, _, _ := strings.Cut(rest[i+1:], "/")
		if slices.Contains([]string{"HEAD", "config", "index", "info", "logs", "objects", "packed-refs", "refs", "hooks", "gitdir", "commondir", "locked"}, name) {
			at = i
		}
	}
	return at
}

// IsGitScratch reports whether a path in a git directory has content that git writes only for its
// next steps, so that nothing is lost with it.
func IsGitScratch(rest string) bool {
	name := path.Base(rest)
	for _, prefix := range []string{"tmp_", ".tmp-", "fsmonitor--daemon", "index.stash.", "next-index-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, dir := range []string{"lfs/cache/", "lfs/tmp/", "lfs/incomplete/"} {
		if strings.HasPrefix(rest, dir) {
			return true
		}
	}
	return strings.HasSuffix(name, ".lock") || slices.Contains([]string{"FETCH_HEAD", "gc.pid", "gc.log", "COMMIT_EDITMSG", "TAG_EDITMSG", "NOTES_EDITMSG", "EDIT_DESCRIPTION"}, name)
}
