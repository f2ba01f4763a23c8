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
	for _, flags := range [][]string{{"--mode", "all"}, {"--mode", "auto", "--no-session"}} {
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

// A link to a directory of the session's temporary directory that cannot be searched for
// repositories does not stay in the workspace.
func TestLinksToUnreadableDirectories(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root can read every directory")
	}
	h := repository(t)
	temp := h.env[len(h.env)-1][len("TMPDIR="):]
	t.Cleanup(func() {
		dirs, _ := filepath.Glob(filepath.Join(temp, "agent-*/*/tmp/*")) // the pattern is valid
		for _, dir := range dirs {
			_ = os.Chmod(dir, 0o700)
		}
	})
	h.put(t, "link.sh", `at=$(sed -n 's|^[^/]*/[^ ]*/agent-\([^ ]*\) /tmp .*|\1|p' /proc/self/mountinfo)
mkdir -p /tmp/a/r/.git /tmp/b /tmp/c; chmod 311 /tmp/a; chmod 0 /tmp/b
for name in a b c missing; do ln -s "`+temp+`/agent-$at/$name" $name; done
`)
	got := sandboxRunAs(t, h, []string{"--mode", "all"}, "shell", shellCall("sh link.sh"))["call_0"]
	for name, stays := range map[string]bool{"a": false, "b": false, "c": true, "missing": true} {
		to, err := os.Readlink(filepath.Join(h.work, name))
		if (err == nil) != stays || stays && !strings.HasSuffix(to, "/tmp/"+name) {
			t.Errorf("the link %s leads to %q (%v)\n%s", name, to, err, got)
		}
		if strings.Contains(got, "created "+name+", which is protected (it leads to a repository") == stays {
			t.Errorf("%s: the model is told %s", name, got)
		}
	}
}
