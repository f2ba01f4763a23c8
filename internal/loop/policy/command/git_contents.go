package command

import (
	"slices"
	"strings"
)

// Contents says which files of a repository git prints the contents of.
type Contents int

// The values of Contents.
const (
	NoContents    Contents = iota
	NamedContents          // those of the Reads of the part and of files below them, also of earlier ones
	AnyContents
)

// patches are options with which git log and similar commands print contents.
var patches = [...]string{"-p", "-u", "-U", "-W", "-c", "-L", "--patch", "--unified", "--patch-with-raw", "--patch-with-stat", "--cc", "--diff-merges", "--check", "--binary", "--remerge-diff", "--function-context", "--inter-hunk-context", "--word-diff", "--word-diff-regex", "--color-words"}

// summarizing are options with which git diff and git show print no contents, unless they also
// have one of patches.
var summarizing = [...]string{"-s", "--stat", "--numstat", "--shortstat", "--dirstat", "--summary", "--raw", "--name-only", "--name-status", "--no-patch", "--quiet", "--compact-summary"}

// printers are subcommands of git that can print contents of files.
var printers = [...]string{
	"diff", "show", "log", "whatchanged", "cat-file", "grep", "blame", "annotate", "format-patch", "archive", "range-diff", "reflog",
	"diff-tree", "diff-files", "diff-index", "difftool", "fast-export", "bundle", "checkout-index",
}

// mayPrint reports whether a subcommand of git that is not known to only read may print contents of
// files.
func mayPrint(sub string, args []string) bool {
	return slices.Contains(printers[:], sub) || sub == "stash" && (slices.Contains(args, "show") || slices.Contains(args, "list"))
}

// contents returns which contents a git command that only reads prints.
func (v *prover) contents(p *Part, name string, args []string, a arguments) Contents {
	patch := a.has(patches[:]...) || a.has("-S", "-G") // which commits it lists depends on the contents
	named := NamedContents
	if !v.namesContents(p, name, args, a) {
		named = AnyContents
	}
	switch name {
	case "diff":
		if patch || !a.has(summarizing[:]...) {
			return named
		}
	case "show":
		if patch || !a.has(summarizing[:]...) || slices.ContainsFunc(a.operands, mayBeFile) {
			return named
		}
	case "blame", "annotate", "grep":
		return named
	case "log", "whatchanged", "diff-tree", "diff-index", "diff-files":
		if patch {
			return named
		}
	case "stash", "reflog":
		if patch {
			return AnyContents
		}
	case "status":
		if a.has("-v", "--verbose") {
			return AnyContents
		}
	case "cat-file":
		if !a.has("-t", "-s", "-e") {
			return AnyContents
		}
	case "range-diff":
		return AnyContents
	}
	return NoContents
}

// namesContents reports whether a git command prints contents only of files that its operands
// name, as they are written, and of files below them.
func (v *prover) namesContents(p *Part, name string, args []string, a arguments) bool {
	if a.has("--follow", "--full-diff") {
		return false
	}
	before, paths := a.operands, []string(nil)
	end := slices.Index(args, "--")
	if end >= 0 {
		paths = slices.Clone(args[end+1:])
		before = before[:len(before)-len(paths)]
	}
	if name == "grep" && !a.has("-e", "-f") {
		if len(before) == 0 {
			return false
		}
		before = before[1:] // what it searches for
	}
	for _, word := range before {
		switch {
		case end < 0 && p.finds(v.env, word, File, Directory): // git rejects a word that is a revision too
			paths = append(paths, word)
		case mayBeFile(word):
			return false
		}
	}
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool {
		return strings.HasPrefix(path, ":") || strings.ContainsAny(path, `*?[\`)
	})
}

// mayBeFile reports whether a revision may stand for the contents of a file: it has a path, or
// it may begin with an ID.
func mayBeFile(revision string) bool {
	const hex = "0123456789abcdefABCDEF"
	return strings.Contains(revision, ":") || slices.ContainsFunc(strings.FieldsFunc(revision, func(r rune) bool { return strings.ContainsRune("^~.{}@", r) }), func(id string) bool {
		return len(id) >= 4 && strings.Trim(id, hex) == ""
	})
}
