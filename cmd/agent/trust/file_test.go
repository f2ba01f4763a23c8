package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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

// programs returns the text of trust.Programs.
func programs(root, dir string, commands ...string) string {
	text, _ := trust.Programs(root, dir, commands...)
	return text
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
			before := programs(root, dir, command)
			write(t, root, "scripts/check.sh", "echo evil")
			after := programs(root, dir, command)
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
	write(t, two, "a.sh", strings.TrimPrefix(programs(one, one, "a.sh b.sh"), "\n--- a.sh (7 bytes)\n"))
	if programs(one, one, "a.sh b.sh") == programs(two, two, "a.sh b.sh") {
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
	if got := programs(root, root, command); strings.Count(got, "echo good") != 100 || !strings.Contains(got, "and 50 more files that are not shown (SHA-256 of all ") {
		t.Errorf("got %q", got[max(0, len(got)-200):])
	}
	if runtime.GOOS == "windows" {
		return
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "out.sh")); err != nil {
		t.Fatal(err)
	}
	if got := programs(root, root, "./out.sh"); !strings.Contains(got, "a link to "+outside) {
		t.Errorf("got %q", got)
	}
}

// A hostile command does not take long, and nothing outside the repository is looked for.
func TestHostileWords(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a/a/a/x", "")
	for _, command := range []string{strings.Repeat("a/", 60_000), strings.Repeat("a/a/a/ b/c/d/e ", 10_000), strings.Repeat("../", 60_000) + "etc/passwd", "/etc/passwd"} {
		if got := programs(root, root, command); strings.Contains(got, "root:") {
			t.Errorf("got %q", got)
		}
	}
}

// A file is read-only with the links that lead to it, except for a link in the root.
func TestPathsOfPrograms(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "tools/real/check.sh", "")
	for link, target := range map[string]string{"tools/one.sh": "more/two.sh", "tools/more/two.sh": "../real/check.sh", "top": "tools/real"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	_, got := trust.Programs(root, root, "tools/one.sh; top/check.sh; missing.sh")
	var want []string
	for _, name := range []string{"tools", "tools/more", "tools/real/check.sh", "tools/real/check.sh"} {
		want = append(want, filepath.Join(root, filepath.FromSlash(name)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
