package tools_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/snapshot"
)

// strictly runs a command that nobody approved. If git is set, its text runs git.
func (c *confined) strictly(line string, git bool) tools.Result {
	c.t.Helper()
	_, ok := c.keep(true)
	ok.Access, ok.Snapshot.Git, ok.Snapshot.MaxFile = tools.Access{Strict: true}, git, snapshot.MaxFile
	return c.runApproved(line, ok)
}

// repository makes a repository with one commit.
func (c *confined) repository(dir string) {
	c.git("init", "-q", dir)
	c.git("-C", dir, "commit", "-q", "--allow-empty", "-m", "x")
}

// deepTree makes more directories than a scan finds, and z, to which no scan gets.
func (c *confined) deepTree() {
	for i := range 600 {
		c.put(fmt.Sprintf("a%d/f", i), "")
	}
	c.put("z/d/f", "")
}

// Settings by which git runs programs are never in force while a command runs that nobody
// approved: the user's editor may run git in the meantime.
func TestSettingsOfGitDuringACommand(t *testing.T) {
	const python = `python3 -c '
import os
text = "[core]\n\trepositoryformatversion = 0\n\tbare = %s\n\tfsmonitor = evil\n"
%s'`
	socket := func(name string) string {
		return "import socket; os.umask(0); socket.socket(socket.AF_UNIX).bind(\"n/" + name + "\")\n"
	}
	// A git directory with the setting, and a repository without it.
	const two = `e=$TMPDIR/e; mkdir -p $e/objects $e/refs; printf "[core]\n\tfsmonitor = evil\n" >$e/config; echo "ref: refs/heads/x" >$e/HEAD
git init -q n; cd n; git commit -q --allow-empty -m x; c=$(echo $e | git commit-tree HEAD^{tree}); d=.git/worktrees/m; `
	for name, row := range map[string]struct {
		line, dir string // the line tries to set core.fsmonitor in dir
		git       bool
		settings  bool // the result names the setting
	}{
		"existing":                {"git config core.fsmonitor evil", ".", true, true},
		"existing, in a script":   {"echo 'git config core.fsmonitor evil' >y; sh y", ".", true, true},
		"worktree":                {"git config extensions.worktreeConfig true; git worktree add -q ../w w; git worktree add -q w; git -C w config --worktree core.fsmonitor evil", "w", true, true},
		"new":                     {"git init -q n; git -C n config core.fsmonitor evil", "n", false, true},
		"new, bare":               {"git init -q --bare n; git -C n config core.fsmonitor evil", "n", false, true},
		"new, written":            {"git init -q n; printf '[core]\n\tfsmonitor = evil\n' >>n/.git/config", "n", false, false},
		"new, replaced":           {"git init -q n; printf '[core]\n\tfsmonitor = evil\n' >c; mv c n/.git/config", "n", false, true},
		"new, linked":             {"git init -q n; printf '[core]\n\tfsmonitor = evil\n' >c; rm n/.git/config; ln c n/.git/config; ln -s ../../c n/.git/config", "n", false, false},
		"new, exchanged":          {"git init -q n; printf '[core]\n\tfsmonitor = evil\n' >c; mv --exchange c n/.git/config; mkdir e; cp c e/config; mv -T --exchange e n/.git", "n", false, false},
		"new, still open":         {"git init -q n; " + fmt.Sprintf(python, "false", `f = open("c", "w"); os.link("c", "d"); os.rename("c", "n/.git/config"); f.write(text); f.flush(); open("d", "w").write(text)`), "n", false, false},
		"new, bare, still open":   {"mkdir -p n/objects n/refs; " + fmt.Sprintf(python, "true", `f = open("n/config", "w"); open("h", "w").write("ref: refs/heads/x\n"); os.rename("h", "n/HEAD"); f.write(text); f.flush()`), "n", false, false},
		"new, bare, step by step": {"mkdir -p n/objects; printf '[core]\n\tbare = true\n\tfsmonitor = evil\n' >n/config; echo 'ref: refs/heads/x' >n/HEAD; mkdir n/refs", "n", false, true},
		"new, renamed":            {"mkdir -p n g/objects g/refs; printf '[core]\n\tbare = true\n\tfsmonitor = evil\n' >g/config; mv g n/.git; echo 'ref: refs/heads/x' >n/.git/HEAD", "n", false, false},
		"new, other directory":    {"mkdir -p n/.git o/objects o/refs; printf '[core]\n\tbare = false\n\tfsmonitor = evil\n' >o/config; echo ../../o >n/.git/commondir; echo 'ref: refs/heads/x' >n/.git/HEAD", "n", false, false},
		"new, objects is a socket": {"mkdir -p n/refs n/wt; " + fmt.Sprintf(python, "false", socket("objects")+`open("n/config", "w").write(text)
open("n/HEAD", "w").write("ref: refs/heads/x\n")`), "n", false, true},
		"new, objects is a socket later": {"mkdir -p n/refs n/wt; " + fmt.Sprintf(python, "false", `open("n/config", "w").write(text)
try: open("n/HEAD", "w").write("ref: refs/heads/x\n")
except OSError: pass
`+socket("objects")), "n", false, true},
		"new, HEAD is a socket first": {"mkdir -p n/refs n/objects n/wt; echo 'ref: refs/heads/x' >n/h; " + fmt.Sprintf(python, "false", socket("HEAD")+`open("n/config", "w").write(text)
os.rename("n/h", "n/HEAD")`), "n", false, true},
		"new, HEAD is exchanged with a socket": {"mkdir -p n/refs n/objects n/wt; echo 'ref: refs/heads/x' >n/h; " + fmt.Sprintf(python, "false", socket("HEAD")+`open("n/config", "w").write(text)`) + "; mv --exchange n/h n/HEAD", "n", false, false},
		"new, linked, written by git":          {two + "git worktree add -q ../m; git log -1 --format=%B --output=$d/commondir $c; cat $d/commondir; cd ..", "m", false, false},
		"new, linked, made by hand":            {two + "mkdir -p $d ../m; echo gitdir: $PWD/$d >../m/.git; git log -1 --format=ref:%x20refs/heads/x --output=$d/HEAD; git log -1 --format=%B --output=$d/commondir $c; cd ..", "m", false, false},
		"new, linked, HEAD last":               {two + "mkdir -p $d ../m; echo gitdir: $PWD/$d >../m/.git; echo $e >$d/commondir; git log -1 --format=ref:%x20refs/heads/x --output=$d/HEAD; cd ..", "m", false, false},
		"new, in a directory worktrees":        {"mkdir HEAD objects refs; git init -q -b main worktrees; git -C n log -1 --format=%B 2>/dev/null; c=$(echo ../.. | git commit-tree HEAD^{tree}); git log -1 --format=%B --output=worktrees/.git/commondir $c; printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = evil\n' >config", "worktrees", false, false},
		"new, linked, renamed":                 {two + "git worktree add -q ../m; echo $e >c; mv c $d/commondir; rm $d/commondir; ln c $d/commondir; ln -s $PWD/c $d/commondir; cd ..", "m", false, false},
		"trace":                                {"GIT_TRACE=$PWD/.git/config git status; git diff --no-index --output=.git/config.worktree /dev/null f", ".", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			if _, err := exec.LookPath("python3"); err != nil && strings.Contains(row.line, "python3") {
				t.Skip("python3 is not installed")
			}
			c.put("f", "x\n")
			c.repository(".")
			before := c.text(".git/config")
			r := c.strictly(row.line+"; cd "+row.dir+"; git config core.fsmonitor; cat .git/config.worktree; echo in force: $(git config core.fsmonitor)", row.git)
			if !strings.Contains(r.Text, "in force:\n") {
				t.Errorf("git ran a program of the command: %s", r.Text)
			}
			if named := strings.Contains(r.Text, "could not change core.fsmonitor in "); named != row.settings {
				t.Errorf("the result is %s", r.Text)
			}
			if row.dir == "." && c.text(".git/config") != before {
				t.Errorf("the configuration is %s", c.text(".git/config"))
			}
		})
	}
}

