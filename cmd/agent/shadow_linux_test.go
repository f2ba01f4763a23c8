package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/caches"
)

// If a directory of the user's PATH is in the workspace, as in an active virtual environment,
// the model cannot put a program there that runs instead of git.
func TestProgramsThatShadowOthers(t *testing.T) {
	t.Parallel()
	const evil = `#!/bin/sh\ntouch OWNED\n`
	for name, calls := range map[string][]string{
		"write":   {`write`, `{"path":".venv/bin/git","content":"` + evil + `"}`},
		"command": {"shell", shellCall("echo touch OWNED >.venv/bin/git")},
		"script":  {"shell", shellCall("sh put.sh")},
		"rename":  {"shell", shellCall("mkdir -p b/bin && echo touch OWNED >b/bin/git && mv .venv old && mv b .venv")},
		"link":    {"shell", shellCall("mkdir t; echo touch OWNED >t/git; rm -r .venv/bin; ln -s ../t .venv/bin")},
		"venv":    {"shell", shellCall("rm -r .venv; mkdir -p .venv/bin; echo touch OWNED >.venv/bin/git")},
		"job":     {"shell", shellCall("mkdir -p b/bin && echo touch OWNED >b/bin/git; mv .venv old; mv b .venv; test ! -e .venv/bin/git || touch OWNED")},
		"closed":  {"shell", shellCall("mkdir b; echo touch OWNED >b/git; chmod 311 b; rm -r .venv/bin; mv b .venv/bin; ls .venv/bin/git && touch OWNED; mv put.sh .venv/bin/git")},
		"desktop": {"shell", shellCall("echo x >.venv/bin/wl-copy; mv put.sh .venv/bin/git")},
	} {
		for _, mode := range []string{"auto", "all"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				h := repository(t)
				h.put(t, ".venv/bin/python3", "")
				h.put(t, "put.sh", "echo touch OWNED >.venv/bin/git\n")
				h.env = append(h.env, "PATH="+filepath.Join(h.work, ".venv/bin")+":"+os.Getenv("PATH"))
				s := serve(t, call(calls[0], calls[1]), say("done"))
				out, _ := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", mode, "go").CombinedOutput()
				for _, name := range []string{".venv/bin/git", ".venv/bin/wl-copy", "OWNED"} {
					if _, err := os.Stat(filepath.Join(h.work, name)); err == nil {
						t.Errorf("%s is there\n%s", name, out)
					}
				}
				if body := s.seen()[1].body; !strings.Contains(body, "because its directory is in your PATH") {
					t.Errorf("the model is not told: %s", body)
				}
			})
		}
	}
}

// Other programs can be put into a directory of the user's PATH, and those that were there before
// can be replaced.
func TestProgramsThatShadowNothing(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, ".venv/bin/git", "old")
	h.env = append(h.env, "PATH="+filepath.Join(h.work, ".venv/bin")+":"+os.Getenv("PATH"))
	const line = "rm -r .venv && mkdir -p .venv/bin && echo new >.venv/bin/git && echo x >.venv/bin/my-own-tool"
	s := serve(t, call("shell", shellCall(line)), call("write", `{"path":".venv/bin/another-tool","content":"x"}`), say("done"))
	out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"git", "my-own-tool", "another-tool"} {
		if got, err := os.ReadFile(filepath.Join(h.work, ".venv/bin", name)); len(got) == 0 || string(got) == "old" {
			t.Errorf("%s: %q (%v)\n%s", name, got, err, out)
		}
	}
}

// A relative entry of PATH names a directory wherever the user stands.
func TestProgramsInRelativeDirectories(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, "sub/tools/bin/x", "")
	h.env = append(h.env, "PATH=./tools/bin:"+os.Getenv("PATH"))
	s := serve(t, call("shell", shellCall("echo touch OWNED >sub/tools/bin/git")), say("done"))
	out, _ := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput()
	if _, err := os.Stat(filepath.Join(h.work, "sub/tools/bin/git")); err == nil {
		t.Errorf("the program is there\n%s", out)
	}
}

// A command that a rule allows may install programs, but the model and the user learn of those
// that run instead of others.
func TestApprovedCommandsReportShadows(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, ".venv/bin/python3", "")
	h.put(t, "put.sh", "echo x >.venv/bin/git\n")
	h.env = append(h.env, "PATH="+filepath.Join(h.work, ".venv/bin")+":"+os.Getenv("PATH"))
	s := serve(t, call("shell", shellCall("sh put.sh")), say("done"))
	out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--allow", "command: sh put.sh", "go").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if body := s.seen()[1].body; !strings.Contains(body, "created .venv/bin/git: it would run instead of another program") {
		t.Errorf("the model is not told: %s", body)
	}
	if !strings.Contains(string(out), ".venv/bin/git hides another program") {
		t.Errorf("the user is not told: %s", out)
	}
}

// A command can write to a cache, but not put programs into a directory of the user's PATH there. What
// it writes without approval stays out of the cache of the user.
func TestProgramsInCaches(t *testing.T) {
	t.Parallel()
	h := repository(t)
	cache := filepath.Join(h.dir, ".npm")
	for _, name := range []string{"tools/bin/mine", "v1/bin/mine"} {
		h.put(t, filepath.Join("../../.npm", name), "#!/bin/sh\n")
	}
	if err := os.MkdirAll(filepath.Join(cache, "links"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../v1", filepath.Join(cache, "links/current")); err != nil {
		t.Fatal(err)
	}
	h.put(t, "put.sh", `cd "$HOME/.npm" || exit
echo x >tools/bin/git
echo x >tools/bin/mine
mv tools old; mkdir -p tools/bin; echo x >tools/bin/git
echo x >v1/bin/git
rm links/current; mkdir -p links/current/bin; echo x >links/current/bin/git
echo written >entry && cat entry
`)
	_, noOverlays := caches.Test(h.dir, []string{cache})
	h.env = append(h.env, "PATH="+filepath.Join(cache, "tools/bin")+":"+filepath.Join(cache, "links/current/bin")+":"+os.Getenv("PATH"))
	for _, allow := range []string{"command: true", "command: sh put.sh"} { // without approval, and by a rule
		s := serve(t, call("shell", shellCall("sh put.sh")), say("done"))
		out, _ := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "--allow", allow, "go").CombinedOutput()
		for _, name := range []string{"tools/bin/git", "v1/bin/git", "links/current/bin/git"} {
			if _, err := os.Stat(filepath.Join(cache, name)); err == nil {
				t.Errorf("%s: %s is there\n%s", allow, name, out)
			}
		}
		if got := readText(t, filepath.Join(cache, "tools/bin/mine")); got == "x\n" {
			t.Errorf("%s: a program is replaced\n%s", allow, out)
		}
		if !strings.Contains(s.seen()[1].body, `\nwritten`) {
			t.Errorf("%s: the cache is not writable\n%s\n%s", allow, out, s.seen()[1].body)
		}
		if _, err := os.Stat(filepath.Join(cache, "entry")); (err == nil) != (allow == "command: sh put.sh" || noOverlays != nil) {
			t.Errorf("%s: %v", allow, err)
		}
		_ = os.Remove(filepath.Join(cache, "entry"))
	}
}
