package command

import (
	"slices"
	"strings"

	"agent/internal/loop/bash"
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
			g.discards(p, args[:i], sub, args[i+1:])
			if setsUp(sub, args[i+1:]) {
				g.writes(p, g.gitConfig(p, args[:i], sub, args[i+1:]), false)
			}
			if sub == "checkout" && len(p.dirs) == 0 && len(bash.Operands(args[i+1:])) > 1 && !given("-b", args[i+1:]) {
				p.needs(Undetermined, "`git checkout` may discard changes: its directory is not known")
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

// discards records how far undo can restore what a subcommand of git discards. Options are
// the words before it, args those after it.
func (g *guesser) discards(p *Part, options []string, sub string, args []string) {
	operands := bash.Operands(args)
	force := given("-f", args) || given("--force", args)
	switch sub {
	case "clean":
		if twice(args, 'f') {
			p.needs(Destroys|Permanent, "`git clean` deletes repositories")
		}
	case "reset":
		p.Destroyed.Unstages = !given("--soft", args)
		whole := !p.Destroyed.Unstages || given("--hard", args) || given("--merge", args) || given("--keep", args)
		switch {
		case g.picks(p, args) || whole && slices.ContainsFunc(operands, func(o string) bool { return o != "HEAD" && o != "@" }):
			p.needs(Destroys|Permanent, "`git reset` moves the branch")
		case !whole:
			p.needs(Destroys, "`git reset` discards what is staged")
		}
	case "checkout":
		at := slices.Index(args, "--")
		p.Destroyed.MovesHead = g.picks(p, args) || slices.ContainsFunc([]string{"-b", "-d", "-t", "--detach", "--orphan", "--track"}, func(o string) bool { return given(o, args) })
		p.Destroyed.Unstages = force || at < 0 && len(operands) > 1 || at >= 0 && len(bash.Operands(args[:at])) > 0
	case "switch":
		p.Destroyed.MovesHead = true
		p.Destroyed.Unstages = force || given("--discard-changes", args)
	case "restore":
		p.Destroyed.Unstages = given("-S", args) || given("--staged", args)
	case "rm", "mv":
		p.Destroyed.Unstages = force
	case "archive", "bundle":
		g.writesAll(p, outputsOf(sub, args))
		return
	case "checkout-index":
	default:
		return
	}
	if p.Traits&Destroys != 0 && !slices.ContainsFunc(options, func(w string) bool { return w != "--no-pager" && w != "-P" }) {
		g.selects(p, []string{"."})
		p.Destroyed.KeepsGitDirs = true
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
