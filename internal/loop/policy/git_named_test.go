package policy_test

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools"
)

// Files that the git configuration of the workspace includes, and programs that it names, are
// protected like it, whatever the form and whether they exist.
func TestFilesNamedByGitConfigurationAreProtected(t *testing.T) {
	t.Parallel()
	root, err := user.Lookup("root")
	if err != nil {
		t.Skip(err)
	}
	up := strings.Repeat("../", strings.Count(root.HomeDir, "/"))
	for _, c := range []struct{ config, file string }{
		{"[include]\n\tpath = ../inc", "inc"},
		{"[include]\n\tpath = ../inc ; comment", "inc"},
		{"[include]\n\tpath = ../inc # comment", "inc"},
		{"[include]\n\tpath = ../\"inc\"", "inc"},
		{"[include] path = ../inc", "inc"},
		{"[include]\n\tpath = ../missing", "missing"},
		{"[include]\n\tpath = ../nested", "inc"},
		{"[include]\n\tpath = ../link/inc", "real/inc"},
		{"[includeIf \"gitdir:~/\"]\n\tpath = ../missing", "missing"},
		{"[include]\n\tpath = ../in\\\nc", "inc"},
		{"[user]\n\t# note \\\n[include]\n\tpath = ../inc", "inc"},
		{"[user]\n\tx = y ; note \\\n[include]\n\tpath = ../inc", "inc"},
		{"[user]\n\tx = C:\\\\a\\\\\n[include]\n\tpath = ../inc", "inc"},
		{"[user] [include] path = ../inc", "inc"},
		{"[includeIf \"gitdir:]\"] path = ../inc", "inc"},
		{"[include]\n\tpath = \"../a\\tb\"", "a\tb"},
		{"[include]\n\tpath = ../a\tb", "a b"},
		{"[include]\n\tpath = ../a\tb", "a\tb"},
		{"[include]\n\tpath = ../deep/../inc", "far/inc"},
		{"[core \"hookspath\x00\"]\n\tx = tools/hooks", "tools/hooks/pre-commit"},
		{"[include]\n\tpath = ~root/@W/inc", "inc"},
		{"[core]\n\thooksPath = ~root/@W/tools/hooks", "tools/hooks/pre-commit"},
		{"[core]\n\tfsmonitor = tools/watch.sh --fast", "tools/watch.sh"},
		{"[core]\n\tfsmonitor = run", "run"},
		{"[filter \"x\"]\n\tclean = sh ./tools/watch.sh %f", "tools/watch.sh"},
		{"[filter.x]\n\tclean = sh ./tools/watch.sh %f", "tools/watch.sh"},
		{"[diff \"x\"]\n\ttextconv = tools/watch.sh", "tools/watch.sh"},
		{"[alias]\n\tx = \"!cd / && tools/watch.sh\"", "tools/watch.sh"},
		{"[core]\n\thooksPath = tools/hooks", "tools/hooks/pre-commit"},
	} {
		dir := project(t, ".git/HEAD", "inc", "real/inc", "run", "tools/watch.sh", "other")
		write(t, filepath.Join(dir, "nested"), "[include]\n\tpath = inc\n")
		write(t, filepath.Join(dir, "far", "away", "x"), "")
		write(t, filepath.Join(dir, ".git", "config"), strings.ReplaceAll(c.config, "@W", up+dir)+"\n")
		for name, target := range map[string]string{"link": "real", "deep": "far/away"} {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Skip(err)
			}
		}
		paths := policy.Paths{Workspace: dir}
		for file, want := range map[string]bool{c.file: true, "other": false} {
			for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
				if got := asks(&policy.Policy{Mode: mode}, paths, to(tools.Write, tools.Path, file)); got.Protected != want {
					t.Errorf("%s: %q: %s: got %+v, want protected %v", mode, c.config, file, got, want)
				}
			}
		}
		if fixed := paths.Fixed(); !slices.ContainsFunc(fixed, func(p string) bool {
			return p == filepath.Join(dir, c.file) || p == filepath.Dir(filepath.Join(dir, c.file)) || c.file == "real/inc"
		}) {
			t.Errorf("%q: %s is not among %q", c.config, c.file, fixed)
		}
	}
}

