package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// always selects the standing permission in a permission dialog.
const always = "2"

// TestProtectedPathsInASession checks that no mode lets the model write protected
// paths in the home directory, and that no tool reads the permissions key.
func TestProtectedPathsInASession(t *testing.T) {
	t.Parallel()
	names := []string{
		".config/agent/config.json", ".local/state/agent/permissions.key", ".local/state/agent/planted", ".ssh/authorized_keys", ".bashrc",
		".zshrc", "bare.git/hooks/post-receive", "bare.git/config", ".github/workflows/ci.yml", "notes.txt", ".config/fish/config.fish", ".BASHRC",
	}
	broken := 0
	for _, mode := range []string{"auto", "all"} {
		t.Run(mode, func(t *testing.T) {
			h, answers := newHome(t, nil), []answer{}
			h.work = h.dir
			for _, dir := range []string{"bare.git/objects", "bare.git/refs"} {
				if err := os.MkdirAll(filepath.Join(h.dir, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(h.dir, "bare.git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(".bashrc", filepath.Join(h.dir, "notes.txt")); err != nil {
				t.Skip(err)
			}
			for _, name := range names {
				answers = append(answers, call("write", `{"path":`+quote(name)+`,"content":"planted"}`), say("I could not."))
			}
			answers = append(answers, call("read", `{"path":".local/state/agent/permissions.key"}`), say("No."))
			s := serve(t, append(answers, call("write", `{"path":"plain.txt","content":"fine"}`), say("Done."))...)
			h.env = append(h.env, at(s)...)
			for _, name := range names {
				want := exit.Denied
				if strings.HasSuffix(name, "permissions.key") { // no approval allows it
					want = exit.Done
				}
				if out, code := h.agent(t, "run", "--mode", mode, "write "+name); code != want {
					t.Errorf("%s: got exit code %d and %s", name, code, out)
				}
				if b, err := os.ReadFile(filepath.Join(h.dir, name)); strings.Contains(string(b), "planted") {
					broken++
					t.Errorf("%s was written: %q, %v", name, b, err)
				}
				body := lastBody(t, s)
				if !strings.Contains(body, "is protected: ") && !strings.Contains(body, "tools cannot read or change it") {
					t.Errorf("%s: the model did not get the reason: %s", name, body[max(0, len(body)-600):])
				}
			}
			if err := os.WriteFile(filepath.Join(h.dir, ".local", "state", "agent", "permissions.key"), []byte("a key of thirty-two bytes, so so"), 0o600); err != nil {
				t.Fatal(err)
			}
			h.agent(t, "run", "--mode", mode, "read the key")
			if body := lastBody(t, s); !strings.Contains(body, "tools cannot read or change it") {
				t.Errorf("the key: %s", body[max(0, len(body)-600):])
			}
			h.agent(t, "run", "--mode", mode, "write a plain file")
			if got := read(t, h, "plain.txt"); got != "fine" {
				t.Errorf("got %q in a plain file", got)
			}
		})
	}
	t.Attr("promise", fmt.Sprintf("protected paths written by agent run in the home directory, in modes auto and all: %d of %d", broken, 2*len(names)))
}

// TestProtectedLinksInASession protects paths behind symlinks, by every name, in
// all tools that change files.
func TestProtectedLinksInASession(t *testing.T) {
	names := []string{".vscode/launch.json", "conf/tasks.json", ".husky/pre-commit", "hk/pre-commit", ".envrc", "env.sh", "sub/.vscode/tasks.json", "team/hook"}
	broken := 0
	for _, mode := range []string{"auto", "all"} {
		for _, name := range names {
			s := serve(t, call("write", `{"path":`+quote(name)+`,"content":"planted"}`), say("I could not."))
			h := newHome(t, map[string]string{"conf/x": "", "hk/x": "", "deep/x": "", "team/x": "", ".git/hooks/x": ""}, at(s)...)
			for link, target := range map[string]string{".vscode": "conf", ".husky": "hk", ".envrc": "env.sh", "sub/.vscode": "../deep", ".git/hooks/pre-push": "../../team/hook"} {
				link = filepath.Join(h.work, link)
				if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, link); err != nil {
					t.Skip(err)
				}
			}
			out, _ := h.agent(t, "run", "--mode", mode, "write it")
			if b, err := os.ReadFile(filepath.Join(h.work, name)); err == nil {
				broken++
				t.Errorf("%s: %s was written: %q", mode, name, b)
			}
			if !strings.Contains(lastBody(t, s), " is protected: ") || !strings.Contains(out, "denied: ") || strings.Contains(out, "denied: denied") {
				t.Errorf("%s: %s: got %s", mode, name, out)
			}
		}
	}
	t.Attr("promise", fmt.Sprintf("protected paths written by agent run through links of a repository, in modes auto and all: %d of %d", broken, 2*len(names)))
}

// TestProtectedPathAsksInModeAll asks for a protected path in mode all, with the
// reason and without a standing permission.
func TestProtectedPathAsksInModeAll(t *testing.T) {
	t.Parallel()
	s := serve(t, call("write", `{"path":".envrc","content":"x\n"}`), say("Done."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30, "--mode", "all")
	a.wait("? help")
	a.send("write it" + enter)
	a.asked(".envrc is protected: direnv runs it when you enter the directory")
	a.send("3")
	a.wait("Done.")
	if _, err := os.Stat(filepath.Join(h.work, ".envrc")); err == nil {
		t.Error("it was written")
	}
}

// TestStandingPermissionInASession applies a standing permission in its session, but not
// in a run without a user or in a fork.
func TestStandingPermissionInASession(t *testing.T) {
	t.Parallel()
	write := func(name string) answer { return call("write", `{"path":"`+name+`","content":"one\n"}`) }
	s := serve(t, write("notes.txt"), write("more.txt"), say("Written."), write("again.txt"), say("Written again."), write("headless.txt"), say("Refused."), write("fork.txt"), say("Not written."))
	h := newHome(t, nil, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("? help")
	a.send("write" + enter)
	a.asked("Create notes.txt?", "all edits in this session")
	a.send(always)
	a.wait("Written.", "? help")
	a.send("\x03\x03")
	a.exit()
	id := h.ids(t)[0]

	a = h.open(t, 100, 30, "--continue")
	a.wait("Always allowed in this session: all edits.")
	a.send("again" + enter)
	a.wait("Written again.", "? help")
	a.send("\x03\x03")
	a.exit()

	if out, _ := h.agent(t, "run", "--resume="+id, "write"); !strings.Contains(out, "1 permission of this session does not apply in non-interactive mode") || !strings.Contains(lastBody(t, s), "nobody can approve it in this run") {
		t.Errorf("headless: %s", out)
	}

	a = h.open(t, 100, 30, "--resume", id, "--fork")
	a.wait("1 permission of the original session does not apply in this fork.")
	a.send("write" + enter)
	a.asked("Create fork.txt?")
	a.send("3")
	a.wait("Not written.", "? help")
	a.send("\x03\x03")
	a.exit()

	info, err := os.Stat(filepath.Join(h.dir, ".local", "state", "agent", "permissions.key"))
	if err != nil || info.Mode() != 0o600 || info.Size() != 32 {
		t.Errorf("got the key %v, %v", info, err)
	}
}
