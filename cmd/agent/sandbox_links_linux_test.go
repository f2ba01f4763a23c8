package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A link in the workspace, which a command or the repository may have made, shows nothing of
// the home directory and makes nothing there writable, although a path of a toolchain leads
// through it.
func TestLinksInTheWorkspaceShowNothing(t *testing.T) {
	t.Parallel()
	h := repository(t)
	docs := filepath.Join(h.dir, "docs")
	for name, text := range map[string]string{"docs/secret.txt": "SECRET\n", "docs/bin/tool": "SECRET TOOL\n", ".ssh/id_rsa": "SECRET KEY\n"} {
		file := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.put(t, "venv/pyvenv.cfg", "")
	h.put(t, "dots/README", "")
	for link, target := range map[string]string{
		filepath.Join(h.work, "venv", "bin"):       docs,
		filepath.Join(h.work, "gocache"):           docs,
		filepath.Join(h.work, "dots", "gitconfig"): filepath.Join(h.dir, ".ssh", "id_rsa"),
		filepath.Join(h.dir, ".gitconfig"):         filepath.Join(h.work, "dots", "gitconfig"),
		filepath.Join(h.work, "dots", "bin"):       filepath.Join(docs, "bin"),
		filepath.Join(h.dir, "bin"):                filepath.Join(h.work, "dots", "bin"),
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	spy := "cat ../docs/secret.txt venv/bin/secret.txt ../docs/bin/tool ../.ssh/id_rsa; ls ../docs; echo x >../docs/planted; exit 1"
	h.put(t, "spy.sh", strings.ReplaceAll(spy, "../", h.dir+"/"))
	h.configure(t, `{"checks":[{"command":"sh spy.sh","files":"**/*.md"}]}`)
	h.env = append(h.env, "PATH="+filepath.Join(h.work, "venv", "bin")+":"+filepath.Join(h.dir, "bin")+":"+os.Getenv("PATH"), "GOCACHE="+filepath.Join(h.work, "gocache"))
	for _, flags := range [][]string{{"--mode", "all"}, {"--mode", "all", "--no-session"}, {"--mode", "edits", "--no-session"}} {
		results := sandboxRunAs(t, h, flags, "shell", shellCall("ls -LR venv"), "shell", shellCall("sh spy.sh"), "write", `{"path":"a.md","content":"a"}`)
		for call, got := range results {
			if strings.Contains(got, "SECRET") || strings.Contains(got, "\nsecret.txt") {
				t.Errorf("%v: %s: %s", flags, call, got)
			}
		}
		if !strings.Contains(results["call_2"], "spy.sh") || !strings.Contains(results["call_2"], "No such file") {
			t.Errorf("%v: the check did not run: %s", flags, results["call_2"])
		}
		if _, err := os.Lstat(filepath.Join(docs, "planted")); err == nil {
			t.Errorf("%v: a command has written to the home directory", flags)
		}
		if err := os.Remove(filepath.Join(h.work, "a.md")); err != nil {
			t.Error(err)
		}
	}
}