// A command that nobody approved does not make git work elsewhere: in another directory, or in a
// repository whose hooks nobody checks.
func TestSettingsOfGitThatLeadElsewhere(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"git config core.worktree /home", "core.worktree"},
		{"git config core.bare true", "core.bare"},
		{"git config remote.origin.pushurl /tmp/e.git", "remote.origin.pushurl"},
		{"git remote set-url origin /tmp/e.git", "remote.origin.url"},
		{"git remote add evil /tmp/e.git", "remote.evil.url"},
		{"git config url./tmp/e.git.pushInsteadOf https://example.org", "url./tmp/e.git.pushinsteadof"},
		{"git config branch.main.pushRemote /tmp/e.git", "branch.main.pushremote"},
		{"git config remote.pushDefault /tmp/e.git", "remote.pushdefault"},
		{"git config http.cookieFile ~/.bashrc", "http.cookiefile"},
		{"git config extensions.worktreeConfig true; git config --worktree core.worktree /home", "core.worktree"},
		{"git init -q n; git -C n config core.worktree /home", "core.worktree"},
	} {
		c := confineCommands(t)
		c.repository(".")
		c.git("remote", "add", "origin", "https://example.org/x")
		r := c.strictly(row.line, true)
		if !strings.Contains(r.Text, "could not change "+row.want+" in ") {
			t.Errorf("%s: %s", row.line, r.Text)
		}
		for _, name := range []string{".git/config", ".git/config.worktree", "n/.git/config"} {
			if c.exists(name) && strings.Contains(c.text(name), "/tmp/e.git") || c.exists(name) && strings.Contains(c.text(name), "/home") {
				t.Errorf("%s: the configuration is %s", row.line, c.text(name))
			}
		}
	}
}

