//go:build unix

package git_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/git"
)

// hang is the time after which a test fails.
const hang = 20 * time.Second

// plain runs git in dir like a user without a configuration.
func plain(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository returns a repository with two commits, a changed file, a staged file and an
// untracked one.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir := t.TempDir()
	plain(t, dir, "init", "-q", "-b", "topic/one")
	write(t, dir, "a.txt", "one\n")
	write(t, dir, "sub/b.txt", "one\n")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-q", "-m", "First")
	write(t, dir, "sub/b.txt", "two\n")
	plain(t, dir, "commit", "-q", "-a", "-m", "Second: ünïcode")
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "staged.txt", "new\n")
	plain(t, dir, "add", "staged.txt")
	write(t, dir, "new.txt", "new\n")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// facts returns what the package says of a directory.
func facts(t *testing.T, dir string) (branch string, status, commits []string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hang)
	defer stop()
	r, ok := git.Open(dir)
	if !ok {
		t.Fatalf("%s is in no repository", dir)
	}
	s, err := r.Session(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if status, err = s.Status(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if commits, err = s.Commits(ctx, 5); err != nil {
		t.Fatal(err)
	}
	return r.Branch(), status, commits
}

func subjects(commits []string) (all []string) {
	for _, c := range commits {
		_, subject, _ := strings.Cut(c, " ")
		all = append(all, subject)
	}
	return all
}

var (
	wantStatus  = []string{" M a.txt", "A  staged.txt", "?? new.txt"}
	wantCommits = []string{"Second: ünïcode", "First"}
)

func check(t *testing.T, dir string, wantBranch string, want, commits []string) {
	t.Helper()
	branch, status, log := facts(t, dir)
	if branch != wantBranch {
		t.Errorf("got the branch %q, want %q", branch, wantBranch)
	}
	if d := cmp.Diff(status, want); d != "" {
		t.Errorf("status: got (-), want (+):\n%s", d)
	}
	if d := cmp.Diff(subjects(log), commits); d != "" {
		t.Errorf("commits: got (-), want (+):\n%s", d)
	}
}

func TestStatusAndCommits(t *testing.T) {
	dir := repository(t)
	check(t, dir, "topic/one", wantStatus, wantCommits)
	t.Run("subdirectory", func(t *testing.T) {
		check(t, filepath.Join(dir, "sub"), "topic/one", []string{" M ../a.txt", "A  ../staged.txt", "?? ../new.txt"}, wantCommits)
	})
	t.Run("packed branches", func(t *testing.T) {
		plain(t, dir, "pack-refs", "--all")
		check(t, dir, "topic/one", wantStatus, wantCommits)
	})
	t.Run("a commit instead of a branch", func(t *testing.T) {
		head := plain(t, dir, "rev-parse", "HEAD")
		plain(t, dir, "checkout", "-q", "--detach")
		check(t, dir, head[:8], wantStatus, wantCommits)
	})
	t.Run("linked worktree", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "other")
		plain(t, dir, "worktree", "add", "-q", "-b", "two", other, "HEAD")
		write(t, other, "only-here.txt", "x\n")
		check(t, other, "two", []string{"?? only-here.txt"}, wantCommits)
	})
	t.Run("shallow clone", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "other")
		plain(t, dir, "clone", "-q", "--depth=1", "--branch=topic/one", "file://"+dir, other)
		check(t, other, "topic/one", nil, wantCommits[:1])
	})
	t.Run("sha256", func(t *testing.T) {
		other := t.TempDir()
		plain(t, other, "init", "-q", "-b", "main", "--object-format=sha256")
		write(t, other, "a.txt", "a\n")
		plain(t, other, "add", ".")
		plain(t, other, "commit", "-q", "-m", "Only")
		check(t, other, "main", nil, []string{"Only"})
	})
	t.Run("no commits", func(t *testing.T) {
		other := t.TempDir()
		plain(t, other, "init", "-q", "-b", "main")
		write(t, other, "a.txt", "a\n")
		check(t, other, "main", []string{"?? a.txt"}, nil)
	})
	t.Run("ignored files", func(t *testing.T) {
		home := t.TempDir()
		t.Setenv("HOME", home)
		write(t, home, ".gitconfig", "[core]\n\texcludesFile = ~/mine\n")
		write(t, home, "mine", "by-user\n")
		write(t, dir, ".git/info/exclude", "by-repository\n")
		write(t, dir, "by-user", "")
		write(t, dir, "by-repository", "")
		check(t, dir, plain(t, dir, "rev-parse", "HEAD")[:8], wantStatus, wantCommits)
	})
}

