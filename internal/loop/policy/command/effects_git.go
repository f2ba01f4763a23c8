package command

import (
	"slices"
	"strings"

	"agent/internal/bash"
)

// gitEffects judges arguments of git that the table cannot express.
func (g *guesser) gitEffects(p *Part, args []string, sub string) {
	if mayPrint(sub, args) {
		p.Shows.Contents = AnyContents
	}
	if !IsGitCommand(sub) {
		p.needs(Undetermined, code("git", sub)+" may change or delete branches and commits")
	}
	for i, w := range args {
		if w == sub {
			if sub == "checkout" && slices.ContainsFunc(args[i+1:], func(o string) bool {
				return !dashed(o) && (p.finds(g.env, o, File, Directory, Special) || strings.HasPrefix(o, ":") || strings.ContainsAny(o, "*?["))
			}) {
				p.needs(Destroys, "`git checkout` discards changes")
			}
			g.discards(p, sub, args[i+1:])
			if setsUp(sub, args[i+1:]) {
				g.writes(p, g.gitConfig(p, args[:i], sub, args[i+1:]), false)
			}
			break
		}
		if strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "--exec-path") || strings.HasPrefix(w, "--config-env") {
			p.needs(RunsCode, "`git "+shown(w)+"` changes settings, which can run programs")
		}
		if w == "-C" || strings.HasPrefix(w, "--git-dir") || strings.HasPrefix(w, "--work-tree") {
			p.needs(0, "`git "+shown(w)+"` uses another repository")
		}
		if w == "-C" && i+1 < len(args) && !slices.Contains(gitReaders, sub) && !g.allInside(p, args[i+1]) {
			g.writes(p, args[i+1], false)
		}
	}
}

// clonesLocal reports whether the arguments of git clone name a directory, which is then the
// repository that it copies.
func (g *guesser) clonesLocal(p *Part, args []string) bool {
	operands := bash.Operands(args[slices.Index(args, "clone")+1:])
	return len(operands) > 0 && !p.unknown(operands[0]) && p.finds(g.env, operands[0], Directory)
}

// gitReaders are subcommands of git that change nothing in the repository except its
// index, with any arguments that effects.txt does not list.
var gitReaders = []string{
	"", "status", "diff", "log", "show", "blame", "annotate", "grep", "ls-files", "ls-tree", "rev-parse", "rev-list", "describe", "shortlog", "cat-file",
	"name-rev", "merge-base", "for-each-ref", "show-ref", "show-branch", "whatchanged", "count-objects", "check-ignore", "check-attr", "diff-tree", "diff-files",
	"diff-index", "var", "version", "help", "ls-remote", "cherry", "range-diff",
	"fsck", "verify-commit", "verify-tag", "verify-pack", "merge-tree", "patch-id", "stripspace", "check-ref-format", "check-mailmap",
}

// ReadsGit reports whether a subcommand of git changes nothing in the repository except its index.
func ReadsGit(sub string) bool { return slices.Contains(gitReaders, sub) }

// allInside reports whether a path is in the workspace, whatever the directory of p is.
func (g *guesser) allInside(p *Part, path string) bool {
	if strings.HasPrefix(path, "~") {
		return false
	}
	return len(p.dirs) > 0 && !slices.ContainsFunc(p.dirs, func(dir string) bool { return !g.env.Inside(absolute(dir, path, false)) })
}

// discards records what a subcommand of git with these arguments discards or moves.
func (g *guesser) discards(p *Part, sub string, args []string) {
	switch sub {
	case "clean":
		if twice(args, 'f') {
			p.needs(Destroys|Permanent, "`git clean` deletes repositories")
		}
	case "reset":
		whole := given("--soft", args) || given("--hard", args) || given("--merge", args) || given("--keep", args)
		switch {
		case g.picks(p, args) || whole && slices.ContainsFunc(bash.Operands(args), func(o string) bool { return o != "HEAD" && o != "@" }):
			p.needs(Destroys|Permanent, "`git reset` moves the branch")
		case !whole:
			p.needs(Destroys, "`git reset` discards what is staged")
		}
	case "checkout":
		p.MovesHead = g.picks(p, args) || slices.ContainsFunc([]string{"-b", "-d", "-t", "--detach", "--orphan", "--track"}, func(o string) bool { return given(o, args) })
	case "switch":
		p.MovesHead = true
	case "archive", "bundle":
		g.writesAll(p, outputsOf(sub, args))
	}
}

// picks reports whether the arguments of git reset or checkout name a commit other than
// HEAD and no paths.
func (g *guesser) picks(p *Part, args []string) bool {
	operands, at := bash.Operands(args), slices.Index(args, "--")
	if len(operands) != 1 || operands[0] == "HEAD" || operands[0] == "@" {
		return false
	}
	if at >= 0 {
		return len(bash.Operands(args[:at])) > 0
	}
	o := operands[0]
	return !p.finds(g.env, o, File, Directory, Special) && (!strings.ContainsAny(o, "*?[") || strings.ContainsAny(o, "{:"))
}

// outputsOf returns the files that git archive and git bundle create write.
func outputsOf(sub string, args []string) (out []string) {
	if operands := bash.Operands(args); sub == "bundle" && len(operands) > 1 && operands[0] == "create" {
		out = append(out, operands[1])
	}
	for i, w := range args {
		switch name, value, joined := strings.Cut(w, "="); {
		case sub != "archive":
		case len(name) > 2 && strings.HasPrefix("--output", name) && joined:
			out = append(out, value)
		case (w == "-o" || len(w) > 2 && strings.HasPrefix("--output", w)) && i+1 < len(args):
			out = append(out, args[i+1])
		case strings.HasPrefix(w, "-o"):
			out = append(out, w[2:])
		}
	}
	return out
}

// twice reports whether a short option is given at least twice.
func twice(args []string, letter byte) bool {
	n := 0
	for _, w := range args {
		switch {
		case w == "--force":
			n++
		case strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--"):
			n += strings.Count(w, string(letter))
		}
	}
	return n > 1
}
