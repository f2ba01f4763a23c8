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
		return "", !IsGitScratch(rest) // a directory, or what git knows of a worktree
	case first == "objects":
		return "", rest == "objects/info/alternates"
	case slices.Contains([]string{"hooks", "lfs", "annex"}, first):
		return "", false
	}
	return "", !IsGitScratch(rest)
}

// innerEntry returns where the last part of a path begins that git expects in a git directory: the
// names of submodules can contain slashes, and be those of such entries. It is -1 if there is none.
// What follows the directories of references is the name of one.
func innerEntry(rest string) (at int) {
	at = -1
	for i, r := range rest {
		if r != '/' {
			continue
		}
		name, below, _ := strings.Cut(rest[i+1:], "/")
		switch {
		case name == "refs" && below != "", name == "logs" && strings.HasPrefix(below, "refs/"):
			return i
		case slices.Contains(gitEntries, name), strings.HasSuffix(name, "_HEAD"):
			at = i
		}
	}
	return at
}

// gitEntries are names that git expects in a git directory.
var gitEntries = []string{
	"HEAD", "config", "config.worktree", "index", "info", "logs", "objects", "packed-refs", "refs", "hooks", "gitdir", "commondir", "locked",
	"shallow", "description", "sequencer", "rebase-merge", "rebase-apply", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG", "rr-cache",
}

// IsGitScratch reports whether a path in a git directory has content that git writes only for its
// next steps, so that nothing is lost with it. References can have any of these names.
func IsGitScratch(rest string) bool {
	first, below, isBelow := strings.Cut(rest, "/")
	switch {
	case strings.HasSuffix(rest, ".lock"):
		return true
	case isBelow && (first == "modules" || first == "worktrees"):
		at := innerEntry("/" + below)
		return at > 0 && IsGitScratch(below[at:])
	case isBelow && first == "objects":
		return IsObjectScratch(path.Base(rest))
	case isBelow && first == "lfs":
		dir, _, _ := strings.Cut(below, "/")
		return slices.Contains([]string{"cache", "tmp", "incomplete"}, dir)
	case isBelow:
		return false
	}
	for _, prefix := range []string{"fsmonitor--daemon", "index.stash.", "next-index-"} {
		if strings.HasPrefix(rest, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"FETCH_HEAD", "gc.pid", "gc.log", "COMMIT_EDITMSG", "TAG_EDITMSG", "NOTES_EDITMSG", "EDIT_DESCRIPTION"}, rest)
}

// IsObjectScratch reports whether git gives files below objects that name only until they are complete.
func IsObjectScratch(name string) bool {
	return strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".tmp-") || strings.HasSuffix(name, ".lock")
}
