package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agent/cmd/agent/trust"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A script that a command names in a usual way belongs to what is confirmed, so that a
// change of it waits for a new confirmation.
func TestChangedScriptsAreNoticed(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"./scripts/check.sh", "sh scripts/check.sh --fix", `"$CLAUDE_PROJECT_DIR"/scripts/check.sh`, "$CLAUDE_PROJECT_DIR/scripts/check.sh",
		"${PWD}/scripts/check.sh", "cd scripts && ./check.sh", "cd ./scripts; sh check.sh", "sh ROOT/scripts/check.sh", "$(git rev-parse --show-toplevel)/scripts/check.sh",
	} {
		root := t.TempDir()
		command = strings.ReplaceAll(command, "ROOT", root)
		write(t, root, "scripts/check.sh", "echo good")
		write(t, root, "sub/x", "")
		for _, dir := range []string{root, filepath.Join(root, "sub")} {
			write(t, root, "scripts/check.sh", "echo good")
			before := trust.Programs(root, dir, command)
			write(t, root, "scripts/check.sh", "echo evil")
			after := trust.Programs(root, dir, command)
			if !strings.Contains(before, "echo good") || !strings.Contains(after, "echo evil") {
				t.Errorf("%s in %s: %q, then %q", command, dir, before, after)
			}
		}
	}
}

// Two different sets of files never have the same description.
func TestDescriptionsOfFilesAreDistinct(t *testing.T) {
	t.Parallel()
	one, two := t.TempDir(), t.TempDir()
	write(t, one, "a.sh", "echo a\n")
	write(t, one, "b.sh", "echo b\n")
	write(t, two, "a.sh", strings.TrimPrefix(trust.Programs(one, one, "a.sh b.sh"), "\n--- a.sh (7 bytes)\n"))
	if trust.Programs(one, one, "a.sh b.sh") == trust.Programs(two, two, "a.sh b.sh") {
		t.Error("the text of one file describes two")
	}
}

func TestManyFilesAndLinks(t *testing.T) {
	t.Parallel()
	root, command := t.TempDir(), ""
	for i := range 150 {
		name := fmt.Sprintf("f%d.sh", i)
		write(t, root, name, "echo good")
		command += " " + name
	}
	if got := trust.Programs(root, root, command); strings.Count(got, "echo good") != 100 || !strings.Contains(got, "and more files. They are not shown") {
		t.Errorf("got %q", got[max(0, len(got)-200):])
	}
	if runtime.GOOS == "windows" {
		return
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "out.sh")); err != nil {
		t.Fatal(err)
	}
	if got := trust.Programs(root, root, "./out.sh"); !strings.Contains(got, "a link to "+outside) {
		t.Errorf("got %q", got)
	}
}

// A hostile command does not take long, and nothing outside the repository is looked for.
func TestHostileWords(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a/a/a/x", "")
	for _, command := range []string{strings.Repeat("a/", 60_000), strings.Repeat("a/a/a/ b/c/d/e ", 10_000), strings.Repeat("../", 60_000) + "etc/passwd", "/etc/passwd"} {
		if got := trust.Programs(root, root, command); strings.Contains(got, "root:") {
			t.Errorf("got %q", got)
		}
	}
}
