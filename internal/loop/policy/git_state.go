package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/bash"
	"agent/internal/loop/policy/command"
	"agent/internal/tools/git"
)

// removesObjects are the subcommands of git that remove what undo cannot restore, such as objects.
var removesObjects = []string{"clean", "filter-branch", "filter-repo", "gc", "lfs", "maintenance", "prune", "prune-packed", "reflog", "repack", "submodule"}

// keepsHistory are the subcommands of git that change only files, what is staged and the stash, or
// make a new repository. The others change the history, so mode auto asks about them.
var keepsHistory = []string{
	"add", "apply", "archive", "checkout", "checkout-index", "clean", "clone", "format-patch", "init", "mv", "reset", "restore", "rm", "sparse-checkout", "stage", "stash", "update-index",
}

// keepsGit reports whether undo restores what commands change in the git directories of the
// workspace. It does not know those that only a .git file names.
func (p Paths) keepsGit(in borders) bool {
	return !slices.ContainsFunc(in.workspace, func(dir string) bool {
		r, found := git.Open(dir)
		return found && r.State() == ""
	})
}

// restoresGit reports whether undo restores what a part that runs git changes in a git directory, if
// it records that.
func restoresGit(p *command.Part) bool {
	sub, known := gitCommand(p)
	return known && !slices.Contains(removesObjects, sub)
}

// gitCalls returns the arguments of each git that a part runs, itself or through another program. It
// returns nil for a part that is known to only read.
func gitCalls(p *command.Part) (calls [][]string) {
	if p.Reason == "" {
		return nil
	}
	for _, words := range append([][]string{p.Texts()}, p.Runs...) {
		if len(words) > 0 && bash.Program(words[0]) == "git" {
			calls = append(calls, words[1:])
		}
	}
	return calls
}

// opensGit reports whether a part runs a git command that may need to change a git directory.
func opensGit(p command.Part) bool {
	return slices.ContainsFunc(gitCalls(&p), func(args []string) bool { return command.Subcommand(args) != "clean" })
}

// changesHistory reports whether a part runs git to change commits, branches, tags or settings, or
// may do so.
func changesHistory(p command.Part) bool {
	return slices.ContainsFunc(gitCalls(&p), func(args []string) bool {
		switch sub := command.Subcommand(args); {
		case sub == "config":
			return !readsConfig(args)
		case command.ReadsGit(sub):
			return false
		case sub == "reset":
			return p.Traits&command.Permanent != 0
		default:
			return p.MovesHead || !slices.Contains(keepsHistory, sub)
		}
	})
}

// readsConfig reports whether a git config with these arguments only prints settings.
func readsConfig(args []string) bool {
	args = args[slices.Index(args, "config")+1:]
	prints := func(o string) bool { return strings.HasPrefix(o, "--get") || o == "-l" || o == "--list" }
	places := []string{"--show-origin", "--show-scope", "--name-only", "-z", "--local", "--global", "--system", "--worktree"}
	changes := func(o string) bool { return strings.HasPrefix(o, "-") && !prints(o) && !slices.Contains(places, o) }
	return !slices.ContainsFunc(args, changes) && (slices.ContainsFunc(args, prints) || len(bash.Operands(args)) == 1)
}

// gitCommand returns the subcommand of a part that runs git. It reports false if it is not known.
func gitCommand(p *command.Part) (sub string, known bool) {
	if p.Program() != "git" || len(p.Argv) < 2 {
		return "", false
	}
	sub = command.Subcommand(p.Argv[1:])
	return sub, command.IsGitCommand(sub)
}

// pushes reports whether a command sends commits to another repository, as far as its text shows.
func (f Facts) pushes() bool {
	return f.Command != nil && slices.ContainsFunc(f.Command.Parts, func(p command.Part) bool {
		return p.Program() == "git" && slices.ContainsFunc(p.Words[1:], func(w command.Word) bool { return w.Text == "push" || w.Text == "send-pack" })
	})
}

// entersGit reports whether a part may run git in another repository than that of the workspace, or
// give it one as a remote. Such a repository can come with the project as ordinary files, and its
// settings and hooks run programs: no standing permission covers it.
func (f Facts) entersGit(p *command.Part) bool {
	switch {
	case p.Program() != "git":
		return false
	case len(p.Dirs()) == 0:
		return true
	}
	own, found := git.Open(f.Root)
	for _, dir := range p.Dirs() {
		for at := dir; within([]string{f.Root}, at); at = filepath.Dir(at) {
			if git.IsBare(at) {
				return true
			}
		}
		if r, ok := git.Open(dir); ok != found || r.Common() != own.Common() {
			return true
		}
	}
	sub, _ := gitCommand(p)
	namesRemote := slices.Contains([]string{"fetch", "pull", "push", "ls-remote", "lfs", "remote"}, sub)
	return namesRemote && slices.ContainsFunc(bash.Operands(p.Argv[1:]), func(w string) bool {
		return slices.ContainsFunc(p.Dirs(), func(dir string) bool {
			return git.IsBare(from(dir, w)) || git.IsBare(from(dir, w+".git")) || exists(filepath.Join(from(dir, w), ".git"))
		})
	})
}