// The same without the supervisor: the check at the end of the command undoes it.
func TestRemotesAreRevertedAtTheEnd(t *testing.T) {
	c := confineCommands(t)
	c.repository(".")
	c.git("remote", "add", "origin", "https://example.org/x")
	r := c.run("shell", obj{"command": "git config remote.origin.url /tmp/e.git; git config core.worktree /home; mkdir -p .git/remotes .git/branches; echo 'URL: /tmp/e.git' >.git/remotes/evil; echo /tmp/e.git >.git/branches/evil"})
	for _, want := range []string{"they were reverted: core.worktree, remote.origin.url", "created .git/remotes/evil", "created .git/branches/evil"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the result does not contain %q: %s", want, r.Text)
		}
	}
	if text := c.text(".git/config"); !strings.Contains(text, "https://example.org/x") || strings.Contains(text, "/tmp") || strings.Contains(text, "/home") {
		t.Errorf("the configuration is %s", text)
	}
	r = c.sh("git config core.worktree "+c.dir+"; git remote add local ../other", tools.Access{Protected: []string{filepath.Join(c.dir, ".git", "config")}})
	if text := c.text(".git/config"); strings.Contains(r.Text, "reverted") || !strings.Contains(text, "../other") || !strings.Contains(text, "worktree = ") {
		t.Errorf("the approved change was reverted: %s", r.Text)
	}
	if c.exists(".git/remotes/evil") || c.exists(".git/branches/evil") {
		t.Error("a remote of the command stays")
	}
}

// Git in a command that nobody approved gives a repository that existed before no programs,
// also where no scan of the workspace comes.
func TestProgramsOfExistingRepositories(t *testing.T) {
	c := confineCommands(t)
	c.deepTree()
	for _, dir := range []string{"z/one", "z/two", "z/three"} {
		c.repository(dir)
	}
	c.git("init", "-q", "--bare", "z/one/.git/modules/lib")
	r := c.strictly(`for i in hooks/pre-commit config.worktree info/attributes commondir; do echo evil >z/one/.git/modules/lib/$i; done
mkdir -p t/hooks t/info; echo evil >t/hooks/post-checkout; chmod +x t/hooks/post-checkout; echo '* diff=evil' >t/info/attributes
git -C z/one config core.hooksPath "$PWD/t/hooks"
git init -q --template="$PWD/t" z/two
rm z/two/.git/info/*; git -C z/three checkout -q --detach; git diff --no-index --output=z/three/.git/hooks/pre-commit /dev/null a0/f; git diff --no-index --output=z/three/.git/info/attributes /dev/null f`, true)
	for _, want := range []string{"could not change core.hookspath in z/one/.git/config", "could not change z/two/.git/hooks", "could not change z/three/.git/hooks", "could not change z/three/.git/info/attributes"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the result does not say that the command %s:\n%s", want, r.Text)
		}
	}
	for _, name := range []string{
		"z/one/.git/modules/lib/hooks/pre-commit", "z/one/.git/modules/lib/config.worktree", "z/one/.git/modules/lib/info/attributes", "z/one/.git/modules/lib/commondir",
		"z/two/.git/hooks/post-checkout", "z/three/.git/hooks/pre-commit", "z/two/.git/info/attributes", "z/three/.git/info/attributes",
	} {
		if c.exists(name) {
			t.Errorf("%s was created", name)
		}
	}
	if text := c.text("z/one/.git/config"); strings.Contains(text, "hooks") {
		t.Errorf("the configuration is %s", text)
	}
}