// If the git configuration includes too many files, or cannot be read, every change of
// the workspace needs approval.
func TestUnknownGitConfigurationProtectsTheWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	t.Parallel()
	chain := func(n int) map[string]string { // each file includes the next one
		files := map[string]string{".git/config": "[include]\n\tpath = ../inc1\n"}
		for i := 1; i <= n; i++ {
			files[fmt.Sprintf("inc%d", i)] = fmt.Sprintf("[include]\n\tpath = inc%d\n", i+1)
		}
		return files
	}
	list := map[string]string{".git/config": ""}
	for i := range 60 {
		list[".git/config"] += fmt.Sprintf("[include]\n\tpath = ../inc%d\n", i)
	}
	large := strings.Repeat("# comment\n", 110_000)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"a few", chain(20), false},
		{"chain", chain(60), true},
		{"list", list, true},
		{"large", map[string]string{".git/config": large + "[core]\n\tfsmonitor = other\n"}, true},
		{"deep program", map[string]string{".git/config": "[alias]\n\tx = \"!" + strings.Repeat("$(a ", 2000) + "\"\n"}, true},
		{"long program", map[string]string{".git/config": "[alias]\n\tx = \"!" + strings.Repeat("$(", 200_000) + "\"\n"}, true},
		{"many programs", map[string]string{".git/config": "[alias]\n" + strings.Repeat("x = !a/b c/d `e/f`\n", 40_000)}, true},
		{"prefix of git", map[string]string{".git/config": "[include]\n\tpath = %(prefix)/inc\n"}, true},
		{"hooks in the prefix of git", map[string]string{".git/config": "[core]\n\thooksPath = %(prefix)/inc\n"}, true},
		{"unknown user", map[string]string{".git/config": "[include]\n\tpath = ~no-such-user/inc\n"}, true},
		{"large include", map[string]string{".git/config": "[include]\n\tpath = ../inc\n", "inc": large}, true},
	} {
		dir := project(t, ".git/HEAD", "other")
		for name, text := range c.files {
			write(t, filepath.Join(dir, name), text)
		}
		paths := policy.Paths{Workspace: dir}
		write(t, filepath.Join(dir, "sub", "other"), "text\n")
		for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
			for _, p := range []policy.Paths{paths, {Workspace: filepath.Join(dir, "sub")}} {
				if got := asks(&policy.Policy{Mode: mode}, p, to(tools.Write, tools.Path, "other")); got.Protected != c.want {
					t.Errorf("%s: %s: %s: got %+v, want protected %v", mode, c.name, p.Workspace, got, c.want)
				}
			}
		}
		if got := slices.Contains(paths.Fixed(), dir); got != c.want {
			t.Errorf("%s: commands cannot change the workspace: %v, want %v", c.name, got, c.want)
		}
	}
}

// What the git configuration of the user includes, and its directory of hooks, are protected
// in every workspace.
func TestFilesNamedByTheGitConfigurationOfTheUser(t *testing.T) {
	t.Parallel()
	home := project(t, "dotfiles/.git/HEAD", "dotfiles/git/config", "dotfiles/git/more", "dotfiles/hk/x", "dotfiles/other")
	write(t, filepath.Join(home, "dotfiles", "git", "config"), "[user] [include] path = more\n")
	write(t, filepath.Join(home, ".gitconfig"), "[include]\n\tpath = ~/dotfiles/git/config\n[core]\n\thooksPath = hk\n")
	paths := policy.Paths{Workspace: filepath.Join(home, "dotfiles"), Home: home}
	for file, want := range map[string]bool{"git/config": true, "git/more": true, "hk/x": true, "other": false} {
		if got := asks(&policy.Policy{Mode: event.ModeAuto}, paths, to(tools.Write, tools.Path, file)); got.Protected != want {
			t.Errorf("%s: got %+v, want protected %v", file, got, want)
		}
	}
	for _, file := range []string{"git/config", "git/more", "hk"} {
		if path := filepath.Join(home, "dotfiles", file); !slices.Contains(paths.Fixed(), path) {
			t.Errorf("%s is not among %q", path, paths.Fixed())
		}
	}
}