type hostileCase struct {
	config, attributes string
	hook               string // name of the hook
	triggered          []string
}

// plant makes a repository hostile. It returns the file that its programs write.
func (c hostileCase) plant(t *testing.T, dir string) (canary string) {
	t.Helper()
	canary = filepath.Join(t.TempDir(), "canary")
	program := filepath.Join(t.TempDir(), "program")
	write(t, filepath.Dir(program), "program", "#!/bin/sh\ntouch "+canary+"\ncat\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	config := strings.ReplaceAll(c.config, "%s", program)
	text, err := os.ReadFile(filepath.Join(dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".git/config", string(text)+config)
	write(t, dir, ".git/evil", strings.ReplaceAll("[filter \"evil\"]\n\tclean = %s\n[core]\n\tfsmonitor = %s\n", "%s", program))
	if c.attributes != "" {
		write(t, dir, ".git/info/attributes", c.attributes)
		write(t, dir, ".gitattributes", c.attributes)
	}
	if c.hook != "" {
		link(t, program, filepath.Join(dir, ".git/hooks", c.hook))
	}
	// Another time than in the index, but the same size: git must read the file, through its filters.
	old := time.Unix(1e9, 0)
	if err := os.Chtimes(filepath.Join(dir, "sub/b.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	return canary
}

// hostile are ways in which a repository makes git run a program. Each program writes a
// file. %s stands for it. Triggered is a git command that runs the program if git trusts
// the repository.
var hostile = map[string]hostileCase{
	"filter":          {config: "[filter \"evil\"]\n\tclean = %s\n\tsmudge = %s\n\trequired = true\n", attributes: "* filter=evil\n", triggered: []string{"status", "--short"}},
	"process filter":  {config: "[filter \"evil\"]\n\tprocess = %s\n", attributes: "* filter=evil\n", triggered: []string{"status", "--short"}},
	"fsmonitor":       {config: "[core]\n\tfsmonitor = %s\n", triggered: []string{"status", "--short"}},
	"signature":       {config: "[gpg]\n\tprogram = %s\n[log]\n\tshowSignature = true\n", triggered: []string{"log", "-1"}},
	"textconv":        {config: "[diff \"evil\"]\n\ttextconv = %s\n", attributes: "* diff=evil\n", triggered: []string{"diff"}},
	"external diff":   {config: "[diff]\n\texternal = %s\n", triggered: []string{"diff"}},
	"diff command":    {config: "[diff \"evil\"]\n\tcommand = %s\n", attributes: "* diff=evil\n", triggered: []string{"diff"}},
	"pager":           {config: "[core]\n\tpager = %s\n[pager]\n\tlog = %s\n\tstatus = %s\n", triggered: []string{"-p", "log", "-1"}},
	"alias":           {config: "[alias]\n\tstatus = !%s\n\tlog = !%s\n\tst = !%s\n", triggered: []string{"st"}},
	"hook":            {hook: "post-index-change", triggered: []string{"add", "new.txt"}},
	"hooks directory": {config: "[core]\n\thooksPath = hooks\n", hook: "../../hooks/post-index-change", triggered: []string{"add", "new.txt"}},
	"ssh":             {config: "[core]\n\tsshCommand = %s\n[remote \"origin\"]\n\turl = ssh://example.invalid/x\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n"},
	"include":         {config: "[include]\n\tpath = evil\n"},
	"editor":          {config: "[core]\n\teditor = %s\n\taskPass = %s\n[credential]\n\thelper = %s\n"},
	"worktree":        {config: "[core]\n\tworktree = /\n\texcludesFile = /etc/passwd\n\tattributesFile = /etc/passwd\n"},
}

// No program that a repository names runs.
func TestHostileRepositoriesRunNothing(t *testing.T) {
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			dir := repository(t)
			if name == "signature" {
				signed(t, dir)
			}
			canary := c.plant(t, dir)
			_, status, commits := facts(t, dir)
			if _, err := os.Stat(canary); err == nil {
				t.Error("a program of the repository ran")
			}
			if !slices.Contains(status, " M a.txt") || len(commits) < 2 {
				t.Errorf("got the status %q and the commits %q", status, commits)
			}
			if c.triggered == nil {
				return
			}
			cmd := exec.Command("git", c.triggered...)
			cmd.Dir = dir
			out, _ := cmd.CombinedOutput()
			if _, err := os.Stat(canary); err != nil && name != "pager" { // a pager runs only on a terminal
				t.Errorf("the test proves nothing: git %v ran no program: %s", c.triggered, out)
			}
		})
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(name)
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// signed adds a commit with a signature, which nothing has checked.
func signed(t *testing.T, dir string) {
	t.Helper()
	tree := plain(t, dir, "rev-parse", "HEAD^{tree}")
	parent := plain(t, dir, "rev-parse", "HEAD")
	text := fmt.Sprintf("tree %s\nparent %s\nauthor a <a@example.org> 1 +0000\ncommitter a <a@example.org> 1 +0000\n"+
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nSigned\n", tree, parent)
	write(t, dir, ".git/signed", text)
	plain(t, dir, "reset", "-q", "--soft", plain(t, dir, "hash-object", "-t", "commit", "-w", filepath.Join(dir, ".git/signed")))
}

// A submodule's own configuration is not read.
func TestHostileSubmodulesRunNothing(t *testing.T) {
	dir, inner := repository(t), repository(t)
	plain(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "inner")
	canary := filepath.Join(t.TempDir(), "canary")
	plain(t, filepath.Join(dir, "inner"), "config", "core.fsmonitor", "touch "+canary+"; false")
	write(t, dir, "inner/a.txt", "changed\n")
	if _, status, _ := facts(t, dir); slices.Contains(status, "AM inner") {
		t.Errorf("got %q, want nothing about the content of the submodule", status)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program of the submodule ran")
	}
	plain(t, dir, "status", "--short")
	if _, err := os.Stat(canary); err != nil {
		t.Error("the test proves nothing: git status ran no program")
	}
}

// A git in the repository itself does not run.
func TestGitOfTheRepositoryDoesNotRun(t *testing.T) {
	dir := repository(t)
	canary := filepath.Join(t.TempDir(), "canary")
	write(t, dir, "bin/git", "#!/bin/sh\ntouch "+canary+"\n")
	if err := os.Chmod(filepath.Join(dir, "bin/git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "bin"), "bin", "./bin"} {
		t.Setenv("PATH", path+":"+os.Getenv("PATH"))
		t.Chdir(dir)
		r, _ := git.Open(dir)
		if s, err := r.Session(t.Context()); err == nil {
			s.Close()
			t.Errorf("PATH %s: got no error", path)
		}
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("it ran")
	}
}

// Pipes in place of git's files do not block.
func TestPipesDoNotBlock(t *testing.T) {
	for _, name := range []string{"HEAD", "config", "info/exclude", "packed-refs"} {
		t.Run(name, func(t *testing.T) {
			dir := repository(t)
			file := filepath.Join(dir, ".git", filepath.FromSlash(name))
			_ = os.Remove(file)
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Skip(err)
			}
			if _, status, _ := facts(t, dir); len(status) == 0 {
				t.Error("got no status")
			}
		})
	}
}

// Nothing of the repository changes, not even its index, and no temporary file stays.
func TestNothingIsWritten(t *testing.T) {
	dir := repository(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	before := contents(t, dir)
	facts(t, dir)
	if d := cmp.Diff(contents(t, dir), before); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if left := contents(t, tmp); len(left) > 0 {
		t.Errorf("got %v in the temporary directory", left)
	}
}

// contents returns the files below dir with their sizes and times.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(dir, func(name string, fi os.FileInfo, err error) error {
		if err == nil && !fi.IsDir() {
			all[name] = fmt.Sprint(fi.Size(), fi.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Branch reads no pipe in place of a git file.
func TestBranchOfAPipe(t *testing.T) {
	for _, name := range []string{".git", ".git/HEAD"} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		r, ok := git.Open(dir)
		if got := r.Branch(); got != "" || !ok {
			t.Errorf("%s: got %q, %v, want no branch in a repository", name, got, ok)
		}
	}
}
