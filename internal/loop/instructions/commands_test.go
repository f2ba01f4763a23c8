package instructions

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Custom commands are read from the user's directories and the repository's, and
// notices name unusable ones.
func TestCommands(t *testing.T) {
	p, home, work := newProject(t, map[string]string{
		"src/shop/.agent/commands/deploy.md":  "---\ndescription: \"ship it\"\nargument-hint: [ENV]\nmodel: evil/model\nallowed-tools: all\n---\nDeploy to $1.\n",
		"src/shop/.agent/commands/review.md":  "Theirs.",
		"src/shop/.agent/commands/UPPER.md":   "No.",
		"src/shop/.agent/commands/large.md":   strings.Repeat("x", maxCommand+1),
		"src/shop/.agent/commands/notes.txt":  "No command.",
		"src/shop/.claude/commands/status.md": "Now:\n!`touch canary`",
		".config/agent/commands/review.md":    "\uFEFF---\r\ndescription: mine\r\n---\r\nReview $ARGUMENTS.\r\n",
		".config/agent/commands/open.md":      "---\nno end",
		".config/agent/commands/ruled.md":     "---\n---\n",
		".config/agent/commands/fix-2_b.md":   "Fix.",
		".claude/commands/plan.md":            "Plan.",
		"notes.md":                            "own notes",
	})
	link(t, filepath.Join(home, "notes.md"), filepath.Join(work, ".agent/commands/leak.md"))
	link(t, filepath.Join(home, "notes.md"), filepath.Join(home, ".config/agent/commands/linked.md"))
	all := p.Commands()
	want := []Command{
		{Name: "fix-2_b", Source: "~/.config/agent/commands/fix-2_b.md", Text: "Fix."},
		{Name: "linked", Source: "~/.config/agent/commands/linked.md", Text: "own notes"},
		{Name: "open", Source: "~/.config/agent/commands/open.md", Text: "---\nno end"},
		{Name: "review", Source: "~/.config/agent/commands/review.md", What: "mine", Text: "Review $ARGUMENTS.\n"},
		{Name: "ruled", Source: "~/.config/agent/commands/ruled.md", Text: ""},
		{Name: "plan", Source: "~/.claude/commands/plan.md", Text: "Plan."},
		{Name: "deploy", Source: ".agent/commands/deploy.md", FromRepository: true, What: "ship it", Args: "[ENV]", Text: "Deploy to $1.\n"},
		{Name: "status", Source: ".claude/commands/status.md", FromRepository: true, Text: "Now:\n!`touch canary`"},
	}
	if d := cmp.Diff(all, want); d != "" {
		t.Error(d)
	}
	wantNotices(t, p.Notices(), "UPPER.md is not used", "large.md is not used: larger than",
		"leak.md is not used: it is a symbolic link that leads out of the repository",
		"review.md is not used: ~/.config/agent/commands/review.md has the same name")
}

// newProject writes files below a new home directory and opens the project in
// src/shop, which is a repository.
func newProject(t *testing.T, files map[string]string) (p *Project, home, work string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work = filepath.Join(home, "src", "shop")
	write(t, filepath.Join(work, ".git", "HEAD"), "ref: refs/heads/main\n")
	for name, text := range files {
		write(t, filepath.Join(home, filepath.FromSlash(name)), text)
	}
	return openAt(home, work), home, work
}

func openAt(home, dir string) *Project {
	return Open(Options{
		Dir: dir, Home: home, Config: filepath.Join(home, ".config", "agent"),
		Show: func(path string) string {
			if rel, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
				return "~/" + filepath.ToSlash(rel)
			}
			return path
		},
		Withheld: withheld,
		IsName: func(name string) bool {
			return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
		},
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// wantNotices checks that each of parts is in a notice, and that there are no others.
func wantNotices(t *testing.T, notices []string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, part) }) {
			t.Errorf("no notice says %q: %q", part, notices)
		}
	}
	if len(notices) != len(parts) {
		t.Errorf("got %d notices, want %d: %q", len(notices), len(parts), notices)
	}
}
