//go:build unix

package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
)

// A command runs in the directory that was approved, or not at all.
func TestCommandRunsWhereItWasApproved(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"gone": {func(dir string) error { return os.Remove(filepath.Join(dir, "sub")) }, "sub no longer exists"},
		"a file": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "sub")); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "sub"), nil, 0o600)
		}, "sub no longer exists"},
		"replaced": {func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "old")); err != nil {
				return err
			}
			return os.Mkdir(filepath.Join(dir, "sub"), 0o755)
		}, "sub was replaced after the command was approved"},
		"a link": {func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "old")); err != nil {
				return err
			}
			return os.Symlink("evil", filepath.Join(dir, "sub"))
		}, "sub was replaced after the command was approved"},
	} {
		for _, tool := range []string{"shell", "jobs"} {
			t.Run(name+" "+tool, func(t *testing.T) {
				ws, dir := newWorkspace(t, map[string]string{"evil/x": ""})
				if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
					t.Fatal(err)
				}
				cmds := newCommands(t, ws, tools.NewJobs())
				cmds.run("shell", obj{"command": "cd sub"})
				args := obj{"command": "touch ran"}
				if tool == "jobs" {
					args["action"] = "start"
				}
				call, err := cmds.prepare(tool, args)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := call.Targets[0].Dir, filepath.Join(dir, "sub"); got != want {
					t.Errorf("got directory %s, want %s", got, want)
				}
				if err := c.change(dir); err != nil {
					t.Fatal(err)
				}
				_, err = call.Run(t.Context(), tools.Approved{})
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "the command did not run") {
					t.Errorf("got %v, want %s", err, c.want)
				}
				for _, place := range []string{"ran", "sub/ran", "old/ran", "evil/ran"} {
					if _, err := os.Stat(filepath.Join(dir, place)); err == nil {
						t.Errorf("it ran in %s", filepath.Dir(place))
					}
				}
			})
		}
	}
}

// A later command that changes the directory does not affect a command that is
// already approved.
func TestApprovedCommandKeepsItsDirectory(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"sub/x": ""})
	cmds := newCommands(t, ws, nil)
	call, err := cmds.prepare("shell", obj{"command": "pwd"})
	if err != nil {
		t.Fatal(err)
	}
	cmds.run("shell", obj{"command": "cd sub"})
	r, err := call.Run(t.Context(), tools.Approved{})
	if err != nil || !strings.HasPrefix(r.Text, dir+"\n") {
		t.Errorf("got %q, %v, want it to run in %s", r.Text, err, dir)
	}
}

// A file is not written if a symbolic link replaced one of its directories after
// the approval.
func TestDirectoryReplacedByALinkIsNotWritten(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a file": {"d/hook": "old\n", "real/hook": "old\n"}, "a new file": {"d/x": "", "real/x": ""},
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, files)
			call, err := prepare(t, ws, "write", obj{"path": "d/hook", "content": "new\n"})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("real", filepath.Join(dir, "d")); err != nil {
				t.Fatal(err)
			}
			_, err = call.Run(t.Context(), tools.Approved{Changes: call.Changes})
			if err == nil || !strings.Contains(err.Error(), "now leads through a symbolic link") {
				t.Errorf("got %v, want it refused", err)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "real", "hook")); err == nil && string(b) == "new\n" {
				t.Error("it was written")
			}
		})
	}
}

// No tool shows, lists or changes what is in a hidden directory.
func TestHiddenDirectory(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"state/keys/secrets.json": "the secret key\n", "state/keys2": "no secret\n"})
	if err := os.Link(filepath.Join(dir, "state", "keys", "secrets.json"), filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("state/keys", filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	ws.Hide(filepath.Join(dir, "none"), filepath.Join(dir, "state", "keys"))
	for _, name := range []string{"state/keys/secrets.json", "alias/secrets.json", "hard", filepath.Join(dir, "alias", "secrets.json")} {
		for tool, args := range map[string]obj{
			"read":   {"path": name},
			"write":  {"path": name, "content": "mine"},
			"edit":   {"path": name, "old": "secret", "new": "mine"},
			"search": {"path": name, "pattern": "secret"},
		} {
			r, err := call(t, ws, tool, args)
			if err == nil || !strings.Contains(err.Error(), "tools cannot read or change it") {
				t.Errorf("%s %s: got %q, %v", tool, name, r.Text, err)
			}
		}
	}
	for _, name := range []string{"state/keys/new", "alias/new", "none"} {
		if _, err := call(t, ws, "write", obj{"path": name, "content": "mine"}); err == nil {
			t.Errorf("a tool makes %s", name)
		}
	}
	if err := os.Remove(filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", "state"} {
		r, err := call(t, ws, "search", obj{"path": path, "pattern": "secret"})
		if err != nil || strings.Contains(r.Text, "the secret key") || !strings.Contains(r.Text, "no secret") {
			t.Errorf("search %s: got %q, %v", path, r.Text, err)
		}
	}
	if r, err := call(t, ws, "list", obj{"path": "state/keys"}); err == nil {
		t.Errorf("listed %q", r.Text)
	}
}

// A directory stays hidden if the one that contains it is moved, and a link leads to the new
// place.
func TestHiddenDirectoryThatMoves(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"state/keys/a": "the secret key\n", "pub/other": "no secret\n"})
	ws.Hide(filepath.Join(dir, "state", "keys"))
	for _, at := range []string{"state", "pub/state"} {
		if r, err := call(t, ws, "search", obj{"path": ".", "pattern": "secret"}); err != nil || strings.Contains(r.Text, "key") || !strings.Contains(r.Text, "no secret") {
			t.Errorf("%s: got %q, %v", at, r.Text, err)
		}
		if r, err := call(t, ws, "read", obj{"path": at + "/keys/a"}); err == nil {
			t.Errorf("read %q", r.Text)
		}
		if at == "state" {
			if err := os.Rename(filepath.Join(dir, "state"), filepath.Join(dir, "pub", "state")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("pub/state", filepath.Join(dir, "state")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// No tool shows or changes a hidden file, under any of its names.
func TestHiddenFile(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"state/permissions.key": "the secret key\n", "state/other": "no secret\n"})
	if err := os.Symlink("state/permissions.key", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(dir, "state", "permissions.key"), filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("state", filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	ws.Hide(filepath.Join(dir, "alias", "permissions.key"))
	for _, name := range []string{"state/permissions.key", "link", "hard", "alias/permissions.key", filepath.Join(dir, "state/permissions.key")} {
		for tool, args := range map[string]obj{
			"read":   {"path": name},
			"write":  {"path": name, "content": "mine"},
			"edit":   {"path": name, "old": "secret", "new": "mine"},
			"search": {"path": name, "pattern": "secret"},
		} {
			r, err := call(t, ws, tool, args)
			if err == nil || !strings.Contains(err.Error(), "tools cannot read or change it") {
				t.Errorf("%s %s: got %q, %v", tool, name, r.Text, err)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", "state", "alias"} {
		r, err := call(t, ws, "search", obj{"path": path, "pattern": "secret"})
		if err != nil || strings.Contains(r.Text, "key") || !strings.Contains(r.Text, "no secret") {
			t.Errorf("search %s: got %q, %v", path, r.Text, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "state", "permissions.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, ws, "write", obj{"path": "state/permissions.key", "content": "mine"}); err == nil {
		t.Error("a tool makes the key where there is none")
	}
}
