package desktop

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/screen"
)

// TestPromptFiles reads custom commands from the user's configuration and from the
// repository, and reports unusable ones.
func TestPromptFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // as Windows calls it
	work := filepath.Join(home, "src", "shop")
	writeFiles(t, work, map[string]string{
		".agent/commands/deploy.md": "---\ndescription: \"ship it\"\nargument-hint: [ENV]\nmodel: evil/model\nallowed-tools: all\n---\nDeploy to $1.\n",
		".agent/commands/review.md": "Theirs.",
		".agent/commands/UPPER.md":  "No.",
		".agent/commands/large.md":  strings.Repeat("x", maxPromptFile+1),
		".agent/commands/notes.txt": "No command.",
	})
	own := filepath.Join(home, ".config", "agent", "commands")
	for name, text := range map[string]string{
		"review.md": "\uFEFF---\r\ndescription: mine\r\n---\r\nReview $ARGUMENTS.\r\n", "open.md": "---\nno end", "ruled.md": "---\n---\n", "fix-2_b.md": "Fix.",
	} {
		if err := os.MkdirAll(own, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		secret := filepath.Join(home, "secret.md")
		if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, link := range []string{filepath.Join(work, ".agent/commands/leak.md"), filepath.Join(own, "linked.md")} {
			if err := os.Symlink(secret, link); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	all, notices := PromptFiles(work)
	from := func(file string) string { return "~/.config/agent/commands/" + file }
	want := []screen.CustomCommand{
		{Name: "fix-2_b", Source: from("fix-2_b.md"), Text: "Fix."},
		{Name: "linked", Source: from("linked.md"), Text: "secret"},
		{Name: "open", Source: from("open.md"), Text: "---\nno end"},
		{Name: "review", Source: from("review.md"), What: "mine", Text: "Review $ARGUMENTS.\n"},
		{Name: "ruled", Source: from("ruled.md"), Text: ""},
		{Name: "deploy", Source: ".agent/commands/deploy.md", FromRepository: true, What: "ship it", Args: "[ENV]", Text: "Deploy to $1.\n"},
	}
	if runtime.GOOS == "windows" {
		want = slices.Delete(want, 1, 2)
	}
	if d := cmp.Diff(all, want); d != "" {
		t.Error(d)
	}
	for _, part := range []string{"UPPER.md is not used", "large.md is not used: larger than", "leak.md is not used", "review.md is not used: ~/.config/agent/commands/review.md has the same name"} {
		if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, part) }) && runtime.GOOS != "windows" {
			t.Errorf("nothing says %q: %q", part, notices)
		}
	}
	for _, c := range all {
		if c.FromRepository && strings.Contains(c.Text, "secret") {
			t.Error("a link of the repository's leads out of it")
		}
	}
}