// A repository that a command creates, which nobody approved, has no hooks while the command runs.
func TestHooksOfNewRepositories(t *testing.T) {
	for _, line := range []string{
		`git init -q --template="$PWD/t" n`,
		"git init -q n; cp t/hooks/post-checkout n/.git/hooks",
		"git init -q n; ln t/hooks/post-checkout n/.git/hooks; mv n/.git/hooks/update.sample n/.git/hooks/update; ln -s /bin/true n/.git/hooks/pre-push",
		"git init -q n; mv n/.git/hooks h; cp t/hooks/post-checkout h; mv h n/.git/hooks; mkdir n/.git/hooks",
		"git init -q n; rm -r n/.git/hooks; ln -s ../../t/hooks n/.git/hooks",
		"mkdir -p n/.git n/objects n/refs; cp -r t/hooks n; echo 'ref: refs/heads/x' >n/HEAD; ls n/HEAD 2>&1 || rm -r n/hooks",
	} {
		c := confineCommands(t)
		c.put("t/hooks/post-checkout", "evil\n")
		r := c.strictly(line+"; echo in force: $(ls n/.git/hooks/ n/hooks 2>/dev/null | grep -v -e sample -e hooks)", false)
		if !strings.Contains(r.Text, "in force:\n") || !strings.Contains(r.Text, "hooks, which is protected") {
			t.Errorf("%s: %s", line, r.Text)
		}
	}
}

// Git in a command that nobody approved replaces no protected file that exists, also where no
// scan of the workspace comes.
func TestProtectedFilesThatGitReplaces(t *testing.T) {
	c := confineCommands(t)
	c.deepTree()
	files := []string{"z/d/.envrc", "z/d/.vscode/tasks.json", "z/d/.github/workflows/ci.yml"}
	for i, name := range files {
		c.put(name, "mine\n")
		c.put(fmt.Sprintf("e%d", i), "evil\n")
	}
	c.repository(".")
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "x")
	for i, name := range files {
		r := c.strictly(fmt.Sprintf("git mv -f e%d %s; git rm -qf %[2]s", i, name), true)
		if !strings.Contains(r.Text, "which is protected") || c.text(name) != "mine\n" {
			t.Errorf("%s is %q: %s", name, c.text(name), r.Text)
		}
	}
	if r := c.strictly("git mv e0 z/d/.vscode/new.json", true); c.exists("z/d/.vscode/new.json") {
		t.Errorf("a file was added to a protected directory: %s", r.Text)
	}
}