// Programs of the workspace that its git configuration names are protected, however it
// names them.
func TestProgramsNamedByGitConfigurationAreProtected(t *testing.T) {
	t.Parallel()
	alias := func(text string) string {
		return "[alias]\n\tx = \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + "\""
	}
	clean := func(text string) string {
		return strings.Replace(alias(text), "alias]\n\tx", "filter \"x\"]\n\tclean", 1)
	}
	for _, config := range []string{
		alias("!$(git rev-parse --show-toplevel)/tools/x.sh"), alias(`!"$(git rev-parse --show-toplevel)/tools/x.sh" a`), clean("$(git rev-parse  --show-toplevel)/tools/x.sh"),
		clean("`git rev-parse --show-toplevel`/tools/x.sh"), alias(`!cd "$(git rev-parse --show-toplevel)" && tools/x.sh`), alias("!sh $(git rev-parse --show-cdup)tools/x.sh"),
		alias("!$PWD/tools/x.sh"), alias("!${PWD}/tools/x.sh"), alias("!sh ${GIT_PREFIX}tools/x.sh"), alias("!sh ./${GIT_PREFIX:-.}/tools/x.sh"), alias("!$HOME/@W/tools/x.sh"), alias("!${HOME}/@W/tools/x.sh"),
		alias("!cd tools && ./x.sh"), alias("!cd tools; sh x.sh"), alias("!git -C tools status; make -Ctools; sh x.sh"), alias("!(cd tools && ./x.sh)"), alias("!d=tools; $d/x.sh"), alias("!$(dirname tools/x.sh)/x.sh"),
		clean("bash --rcfile=tools/x.sh -i"), clean("BASH_ENV=tools/x.sh bash -c cat"), clean("sh <tools/x.sh"), clean("`tools/x.sh`"), clean("$(cat tools/x.sh)"), clean("make -ftools/x.sh"), clean("sh -c '. tools/x.sh'"),
		alias("!f() { tools/x.sh \"$@\"; }; f"), alias("!sh 'tools/x.sh'"), alias("-c core.pager=tools/x.sh log"), alias("!${TOOL:-tools/x.sh}"), alias("!PATH=tools:$PATH x.sh"), alias("!\"$(git config no.such || echo tools/x.sh)\""),
		alias("!sh 'tools/my x.sh'"), alias("!sh tools/my\\ x.sh"), alias("!sh tools/*.sh"), alias("!sh tools/$1"), alias("!for f in tools/*; do sh $f; done"), alias("!f=$(ls tools | head -1); $f"), alias("!eval $(cat list)"),
		alias("!$(git config my.dir)/x.sh"), alias("!cd $(git config my.dir) && ./x.sh"), alias("!$NO_SUCH_VARIABLE/x.sh"),
		"[lfs \"customtransfer.x\"]\n\tpath = tools/x.sh", "[core]\n\talternateRefsCommand = tools/x.sh", "[submodule \"s\"]\n\tupdate = !tools/x.sh", "[man \"x\"]\n\tcmd = tools/x.sh",
		"[browser \"x\"]\n\tcmd = tools/x.sh", "[sendemail]\n\tsmtpserver = @D/tools/x.sh", "[sendemail \"x\"]\n\tsendmailCmd = tools/x.sh", "[guitool \"x\"]\n\tcmd = tools/x.sh",
		"[protocol \"ext\"]\n\tallow = always\n[remote \"o\"]\n\turl = ext::tools/x.sh", "[url \"ext::sh tools/x.sh \"]\n\tinsteadOf = x:", "[remote \"o\"]\n\treceivepack = tools/x.sh", "[remote \"o\"]\n\tuploadpack = tools/x.sh",
		"[hook \"x\"]\n\tcommand = tools/x.sh\n\tevent = pre-commit", "[credential]\n\thelper = !tools/x.sh", "[diff]\n\texternal = tools/x.sh", "[core]\n\teditor = tools/x.sh", "[gpg \"ssh\"]\n\tprogram = tools/x.sh",
		"[gpg \"ssh\"]\n\tdefaultKeyCommand = tools/x.sh", "[mergetool \"x\"]\n\tpath = tools/x.sh", "[core]\n\tfsmonitor = ~/@W/tools/x.sh", "[gc]\n\trecentObjectsHook = tools/x.sh", "[uploadpack]\n\tpackObjectsHook = tools/x.sh",
		"[instaweb]\n\thttpd = tools/x.sh", "[svn]\n\tauthorsProg = tools/x.sh", "[annex]\n\tsecure-erase-command = tools/x.sh", "[secrets]\n\tproviders = tools/x.sh", "[init]\n\ttemplateDir = tools", "[tar \"x\"]\n\tcommand = tools/x.sh",
		"[core]\n\thooksPath = :(optional)tools", "[interactive]\n\tdiffFilter = tools/x.sh", "[trailer \"x\"]\n\tcmd = tools/x.sh",
	} {
		dir, home := project(t, ".git/HEAD", "tools/x.sh", "other"), project(t)
		text := strings.NewReplacer("@W", strings.Repeat("../", strings.Count(home, "/"))+dir, "@D", dir).Replace(config)
		write(t, filepath.Join(dir, ".git", "config"), text+"\n")
		file := "tools/x.sh"
		if strings.Contains(config, "my") && strings.Contains(config, "tools/my") {
			write(t, filepath.Join(dir, "tools", "my x.sh"), "")
			file = "tools/my x.sh"
		}
		for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
			if got := asks(&policy.Policy{Mode: mode}, policy.Paths{Workspace: dir, Home: home}, to(tools.Write, tools.Path, file)); !got.Protected {
				t.Errorf("%s: %q: %s can be changed without approval", mode, config, file)
			}
		}
	}
}

