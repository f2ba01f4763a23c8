//go:build unix

package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/sampling"
	"agent/internal/tools"
	"agent/internal/tools/git"
	"agent/internal/tools/workspace"
)

// commandIn returns the call of a command in dir.
func commandIn(dir, line string) tools.Call {
	return tools.Call{Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: line, Dir: dir}}}
}

// judgeInPlan judges a call in permission mode plan.
func judgeInPlan(at policy.Paths, c tools.Call) policy.Verdict {
	p := policy.Policy{Mode: event.ModePlan}
	return p.Judge(c, at.Look(context.Background(), c))
}

// emptyDir returns a new directory, free of symbolic links.
func emptyDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func putFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// trap is a repository in which every known mechanism of git runs a program that leaves
// a file with the name of the mechanism.
type trap struct {
	dir, home, marks string
}

// program returns the path of a program that leaves a mark and prints its input.
func (r trap) program(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(r.dir, ".git", "programs", name)
	putFile(t, file, "#!/bin/sh\n: > "+filepath.Join(r.marks, name)+"\ncat \"${1:-/dev/null}\" 2>/dev/null\n")
	return file
}

// left returns the marks, and removes them.
func (r trap) left(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(r.marks)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		if err := os.Remove(filepath.Join(r.marks, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// git runs git as a user does, with the configuration of the repository unless quiet.
func (r trap) git(t *testing.T, quiet bool, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil && quiet {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// trapFiles are the files of a trap, each with other attributes.
var trapFiles = []string{"a.txt", "b.txt", "c.md", "d.go", "e.c", "f.h"}

// newTrap returns a trap with two commits, a tag, a stash, a submodule and changed files.
func newTrap(t *testing.T) trap {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	r := trap{dir: emptyDir(t), home: emptyDir(t), marks: emptyDir(t)}
	t.Setenv("HOME", r.home)
	t.Setenv("XDG_CONFIG_HOME", "")
	r.git(t, true, "init", "-q", "-b", "main")
	inner := trap{dir: filepath.Join(r.dir, "inner"), marks: r.marks}
	putFile(t, filepath.Join(inner.dir, "c.txt"), "one\n")
	inner.git(t, true, "init", "-q")
	inner.git(t, true, "add", ".")
	inner.git(t, true, "commit", "-q", "-m", "Inner")
	for _, name := range trapFiles {
		putFile(t, filepath.Join(r.dir, name), "one\n")
	}
	putFile(t, filepath.Join(r.dir, ".gitmodules"), "[submodule \"inner\"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n")
	r.git(t, true, "-c", "advice.addEmbeddedRepo=false", "add", ".")
	r.git(t, true, "commit", "-q", "-m", "First")
	putFile(t, filepath.Join(r.dir, "b.txt"), "stashed\n")
	r.git(t, true, "stash", "-q")
	putFile(t, filepath.Join(r.dir, "b.txt"), "two\n")
	r.git(t, true, "commit", "-q", "-a", "-m", "Second")
	r.git(t, true, "tag", "v1")
	r.sign(t)
	r.plant(t, inner)
	for _, name := range trapFiles {
		putFile(t, filepath.Join(r.dir, name), "changed\n")
	}
	putFile(t, filepath.Join(inner.dir, "c.txt"), "changed\n")
	return r
}

// sign adds a commit with a signature that nothing has checked.
func (r trap) sign(t *testing.T) {
	t.Helper()
	file := filepath.Join(r.dir, ".git", "signed")
	putFile(t, file, fmt.Sprintf("tree %s\nparent %s\nauthor a <a@example.org> 1 +0000\ncommitter a <a@example.org> 1 +0000\n"+
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nSigned\n", r.git(t, true, "rev-parse", "HEAD^{tree}"), r.git(t, true, "rev-parse", "HEAD")))
	r.git(t, true, "reset", "-q", "--soft", r.git(t, true, "hash-object", "-t", "commit", "-w", file))
}

// plant adds the mechanisms.
func (r trap) plant(t *testing.T, inner trap) {
	t.Helper()
	at := func(name string) string { return r.program(t, name) }
	add := func(file, text string) {
		old, _ := os.ReadFile(file) // a new file
		putFile(t, file, string(old)+text)
	}
	add(filepath.Join(r.dir, ".git/config"), fmt.Sprintf(`
[core]
	fsmonitor = %s
	pager = %s
	hooksPath = .git/hooks
	sshCommand = %s
	editor = %s
	attributesFile = .git/attributes
[log]
	showSignature = true
[gpg]
	program = %s
[diff]
	external = %s
	submodule = diff
[status]
	submoduleSummary = true
[submodule]
	recurse = true
[filter "clean"]
	clean = %s
	smudge = %s
	required = true
[filter "file"]
	clean = %s
[filter "process"]
	process = %s
[diff "text"]
	textconv = %s
[diff "command"]
	command = %s
[credential]
	helper = %s
[interactive]
	diffFilter = %s
[alias]
	st = !%s
	log = !%s
[include]
	path = included
[remote "origin"]
	url = ssh://example.invalid/x
	fetch = +refs/heads/*:refs/remotes/origin/*
	promisor = true
[extensions]
	worktreeConfig = true
	partialClone = origin
`, at("fsmonitor"), at("pager"), at("ssh"), at("editor"), at("gpg"), at("external"), at("clean"), at("smudge"), at("file"), at("process"),
		at("textconv"), at("command"), at("credential"), at("interactive"), at("alias"), at("alias")))
	add(filepath.Join(r.dir, ".git/config.worktree"), "[core]\n\tfsmonitor = "+at("fsmonitor")+"\n[filter \"worktree\"]\n\tclean = "+at("worktree")+"\n")
	add(filepath.Join(r.dir, ".git/included"), "[filter \"included\"]\n\tclean = "+at("included")+"\n")
	add(filepath.Join(r.home, ".gitconfig"), "[filter \"user\"]\n\tclean = "+at("user")+"\n[trace2]\n\tnormalTarget = "+filepath.Join(r.marks, "trace2")+"\n")
	add(filepath.Join(r.dir, ".git/attributes"), "f.h filter=file\n")
	add(filepath.Join(r.dir, ".gitattributes"), "a.txt filter=clean diff=text\nb.txt filter=process\n*.md filter=user\n*.go filter=worktree diff=command\n*.c filter=included\n")
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-commit", "post-checkout", "fsmonitor-watchman"} {
		if err := os.Rename(at("hook"), filepath.Join(r.dir, ".git/hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	add(filepath.Join(inner.dir, ".git/config"), "[core]\n\tfsmonitor = "+at("submodule")+"\n[filter \"inner\"]\n\tclean = "+at("submodule")+"\n")
	putFile(t, filepath.Join(inner.dir, ".gitattributes"), "* filter=inner\n")
	for name, program := range map[string]string{"GIT_EXTERNAL_DIFF": "variable", "GIT_PAGER": "variable", "PAGER": "variable", "GIT_SSH_COMMAND": "variable", "GIT_EDITOR": "variable"} {
		t.Setenv(name, at(program))
	}
	t.Setenv("GIT_TRACE", filepath.Join(r.marks, "trace"))
}

// runJudged runs a command with the shell tool as the verdict says.
func runJudged(t *testing.T, dir string, c tools.Call, v policy.Verdict) tools.Result {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	args, err := json.Marshal(map[string]any{"command": c.Targets[0].Value})
	if err != nil {
		t.Fatal(err)
	}
	call, err := tools.Commands{Workspace: w, MaxOutput: 1 << 20}.Tools(nil)[0].Prepare(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	got, err := call.Run(t.Context(), tools.Approved{Script: v.Script, Environment: v.Environment, Access: v.Access})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// gitLines returns a line for each subcommand of git.txt and for each of its options.
// Options that several subcommands share are in the lines of the first of them.
func gitLines(t *testing.T) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("policy/command/git.txt")
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	for row := range strings.Lines(string(text)) {
		fields := strings.Fields(row)
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		if fields[0][0] == '+' {
			groups[fields[0]] = fields[1:]
			continue
		}
		name, _, _ := strings.Cut(fields[0], ",")
		operand := map[string]string{"grep": " -e one", "blame": " a.txt", "stash": " list", "cat-file": " HEAD", "check-attr": " filter a.txt", "symbolic-ref": " HEAD",
			"ls-tree": " HEAD", "merge-base": " HEAD HEAD^", "diff-tree": " -p HEAD", "diff-index": " -p HEAD", "diff-files": " -p", "name-rev": " HEAD", "shortlog": " HEAD",
			"rev-list": " HEAD", "check-ignore": " a.txt", "cherry": " HEAD^"}[name]
		lines = append(lines, "git "+name+operand)
		var all []string
		for _, o := range fields[2:] {
			if o[0] == '+' {
				all = append(all, groups[o]...)
				delete(groups, o)
			} else {
				all = append(all, o)
			}
		}
		for _, o := range all {
			o = strings.TrimRight(o, "!?<")
			switch {
			case strings.HasSuffix(o, "="):
				lines = append(lines, "git "+name+" "+o+"1"+operand)
			case strings.HasPrefix(o, "--"):
				lines = append(lines, "git "+name+" "+o+operand)
			case strings.HasSuffix(o, ":"):
				lines = append(lines, "git "+name+" -"+o[1:2]+"1"+operand)
			default:
				for _, letter := range strings.ReplaceAll(o[1:], "#", "1") {
					lines = append(lines, "git "+name+" -"+string(letter)+operand)
				}
			}
		}
	}
	return lines
}

// git commands that only read run in every mode, and none of the programs that the
// repository, the user's configuration or the environment names runs.
func TestGitRunsWithoutConfiguration(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	r := newTrap(t)
	r.left(t)
	at := policy.Paths{Workspace: r.dir, Home: r.home, Git: git.NewReader()}
	judge := func(line string) (tools.Call, policy.Verdict) {
		c := commandIn(r.dir, line)
		return c, judgeInPlan(at, c)
	}
	var automatic []string
	all := gitLines(t)
	for _, line := range all {
		if _, v := judge(line); v.Script != "" {
			automatic = append(automatic, line)
		}
	}
	if len(automatic)*100 < len(all)*85 {
		t.Errorf("only %d of %d lines are automatic", len(automatic), len(all))
	}
	check := func(lines ...string) string {
		c, v := judge(strings.Join(lines, "; "))
		if v.Script == "" {
			t.Fatalf("%q needs approval: %s", lines, v.Why)
		}
		got := runJudged(t, r.dir, c, v)
		if left := r.left(t); left != nil {
			t.Errorf("programs ran: %v, by one of %q … %q", left, lines[0], lines[len(lines)-1])
		}
		return got.Text
	}
	const batch = 60 // lines that one shell runs
	for _, lines := range sampling.List(slices.Collect(slices.Chunk(automatic, batch))) {
		check(lines...)
	}
	for line, want := range map[string]string{
		"git log -p --stat": "Second", "git diff": "+changed", "git diff HEAD^^ --stat -p": "-one", "git show -p HEAD HEAD^": "-one", "git stash show -p": "+stashed",
		"git stash list": "WIP on main", "git remote -v": "ssh://example.invalid/x (fetch)", "git status": "modified:   a.txt", "git status --ignore-submodules=none": "On branch main",
		"git diff --ignore-submodules=none": "+changed", "git reflog show HEAD": "commit: Second", "git blame -w b.txt": "changed", "git tag": "v1", "git branch -vv": "* main",
		"cd inner && git status && git diff": "+changed", "git diff | head -n 3": "index", "timeout 9 git log -p": "Second", "command git log -p": "Second", "git rev-parse --git-dir": r.dir + "/.git",
		"git check-attr filter a.txt": "filter: clean", "git grep -n one HEAD": "a.txt:1:one",
		"git range-diff HEAD^..HEAD HEAD^..HEAD": "Signed",
	} {
		if got := check(line); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	r.proves(t)
}

// In a line that mixes commands with a permission and git commands that only read, each
// of the latter runs without the configuration of the repository, even if a command before
// it has changed that configuration. The other commands run as they are.
func TestGitInMixedLines(t *testing.T) {
	r := newTrap(t)
	config, err := os.ReadFile(filepath.Join(r.dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	bin := emptyDir(t)
	putFile(t, filepath.Join(bin, "go"), "#!/bin/sh\ncp .git/prepared .git/config\nenv | grep ^GIT_ | sort\n")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	at := policy.Paths{Workspace: r.dir, Home: r.home, Git: git.NewReader()}
	p := policy.Policy{Mode: event.ModeAsk}
	allow := commandIn(r.dir, "go test")
	p.Allow(p.Judge(allow, at.Look(t.Context(), allow)).Offer)
	for _, line := range []string{
		"go test && git diff", "git log --oneline -1; go test; git status && git diff", "go test | git diff", "go test && timeout 9 git diff", "go test; command git diff", "go test && cd inner && cd .. && git diff HEAD",
	} {
		putFile(t, filepath.Join(r.dir, ".git/prepared"), string(config))
		putFile(t, filepath.Join(r.dir, ".git/config"), "[core]\n\tbare = false\n")
		r.left(t)
		c := commandIn(r.dir, line)
		v := p.Judge(c, at.Look(t.Context(), c))
		if v.Ask || v.Refuse || v.Access.Private {
			t.Errorf("%s: %+v", line, v)
			continue
		}
		got := runJudged(t, r.dir, c, v).Text
		if left := r.left(t); left != nil {
			t.Errorf("%s: programs ran: %v", line, left)
		}
		if !strings.Contains(got, "+changed") || strings.Contains(got, "GIT_DIR") || !strings.Contains(line, "|") && !strings.Contains(got, "GIT_EXTERNAL_DIFF") {
			t.Errorf("%s: got %s", line, got)
		}
		if now, _ := os.ReadFile(filepath.Join(r.dir, ".git/config")); string(now) != string(config) {
			t.Errorf("%s: the first command did not set the trap", line)
		}
	}
	r.proves(t)
}

// proves reports mechanisms of the trap that run nothing with a git that reads its
// configuration. The others are only reached with a terminal or a network.
func (r trap) proves(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"status"}, {"-c", "core.fsmonitor=", "status"}, {"diff"}, {"log", "-p"}, {"st"}} {
		r.git(t, false, args...)
	}
	for _, name := range trapFiles {
		r.git(t, false, "add", name)
	}
	for _, name := range []string{"GIT_EXTERNAL_DIFF", "GIT_TRACE"} {
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	putFile(t, filepath.Join(r.dir, "a.txt"), "changed again\n")
	r.git(t, false, "-c", "core.fsmonitor=", "diff", "HEAD", "--", "a.txt")
	r.git(t, false, "config", "--unset", "diff.external")
	r.git(t, false, "-c", "core.fsmonitor=", "diff", "HEAD", "--", "d.go")
	fired := r.left(t)
	for _, name := range []string{"alias", "clean", "command", "external", "file", "fsmonitor", "gpg", "hook", "included", "process", "submodule", "textconv", "trace", "trace2", "user", "variable", "worktree"} {
		if !slices.Contains(fired, name) {
			t.Errorf("the test proves nothing about %s: git ran only %v", name, fired)
		}
	}
}

// git needs approval where it would read something outside the workspace, and where
// its configuration cannot be left out.
func TestGitNeedsApproval(t *testing.T) {
	r, other := newTrap(t), newTrap(t)
	at := policy.Paths{Workspace: r.dir, Git: git.NewReader()}
	why := func(line string) string {
		c := commandIn(r.dir, line)
		return judgeInPlan(at, c).Why
	}
	file := func(name, text string) { putFile(t, filepath.Join(r.dir, name), text) }
	file("sub/x.txt", "x")
	if got := why("git log") + why("cd sub && git log"); got != "" {
		t.Fatalf("git log needs approval: %s", got)
	}
	for _, c := range []struct{ line, want string }{
		{"git -C sub log", "uses another repository"},
		{"cd " + other.dir + " && git log", "outside the workspace"},
		{"git status && cd inner && git log", "several git repositories"},
		{"git status && make", "make"},
		{"git config --list", "git config"},
		{"git worktree list", "git worktree"},
	} {
		if got := why(c.line); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
	allowed := policy.Policy{Mode: event.ModeAsk}
	for _, line := range []string{"go test", "git add ."} {
		c := commandIn(r.dir, line)
		allowed.Allow(allowed.Judge(c, at.Look(t.Context(), c)).Offer)
	}
	for line, want := range map[string]bool{"go test && git add .": false, "go test && git log": false} {
		c := commandIn(r.dir, line)
		if v := allowed.Judge(c, at.Look(t.Context(), c)); v.Ask != want {
			t.Errorf("%s with a permission for its other command: %+v", line, v)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"sub/.git", "gitdir: " + other.dir + "/.git\n", "outside the workspace"},
		{"sub/.git", "gitdir: " + other.dir + "/.git/worktrees/x\n", "cannot be read"},
		{".git/objects/info/alternates", other.dir + "/.git/objects\n", "outside the workspace"},
		{".git/objects/info/alternates", "\"" + other.dir + "/.git/objects\"\n", "cannot be listed"},
		{".git/reftable", "x", "format"},
	} {
		file(c.name, c.text)
		if got := why("cd sub && git log"); !strings.Contains(got, c.want) {
			t.Errorf("%s %q: got %q, want %q", c.name, c.text, got, c.want)
		}
		if err := os.Remove(filepath.Join(r.dir, c.name)); err != nil {
			t.Fatal(err)
		}
	}
	logs := filepath.Join(r.dir, ".git/logs")
	if err := errors.Join(os.RemoveAll(logs), os.Symlink(filepath.Join(other.dir, ".git/logs"), logs)); err != nil {
		t.Fatal(err)
	}
	if got := why("git reflog"); !strings.Contains(got, "outside the workspace") {
		t.Errorf("logs of another repository: got %q", got)
	}
}

// A linked worktree may read the repository that lists it. Outside a repository, git
// says so. Commands leave nothing in the temporary directory.
func TestGitInWorktrees(t *testing.T) {
	r := newTrap(t)
	linked := filepath.Join(emptyDir(t), "linked")
	r.git(t, true, "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "--no-checkout", "-b", "topic", linked)
	r.left(t)
	temp := emptyDir(t)
	t.Setenv("TMPDIR", temp)
	for _, c := range []struct{ dir, line, want string }{
		{linked, "git log --oneline", "Second"},
		{linked, "git branch --show-current", "topic"},
		{linked, "git rev-parse --git-dir", "/.git/worktrees/linked"},
		{emptyDir(t), "git status", "not a git repository"},
		{emptyDir(t), "git version", "git version"},
	} {
		call := commandIn(c.dir, c.line)
		v := judgeInPlan(policy.Paths{Workspace: c.dir, Git: git.NewReader()}, call)
		if v.Script == "" {
			t.Errorf("%s in %s needs approval: %s", c.line, c.dir, v.Why)
			continue
		}
		if got := runJudged(t, c.dir, call, v).Text; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
	if left := r.left(t); left != nil {
		t.Errorf("programs ran: %v", left)
	}
	entries, err := os.ReadDir(temp)
	if err != nil || len(entries) > 0 {
		t.Errorf("got %v in the temporary directory (%v)", entries, err)
	}
}

// Git shows no contents of files whose names say that they hold secrets.
func TestGitHidesSecrets(t *testing.T) {
	r := newTrap(t)
	quiet := []string{"-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"}
	for _, text := range []string{"hidden-one\n", "hidden-two\n"} {
		for _, name := range []string{".env", "sub/.ENV.local", "server.pem"} {
			putFile(t, filepath.Join(r.dir, name), text)
		}
		putFile(t, filepath.Join(r.dir, ".env.example"), "example-"+text)
		r.git(t, true, append(quiet, "add", ".env", "sub", "server.pem", ".env.example")...)
		r.git(t, true, append(quiet, "commit", "-q", "-m", "Secrets")...)
	}
	putFile(t, filepath.Join(r.dir, ".env"), "hidden-three\n")
	putFile(t, filepath.Join(r.dir, "untracked.env"), "hidden-four\n")
	r.left(t)
	at := policy.Paths{Workspace: r.dir, Git: git.NewReader()}
	for _, line := range []string{"git diff", "git log -p", "git show", "git diff HEAD^", "git grep hidden", "git diff-tree -p HEAD"} {
		c := commandIn(r.dir, line)
		v := judgeInPlan(at, c)
		if v.Script == "" {
			t.Errorf("%s needs approval: %s", line, v.Why)
			continue
		}
		if got := runJudged(t, r.dir, c, v).Text; strings.Contains(strings.ReplaceAll(got, "example-hidden", ""), "hidden-") {
			t.Errorf("%s: got %s", line, got)
		}
	}
	for _, line := range []string{
		"git show HEAD:.env", "git show :.env", "git show :0:.env", "git cat-file -p HEAD:sub/.ENV.local", "git blame .env", "git log -L1,1:.env", "git diff .env", "git diff -a", "git diff --text", "git log -p --binary", "git grep -a hidden",
	} {
		if v := judgeInPlan(at, commandIn(r.dir, line)); !v.Refuse {
			t.Errorf("%s runs as %q", line, v.Script)
		}
	}
	c := commandIn(r.dir, "git show HEAD:.env.example")
	if v := judgeInPlan(at, c); v.Script == "" || !strings.Contains(runJudged(t, r.dir, c, v).Text, "example-hidden-two") {
		t.Errorf("an example of a file with secrets: %+v", v)
	}
}