// What git does in its own repositories works in commands that nobody approved.
func TestGitThatRunsNoPrograms(t *testing.T) {
	c := confineCommands(t)
	c.put("lib/f", "x\n")
	c.repository("lib")
	c.git("-C", "lib", "add", "f")
	c.git("-C", "lib", "commit", "-q", "-m", "f")
	c.repository("own")
	c.git("-C", "own", "remote", "add", "r", "../lib")
	const allow = "git -c protocol.file.allow=always "
	for _, row := range []struct {
		line string
		git  bool
	}{
		{"git init -q i && git -C i config user.name n && git init -q i && test -e i/.git/hooks/pre-commit.sample", false},
		{"git init -q --bare b && git -C b config user.name n", false},
		{"git clone -q --no-hardlinks lib c1 && git clone -q --no-hardlinks --bare lib c2 && (cd c1 && git remote add r ../own && git branch --track t origin/HEAD && test -e f)", false},
		{"git init -q g1 && git -C g1 commit -q --allow-empty -m x && git -C g1 worktree add -q ../g2 && git -C g2 config user.name c", false},
		{allow + "clone -q --no-hardlinks --recurse-submodules lib c3 && rm -rf c3", false},
		{"(cd own && git fetch -q r && b=r/$(git -C ../lib branch --show-current) && git branch --track t $b && git branch --set-upstream-to=$b t && git checkout -q --track -b l t && git checkout -q - && git config user.name n)", true},
		{"(cd own && git remote rename r up && git remote add r https://example.org/x && git remote set-url r git@example.org:x && git remote remove r && git push -q -u up HEAD:new && git fetch -q --filter=blob:none up && git remote remove up)", true},
		{"(cd own && git worktree add -q ../own2 && git config extensions.worktreeConfig true && git -C ../own2 config --worktree user.name c && git worktree remove ../own2)", true},
		{"(cd own && " + allow + "submodule --quiet add ../lib m && git commit -qm m && test -e m/f && git -C m config user.name c)", true},
		{"git clone -q --no-hardlinks own c4 && (cd c4 && " + allow + "submodule --quiet update --init m && test -e m/f)", true},
		{"(cd own && git init -q && git sparse-checkout set x && git sparse-checkout disable)", true},
		{"(cd own && " + allow + "submodule --quiet add ../lib n && git submodule --quiet deinit -f n && " + allow + "submodule --quiet update --init n && test -e n/f)", true},
		{"git clone -q --depth 1 file://$PWD/lib c5 && (cd c5 && git fetch -q --unshallow)", true},
		{"git clone -q --filter=blob:none --sparse file://$PWD/lib c6 && (cd c6 && git sparse-checkout set x)", true},
		{"git clone -q --mirror lib c7 && git clone -q --reference lib lib c8 && git init -q --separate-git-dir=s2 s1 && git -C s1 commit -q --allow-empty -m x && git init -q --shared s3", true},
	} {
		if r := c.strictly(row.line, row.git); r.IsError || strings.Contains(r.Text, "protected") || strings.Contains(r.Text, "the command could not") {
			t.Errorf("%s: %s", row.line, r.Text)
		}
	}
	if text := c.text(filepath.Join("own", ".git", "config")); !strings.Contains(text, "name = n") {
		t.Errorf("the configuration is %s", text)
	}
}

// bareWorktree returns a workspace that is a linked worktree of a bare repository, and the path of
// that repository.
func bareWorktree(t *testing.T) (c *confined, bare string) {
	c = confineCommands(t)
	top := filepath.Dir(c.dir)
	bare = filepath.Join(top, "main.git")
	c.repository("../first")
	c.git("clone", "-q", "--bare", "../first", bare)
	c.git("-C", bare, "branch", "precious")
	c.git("-C", bare, "worktree", "add", "-q", filepath.Join(top, "linked"))
	c.in(t, filepath.Join(top, "linked"))
	return c, bare
}

// The bare repository of a linked worktree is protected like a directory with the name .git.
func TestLinkedWorktreeOfABareRepository(t *testing.T) {
	for name, row := range map[string]struct {
		line string
		git  bool
	}{
		"config":                 {"git config core.fsmonitor evil; printf '[core]\n\tfsmonitor = evil\n' >>BARE/config", true},
		"config, without git":    {"printf 'git config core.fsmonitor evil' >y; sh y; printf '[core]\n\tfsmonitor = evil\n' >>BARE/config", false},
		"config.worktree":        {"git config extensions.worktreeConfig true; git config --worktree core.fsmonitor evil", true},
		"objects":                {"echo junk >BARE/refs/heads/precious; rm -rf BARE/objects BARE/packed-refs BARE/refs; mv BARE/refs gone", true},
		"objects, without git":   {"echo junk >BARE/refs/heads/precious; rm -rf BARE/objects BARE/packed-refs BARE/refs; mv BARE/refs gone", false},
		"submodule":              {"rm -rf BARE/worktrees/linked/modules", true},
		"submodule, without git": {"rm -rf BARE/worktrees/linked/modules", false},
	} {
		t.Run(name, func(t *testing.T) {
			c, bare := bareWorktree(t)
			module := filepath.Join(bare, "worktrees/linked/modules/x")
			c.git("clone", "-q", "--bare", "../first", module)
			r := c.strictly(strings.ReplaceAll(row.line, "BARE", bare)+"; echo in force: $(git config core.fsmonitor)", row.git)
			if !strings.Contains(r.Text, "in force:\n") {
				t.Errorf("git ran a program of the command: %s", r.Text)
			}
			c.git("--git-dir", bare, "log", "-1", "precious")
			c.git("--git-dir", module, "log", "-1")
		})
	}
}