// Ordinary configurations protect no file of the workspace, whether they are those of
// the user or of the repository.
func TestOrdinaryGitConfigurationProtectsNothing(t *testing.T) {
	t.Parallel()
	const config = `[user]
	name = A
	email = a@b
	signingkey = ~/.ssh/id.pub
[core]
	repositoryformatversion = 0
	editor = vim
	pager = delta --features="side-by-side line-numbers"
	sshCommand = ssh -i ~/.ssh/work -o IdentitiesOnly=yes
	fsmonitor = true
	excludesFile = ~/.gitignore
	autocrlf = input
[sequence]
	editor = code --wait
[interactive]
	diffFilter = delta --color-only
[credential]
	helper = store
	helper = cache --timeout=3600
	helper = osxkeychain
	helper = /usr/local/share/gcm-core/git-credential-manager
[credential "https://github.com"]
	helper =
	helper = !gh auth git-credential
	helper = !/usr/bin/gh auth git-credential
[credential "https://git-codecommit.*.amazonaws.com"]
	helper = !aws codecommit credential-helper $@
[diff]
	tool = vimdiff
	external = difft
	algorithm = histogram
[diff "exif"]
	textconv = exiftool
[diff "jupyternotebook"]
	command = git-nbdiffdriver diff
[diff "sops"]
	textconv = sops -d
[merge]
	tool = nvimdiff
	conflictStyle = zdiff3
[merge "ours"]
	driver = true
[difftool]
	prompt = false
[difftool "difftastic"]
	cmd = difft "$MERGED" "$LOCAL" "abcdef1" "100644" "$REMOTE" "abcdef2" "100644"
[mergetool "vscode"]
	cmd = code --wait --merge $REMOTE $LOCAL $BASE $MERGED
[difftool "Kaleidoscope"]
	cmd = ksdiff --partial-changeset --relative-path \"$MERGED\" -- \"$LOCAL\" \"$REMOTE\"
[mergetool "smerge"]
	path = /opt/sublime_merge/smerge
[pager]
	difftool = true
	log = diff-so-fancy | less --tabs=4 -RFX
	show = "$PAGER"
[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
[filter "nbstrip"]
	clean = "jq --indent 1 '.cells[].outputs = [] | .metadata = {}'"
[filter "dots"]
	clean = "sed -e 's/^token=.*/token=/'"
[lfs]
	repositoryformatversion = 0
[gpg]
	format = ssh
	program = /usr/bin/gpg2
[gpg "ssh"]
	program = /opt/1Password/op-ssh-sign
	allowedSignersFile = ~/.ssh/allowed_signers
[alias]
	st = status -sb
	lg = log --graph --pretty=format:'%h -%d %s (%cr) <%an>' --abbrev-commit
	last = log -1 HEAD --stat
	unstage = reset HEAD --
	root = rev-parse --show-toplevel
	exec = "!exec "
	up = !git pull --rebase --prune $@ && git submodule update --init --recursive
	save = !git add -A && git commit -m 'SAVEPOINT'
	alias = "!git config --get-regexp ^alias\\. | sed -e s/^alias\\.// -e s/\\ /\\ =\\ /"
	gone = "!git branch -vv | awk '/: gone]/{print $1}' | xargs -r git branch -D"
	bclean = "!f() { git branch --merged ${1-main} | grep -v \" ${1-main}$\" | xargs -r git branch -d; }; f"
	changed = "!$EDITOR $(git diff --name-only)"
	pr = "!f() { git fetch -fu ${2:-origin} refs/pull/$1/head:pr/$1 && git checkout pr/$1; }; f"
	top = !cd $(git rev-parse --show-toplevel) && git add .
	default = !git symbolic-ref refs/remotes/origin/HEAD | sed 's@^refs/remotes/origin/@@'
	fixup = "!git log -n 50 --pretty=format:'%h %s' --no-merges | fzf | cut -c -7 | xargs -o git commit --fixup"
	web = "!open \"$(git remote get-url origin | sed 's/:/\\//' )\""
	count = "!f() { for b in $(git branch --format='%(refname:short)'); do echo \"$b $(git rev-list --count $b)\"; done; }; f"
[remote "origin"]
	url = git@github.com:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[url "ssh://git@github.com/"]
	insteadOf = https://github.com/
[init]
	defaultBranch = main
[web]
	browser = firefox
`
	files := []string{"main.go", "README.md", "src/app/main.c", "src/new.go", "tools/x.sh", "test/run.sh", "package.json", "docs/x.md", "bin/x"}
	for _, own := range []bool{false, true} {
		dir, home := project(t, append([]string{".git/HEAD"}, files...)...), project(t)
		file := filepath.Join(dir, ".git", "config")
		if own {
			file = filepath.Join(home, ".gitconfig")
		}
		write(t, file, config)
		for _, name := range append(files, "src/other.go", "new.txt", "a/b/c") {
			if got := asks(&policy.Policy{Mode: event.ModeAuto}, policy.Paths{Workspace: dir, Home: home}, to(tools.Write, tools.Path, name)); got.Protected {
				t.Errorf("of the user: %v: %s is protected: %s", own, name, got.Warning)
			}
		}
	}
}
