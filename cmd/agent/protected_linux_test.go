package main

import (
	"os"
	"path/filepath"
	"testing"
)

// An approval of a command includes the protected paths that the question names: the
// user answers once.
func TestProtectedPathsNeedOneAnswer(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.env = append(h.env, at(serve(t, call("shell", shellCall("echo x >.git/hooks/pre-push; mkdir .vscode; echo {} >.vscode/settings.json; echo x >.envrc")), say("All done.")))...)
	a := h.open(t, 120, 40)
	a.wait("? help")
	a.send("go" + enter)
	a.asked("Run this command in", ".git/hooks/pre-push is protected", ".vscode/settings.json is protected", ".envrc is protected")
	a.send("1")
	a.wait("All done.", "? help")
	for name, want := range map[string]string{".git/hooks/pre-push": "x\n", ".vscode/settings.json": "{}\n", ".envrc": "x\n"} {
		if got, err := os.ReadFile(filepath.Join(h.work, name)); string(got) != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	a.send("\x03\x03")
	a.exit()
}

// The configuration of all version control systems, and what direnv reads, is protected from
// commands that nobody approved. What the systems themselves write is not.
func TestCommandsCannotConfigureVersionControl(t *testing.T) {
	t.Parallel()
	h := repository(t)
	refused := []string{".hg/hgrc", ".hg/hgrc-not-shared", ".hg/sharedpath", ".sl/config", ".jj/repo/config.toml", ".jj/workspace-config.toml", "_darcs/prefs/defaults", ".bzr/branch/branch.conf", ".envrc.local", ".direnv", "mise/config.toml", ".devcontainer.json"}
	allowed := []string{".hg/dirstate", ".sl/store", ".jj/repo/store", "_darcs/prefs/author", ".bzr/branch/last-revision", "mise/x", "repo/config.toml", "new/.hg/dirstate", "new/.jj/repo/store"}
	for _, name := range append([]string{"linked/.jj/x"}, allowed...) {
		h.put(t, filepath.Dir(name)+"/there", "")
	}
	script := "echo ../../evil >linked/.jj/repo\n" +
		"mkdir -p copy/.hg made/.hg cloned/.hg\nprintf '[hooks]\\nstatus = x\\n' >copy/.hg/hgrc\nprintf '# see hg help\\n[paths]\\ndefault = https://example.org/r\\n\\n[ui]\\n# username = x\\n' >cloned/.hg/hgrc\necho x >made/.hg/requires\n"
	for _, name := range append(refused, allowed...) {
		script += "echo x >" + name + "\n"
	}
	h.put(t, "all.sh", script)
	s := serve(t, call("shell", shellCall("sh all.sh; true")), say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	there := func(name string) bool { _, err := os.Lstat(filepath.Join(h.work, name)); return err == nil }
	for _, name := range append(refused, "linked/.jj/repo", "copy/.hg/hgrc") {
		if there(name) {
			t.Errorf("a command wrote %s", name)
		}
	}
	for _, name := range append(allowed, "cloned/.hg/hgrc", "made/.hg/requires", "copy/.hg/hgrc.agent-removed") {
		if !there(name) {
			t.Errorf("no command could write %s", name)
		}
	}
}

// A command that nobody approved cannot change files that a rule denies or asks to edit, although
// its text does not name them.
func TestRulesForEditsAndScripts(t *testing.T) {
	t.Parallel()
	h := repository(t)
	for _, name := range []string{"kept/deep/a.txt", "docs/a.md", "docs/sub/b.md", "free.txt"} {
		h.put(t, name, "old\n")
	}
	h.put(t, "put.sh", "for f in kept/deep/a.txt docs/a.md docs/sub/b.md free.txt; do echo new >$f; echo new >n; mv n $f; rm -f n; done; mv kept other; mv docs others; echo new >docs/c.md\n")
	flags := []string{"--deny", "edit: kept/deep/a.txt", "--deny", "edit: docs/**"}
	for _, more := range [][]string{{"--mode", "all"}, {"--mode", "auto"}, {"--allow", "command: sh put.sh"}} {
		got := sandboxRunAs(t, h, append(more, flags...), "shell", shellCall("sh put.sh"))["call_0"]
		for name, want := range map[string]string{"kept/deep/a.txt": "old\n", "docs/a.md": "old\n", "docs/sub/b.md": "old\n", "free.txt": "new\n"} {
			if text := readText(t, filepath.Join(h.work, name)); text != want {
				t.Errorf("%v: %s holds %q\n%s", more, name, text, got)
			}
		}
		if _, err := os.Stat(filepath.Join(h.work, "docs/c.md")); err == nil {
			t.Errorf("%v: the command created docs/c.md", more)
		}
		h.put(t, "free.txt", "old\n")
	}
}