// Ordinary work with git in a linked worktree of a bare repository, and in a usual one, succeeds in
// commands that nobody approved.
func TestGitInExistingRepositories(t *testing.T) {
	usual := func(t *testing.T) *confined {
		c := confineCommands(t)
		c.repository("../first")
		c.repository(".")
		return c
	}
	linked := func(t *testing.T) *confined { c, _ := bareWorktree(t); return c }
	for name, start := range map[string]func(*testing.T) *confined{"usual": usual, "linked": linked} {
		t.Run(name, func(t *testing.T) {
			c := start(t)
			c.git("config", "user.name", "n")
			c.git("config", "user.email", "n@example.org")
			for _, line := range []string{
				"echo 1 >f; git add f; git commit -qm f; echo 2 >f; git commit -qam f2; echo 3 >g; git add g; git commit -qm g",
				"git checkout -q -b side HEAD~2; echo s >s; git add s; git commit -qm s; echo t >t; git add t; git commit -qm t",
				"git branch main side@{1}; git merge -q -m m main; git checkout -q -b copy main",
				"git checkout -q -b pick main~1; git cherry-pick side~1 side; git revert --no-edit HEAD HEAD~1",
				"git checkout -q -b up main~1; echo u >u; git add u; git commit -qm u; git rebase -q side",
				"GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~2; git rebase -q --apply HEAD~1; git rebase -q --root",
				"git checkout -q -b left main; echo l >f; git commit -qam l; git checkout -q -b right main; echo r >f; git commit -qam r; echo v >v; git add v; git commit -qm v",
				"! git rebase left; echo lr >f; git add f; GIT_EDITOR=true git rebase --continue; test -e v",
				"! git rebase main^0 --onto left HEAD~1 || true; git rebase --abort || true",
				"git format-patch -q -o p HEAD~1; git reset -q --hard HEAD~1; git am -q p/*; rm -r p",
				"echo 9 >f; git stash -q; git stash pop -q; git checkout -q f",
				"git bisect start HEAD HEAD~3; git bisect good; git bisect reset",
				"git fetch -q ../first; git remote add s https://example.org/x; git remote remove s; git tag x; git gc -q; git repack -q -a -d; git pack-refs --all",
				"git worktree add -q -b wt ./wt; git -C wt commit -q --allow-empty -m x; git -C wt rebase -q HEAD~1; git worktree remove ./wt; git branch -q -D wt",
				"git clone -q --no-hardlinks . c; rm -rf c; git config user.name c",
				"git -c protocol.file.allow=always submodule --quiet add ../first m; git commit -qm m; git submodule --quiet deinit -f m; git -c protocol.file.allow=always submodule --quiet update --init m; test -e m/.git",
			} {
				if r := c.strictly("set -e; "+line, true); r.IsError || r.Blocked != nil || strings.Contains(r.Text, "the command could not") {
					t.Errorf("%s: %s", line, r.Text)
				}
			}
		})
	}
}

// A new worktree of a repository that existed before gets no settings of a new repository.
func TestSettingsOfANewWorktree(t *testing.T) {
	c := confineCommands(t)
	c.repository(".")
	r := c.strictly(`git config extensions.worktreeConfig true; git worktree add -q w; cd w; git config --worktree remote.r.url "$TMPDIR/evil"; git remote`, true)
	if !strings.Contains(r.Text, "could not change remote.r.url") || strings.Contains(r.Text, "\nr\n") {
		t.Errorf("got %s", r.Text)
	}
}

