package policy_test

import (
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/tools/git"
)

// Git commands that print contents of files need approval if a rule for reading could apply to a
// file that they do not name.
func TestRulesForReadingAndGit(t *testing.T) {
	dir := committed(t, "secret.txt", "src/a.go", "private/key", "cafe.txt")
	at := policy.Paths{Workspace: dir, Home: filepath.Dir(dir), Sandbox: policy.SandboxFull, Git: git.NewReader()}
	const secret, private = "deny read: secret.txt", "ask read: private/**"
	for _, c := range []struct{ rules, command, want string }{
		{"", "git diff", "private"},
		{"", "git log -p", "private"},
		{"", "git show HEAD:secret.txt", "private"},
		{"deny edit: secret.txt", "git diff", "private"},
		{"deny read: ~/elsewhere/x", "git diff", "private"},
		{secret, "git diff", "asks"},
		{secret, "git --no-pager diff HEAD", "asks"},
		{secret, "cd src && git diff", "asks"},
		{secret, "git diff | head", "asks"},
		{secret, "git diff HEAD~1..HEAD", "asks"},
		{secret, "git diff --stat -p", "asks"},
		{secret, "git diff -- ':(glob)*.txt'", "asks"},
		{secret, "git diff -- 'se*'", "asks"},
		{secret, "git diff -- .", "asks"},
		{secret, "git diff -- secret.txt", "denied"},
		{secret, "git diff secret.txt", "denied"},
		{secret, "git diff 1234abcd -- main.go", "asks"},
		{secret, "git show", "asks"},
		{secret, "git show HEAD", "asks"},
		{secret, "git show HEAD:secret.txt", "denied"},
		{secret, "cd src && git show HEAD:secret.txt", "asks"},
		{secret, "git show --stat 1234abcd", "asks"},
		{secret, "cd src && git show --stat HEAD:./../secret.txt", "denied"},
		{secret, "git log -p", "asks"},
		{secret, "git log --binary -1", "asks"},
		{secret, "git show --remerge-diff", "asks"},
		{secret, "git -C . log -p -1", "asks"},
		{secret, "git -c a.b=c show", "asks"},
		{secret, "git cat-file --batch-all-objects --batch", "asks"},
		{secret, "git log -U1", "asks"},
		{secret, "git log -p --follow -- main.go", "asks"},
		{secret, "git log -p --full-diff -- main.go", "asks"},
		{secret, "git log -L1,1:secret.txt", "denied"},
		{secret, "git log -S key", "asks"},
		{secret, "git show --stat -G'k.y' HEAD", "asks"},
		{secret, "git diff --name-only -Skey HEAD~1", "asks"},
		{"", "git log --oneline -S key", "private"},
		{secret, "git stash show -p", "asks"},
		{secret, "git reflog -p", "asks"},
		{secret, "git status -v", "asks"},
		{secret, "git cat-file -p 1234abcd", "asks"},
		{secret, "git grep x", "asks"},
		{secret, "git grep main.go", "asks"},
		{secret, "git grep -- main.go", "asks"},
		{secret, "git grep x -- secret.txt", "denied"},
		{secret, "git blame secret.txt", "denied"},
		{secret, "git diff-tree -p HEAD", "asks"},
		{private, "git log -p -- private", "asks"},
		{private, "git log -p -- private/key", "asks"},
		{private, "git log -p -- privat", "private"},
		{"ask read: gone/x", "git log -p -- gone", "asks"},

		{secret, "git status", "private"},
		{secret, "git log --oneline -5", "private"},
		{secret, "git diff --stat", "private"},
		{secret, "git diff --name-only HEAD~1", "private"},
		{secret, "git show --stat HEAD~2", "private"},
		{secret, "git diff -- main.go", "private"},
		{secret, "git diff main.go src", "private"},
		{secret, "git diff HEAD -- main.go src/a.go", "private"},
		{secret, "git log -p HEAD -- src", "private"},
		{secret, "git show HEAD -- main.go", "private"},
		{secret, "git grep x -- src", "private"},
		{secret, "git blame main.go", "private"},
		{secret, "git stash list", "private"},
		{secret, "git cat-file -t 1234abcd", "private"},
		{secret + "; " + private, "git diff src/a.go", "private"},
	} {
		p := policy.Policy{Mode: event.ModeAll, Rules: rules(t, c.rules)}
		if got := outcome(asks(&p, at, run(dir, c.command))); got != c.want {
			t.Errorf("rules %q: %s: got %s, want %s", c.rules, c.command, got, c.want)
		}
	}
}
