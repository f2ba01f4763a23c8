//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/loop/policy/command"
)

// fill creates the files of a workspace at dir, and some beside it in root.
func fill(t testing.TB, root, dir string) {
	t.Helper()
	for _, name := range []string{
		"main.go", "a.txt", "b.txt", "victim.txt", "log.txt", "evil.sh", "x.json", ".env", ".hidden", "src/one.go", "src/two.go", "src/deep/three.go",
		"options/--pre=sh", "options/a.txt", "spaces/a b.txt", "it's/q.txt", "../outside.txt", "../work-evil/x.txt", "pinned/rust-toolchain.toml", "bin/ls",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// workspace returns the environment of a workspace with some files.
func workspace(t testing.TB) command.Env {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "work")
	fill(t, root, dir)
	inside := func(path string) bool {
		rel, err := filepath.Rel(dir, resolve(path))
		return err == nil && filepath.IsLocal(rel)
	}
	return command.Env{
		Dir: dir,
		LookPath: func(name string) string {
			switch name {
			case "colrm": // as if a directory of the workspace were on the PATH
				return filepath.Join(dir, "bin", name)
			case "col":
				return "bin/col"
			case "cargo", "rustc":
				return "/home/ann/.cargo/bin/" + name
			case "tree", "fd", "jq": // not installed
				return ""
			}
			return "/usr/bin/" + name
		},
		Inside: inside,
		Readable: func(path string) string {
			switch {
			case !inside(path):
				return "it is outside the workspace"
			case filepath.Base(path) == ".env":
				return "it may hold secrets"
			}
			return ""
		},
		Look: command.Look,
		Glob: func(dir, pattern string) ([]string, error) {
			entries := command.MaxEntries
			return command.Glob(dir, pattern, &entries, false)
		},
		Git: func(dir string) (string, string) {
			if !inside(dir) {
				return "", "it is outside the workspace"
			}
			return "the workspace", ""
		},
	}
}

// resolve returns path without symbolic links and "..", which applies after links are
// resolved. The path may not exist.
func resolve(path string) string {
	at := "/"
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		at = filepath.Join(at, name)
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
	}
	return at
}