// A script in a command that nobody approved adds no programs to a rebase of the user.
func TestProgramsOfARebase(t *testing.T) {
	const list = ".git/rebase-merge/git-rebase-todo"
	for name, line := range map[string]string{
		"output":    `c=$(printf 'exec evil\n' | git commit-tree HEAD^{tree}); git log -1 --format=%B --output=TODO $c; git log -1 --format=%B --output=TODO.lock $c`,
		"checkout":  `mkdir x; echo exec evil >x/git-rebase-todo; git -C x --work-tree=. add git-rebase-todo; rm TODO; git --work-tree=.git/rebase-merge checkout-index -f git-rebase-todo; git --work-tree=.git/rebase-merge checkout -f -- .`,
		"directory": `mkdir x; echo exec evil >x/git-rebase-todo; mv x .git/rebase-merge; rm -r .git/rebase-merge; mv x .git/rebase-merge; ln -s ../x .git/rebase-merge`,
		"trace": `GIT_TRACE=$PWD/TODO git -c 'alias.x=!true
exec evil
#' x`,
		"edit":     `GIT_SEQUENCE_EDITOR='sed -i 1iexec\ evil' git rebase --edit-todo; GIT_SEQUENCE_EDITOR='echo x evil >' git rebase --edit-todo`,
		"new exec": `git rebase --abort; git rebase -x evil side`,
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.repository(".")
			for _, text := range []string{"f", "1", "2", "3"} {
				c.put("f", text)
				c.git("add", "f")
				c.git("commit", "-q", "-m", text)
			}
			c.git("checkout", "-q", "-b", "side", "HEAD~3")
			c.put("f", "side")
			c.git("commit", "-q", "-a", "-m", "side")
			c.git("checkout", "-q", "-")
			if err := exec.Command("git", "-C", c.dir, "rebase", "side").Run(); err == nil {
				t.Fatal("the rebase has no conflict")
			}
			r := c.strictly(strings.ReplaceAll(line, "TODO", list), true)
			if c.exists(list) && strings.Contains(c.text(list), "evil") {
				t.Errorf("the rebase runs a program of the command: %s", r.Text)
			}
		})
	}
}

// A merge strategy can be a program that git runs when the user continues. A command that nobody
// approved chooses only those of git.
func TestStrategiesOfContinuedCommands(t *testing.T) {
	for name, row := range map[string]struct {
		line, file, want string // want is a part of the file; without it, the file has no "evil"
	}{
		"pick":         {"git cherry-pick --strategy=/evil HEAD~2..side", ".git/sequencer/opts", ""},
		"revert":       {"git revert --no-edit -s /evil HEAD~2..HEAD", ".git/sequencer/opts", ""},
		"rebase":       {"git rebase -s /evil side", ".git/rebase-merge/strategy", ""},
		"output":       {"git cherry-pick -x HEAD~2..side; c=$(printf '[options]\nstrategy = evil\n' | git commit-tree HEAD^{tree}); git log -1 --format=%B --output=.git/sequencer/opts $c", ".git/sequencer/opts", "record-origin"},
		"directory":    {"mkdir x; printf '[options]\nstrategy = evil\n' >x/opts; mv x .git/sequencer", ".git/sequencer/opts", ""},
		"strategy":     {"git cherry-pick --strategy=resolve -x HEAD~2..side", ".git/sequencer/opts", "strategy = resolve"},
		"other":        {"git cherry-pick -x --signoff HEAD~2..side", ".git/sequencer/opts", "signoff = true"},
		"continue":     {"git cherry-pick -x HEAD~2..side; echo 5 >f; git add f; git -c core.editor=true cherry-pick --continue; echo 6 >f; git add f; git -c core.editor=true cherry-pick --continue; test ! -e .git/sequencer && echo ended >done", "done", "ended"},
		"abort":        {"git cherry-pick -x HEAD~2..side; git cherry-pick --abort; test ! -e .git/sequencer && echo ended >done", "done", "ended"},
		"quit a merge": {"git rebase side; git rebase --quit; test ! -e .git/rebase-merge && echo ended >done", "done", "ended"},
	} {
		t.Run(name, func(t *testing.T) {
			c := confineCommands(t)
			c.repository(".")
			for _, text := range []string{"f", "1", "2"} {
				c.put("f", text)
				c.git("add", "f")
				c.git("commit", "-q", "-m", text)
			}
			c.git("checkout", "-q", "-b", "side", "HEAD~2")
			for _, text := range []string{"3", "4"} {
				c.put("f", text)
				c.git("commit", "-q", "-a", "-m", text)
			}
			c.git("checkout", "-q", "-")
			r := c.strictly(row.line, true)
			text := ""
			if c.exists(row.file) {
				text = c.text(row.file)
			}
			if strings.Contains(text, "evil") || !strings.Contains(text, row.want) {
				t.Errorf("%s: %q: %s", row.file, text, r.Text)
			}
		})
	}
}
