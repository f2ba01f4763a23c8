//go:build unix

package command_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/policy/command"
)

// TestAutomaticLinesChangeNothing runs the automatic lines of testdata/lines.txt and
// compares the files in and beside their workspace before and after.
func TestAutomaticLinesChangeNothing(t *testing.T) {
	if _, err := os.Stat(shell); err != nil || testing.Short() {
		t.Skip("runs programs of this system with " + shell)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "lines.txt"))
	if err != nil {
		t.Fatal(err)
	}
	env := workspace(t)
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	variables := append(command.Environment(os.Environ(), func(string) bool { return false }), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GOFLAGS=", "GOPROXY=off", "GOCACHE="+t.TempDir())
	if out, err := exec.Command("git", "-C", env.Dir, "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("git init: %v: %s", err, out)
	}
	root := filepath.Dir(env.Dir)
	before := snapshot(t, root)
	for line := range strings.Lines(string(text)) {
		verdict, line, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if verdict != "auto" || slow(line) {
			continue
		}
		script, ok := command.Judge(line, env).Script("git-part")
		if !ok {
			t.Errorf("%s has no script", line)
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		cmd := exec.CommandContext(ctx, shell, "--norc", "--noprofile", "-c", script)
		cmd.Dir, cmd.Env, cmd.WaitDelay = env.Dir, variables, time.Second
		_ = cmd.Run() // many of the programs are missing, or fail in an empty repository
		if ctx.Err() != nil {
			t.Errorf("%s does not end", line)
		}
		cancel()
		after := snapshot(t, root)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s changed files:\n%s", line, diff)
		}
		before = after
	}
}

// slow reports whether a line takes seconds.
func slow(line string) bool {
	return strings.Contains(line, "sleep") || strings.Contains(line, "pip") || strings.Contains(line, "npm")
}

// snapshot lists the files below dirs with their sizes and times.
func snapshot(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
