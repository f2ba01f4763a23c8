package snapshot

import "strings"

// GitState reports whether undo restores a path, relative to a git directory and with slashes:
// references, reflogs, the index, the stash, the state of an operation such as a rebase, and the
// settings of the repository. Objects are not part of it, because they are never removed. Neither
// are hooks, locks and what git writes only for the next command. Inner is the git directory of the
// submodule or linked worktree to which the path belongs, in the same form; empty for none.
func GitState(rest string) (inner string, ok bool) {
	if strings.HasSuffix(rest, ".lock") {
		return "", false
	}
	first, below, isBelow := strings.Cut(rest, "/")
	switch first {
	case "refs", "reftable", "logs", "rebase-merge", "rebase-apply", "sequencer":
		return "", true
	case "info":
		return "", below == "sparse-checkout"
	case "modules", "worktrees": // the names of submodules can contain slashes
		for i, r := range below {
			if in, ok := GitState(below[i+1:]); r == '/' && ok {
				return strings.TrimSuffix(first+"/"+below[:i]+"/"+in, "/"), true
			}
		}
		return "", false
	}
	return "", !isBelow && isStateFile(first)
}

// isStateFile reports whether git keeps its state in a file with that name in a git directory.
func isStateFile(name string) bool {
	switch name {
	case "index", "packed-refs", "config", "config.worktree", "shallow", "HEAD",
		"MERGE_MSG", "MERGE_MODE", "MERGE_AUTOSTASH", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE":
		return true
	case "FETCH_HEAD":
		return false
	}
	return strings.HasPrefix(name, "sharedindex.") || strings.HasPrefix(name, "BISECT_") || strings.HasSuffix(name, "_HEAD")
}
