package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"agent/internal/sampling"
	"agent/internal/tools/shell/sandbox"
)

// watched skips the test if commands cannot be watched in a complete sandbox.
func watched(t *testing.T) {
	t.Helper()
	if r := sandbox.Probe(); r.Form != sandbox.Complete || !r.Notify {
		t.Skip("this system has no complete sandbox that reports file changes by commands")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// newRepository returns a home whose working directory is a repository with changed,
// untracked and ignored files.
func newRepository(t *testing.T) home {
	t.Helper()
	h := newHome(t, map[string]string{
		"main.go": "package main\n", "src/a.go": "a\n", "src/b.go": "b\n", "src/sub/c.go": "c\n", ".gitignore": "build\n*.o\n",
		"build/out": "out\n", "build/lib/out.o": "o\n", "a.o": "a\n", "b.o": "b\n",
	})
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "First"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = h.work, h.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for name, text := range map[string]string{"main.go": "package changed\n", "src/b.go": "changed\n", "new.txt": "new\n", "notes/new.txt": "new\n"} {
		h.put(t, name, text)
	}
	return h
}

// files returns the files of h as tree does, without the index and the logs of git.
func (h home) files(t *testing.T) map[string]string {
	t.Helper()
	all := h.tree(t)
	for name := range all {
		if rest, ok := strings.CutPrefix(name, filepath.Join("src", "shop", ".git")+"/"); ok && (rest == "index" || strings.HasPrefix(rest, "logs") || rest == "ORIG_HEAD") {
			delete(all, name)
		}
	}
	return all
}

// destructive are commands that destroy files and run without approval in mode all.
var destructive = [...]string{
	"rm -rf src", "rm -rf build notes", "rm -r src/sub new.txt", "rm *.o", "cd src && rm -f a.go b.go; rmdir sub", "rm -rf src && mkdir src && touch src/a.go",
	"git clean -fdx", "git clean -fd", "git reset --hard", "git reset --hard HEAD && git clean -fdx && rm -rf build", "git checkout -- .", "git checkout main.go", "git restore .",
	"git checkout -f", "echo x > main.go", ": > src/b.go", "cat src/a.go > main.go", "find . -name '*.go' -delete", "find src -delete", "find . -name '*.txt' -type f -delete",
	"mv main.go new.txt", "mv -f src/a.go main.go && mv src other", "cp src/a.go main.go", "sed -i s/a/x/ main.go src/a.go", "truncate -s 0 main.go", "tee main.go new.txt",
	"chmod -R 700 src && rm -rf build", "bash -c 'rm -rf src; echo x > main.go'", "(rm -rf src) || true", "gzip new.txt", "dd if=/dev/zero of=main.go bs=9 count=1", "ln -sf main.go new.txt",
	"git rm -r --quiet src/a.go", "shred -u new.txt",
}

// TestDestructiveCommandsAreUndone runs commands that destroy files. In the modes auto and
// all they need no approval, and agent undo restores every byte. Unless STORM is set, it
// runs a sample.
func TestDestructiveCommandsAreUndone(t *testing.T) {
	t.Parallel()
	watched(t)
	whole := sampling.Whole()
	for at, mode := range []string{"all", "auto"} {
		for i, command := range destructive {
			if !whole && i%8 != 4*at {
				continue
			}
			t.Run(mode+" "+command, func(t *testing.T) {
				t.Parallel()
				h := newRepository(t)
				before := h.files(t)
				if out, code := h.agent(t, "run", "--mode", mode, "run "+command); code != 0 {
					t.Fatalf("exit code %d: %s", code, out)
				}
				if cmp.Equal(before, h.files(t)) {
					t.Error("the command changed nothing")
				}
				if out, code := h.agent(t, "undo", "--yes"); code != 0 {
					t.Fatalf("undo: exit code %d: %s", code, out)
				}
				if d := cmp.Diff(before, h.files(t)); d != "" {
					t.Errorf("after undo (-before +after):\n%s", d)
				}
			})
		}
	}
	if whole {
		t.Attr("promise", fmt.Sprintf("undo: destructive commands run without approval in the modes auto and all: %d, bytes not restored: 0", 2*len(destructive)))
	}
}

// The sandbox does not let a command that nobody approved destroy what undo cannot restore, whether
// its text shows that or not. Undo restores all other files.
func TestUnrestorableFilesSurvive(t *testing.T) {
	t.Parallel()
	watched(t)
	for _, c := range sampling.List([]struct{ mode, command, want string }{
		{"all", "rm -rf src", `it has several hard links`},
		{"all", "find src -name '*.db' -delete", `it has several hard links`},
		{"auto", "sh clean.sh", `it has several hard links; allow it with --allow 'command: sh clean.sh'`},
		{"all", "find . -path './.git/*' -delete", ""},
		{"auto", "sh git.sh", ""},
		{"all", "sh clean.sh", `it has several hard links`},
		{"all", "make clean", `it has several hard links`},
		{"all", "awk 'BEGIN { printf \"\" > \"src/data.db\" }'", `it is larger than 64 MB`},
		{"auto", "ls -d src/data.* | xargs rm", `it has several hard links`},
		{"all", "for f in src/data.*; do rm $f; done", `it has several hard links`},
		{"all", "sort --o=src/data.db main.go", ""},
		{"all", "tar cf src/data.db main.go", `it is larger than 64 MB`},
		{"all", "git archive -o src/data.db HEAD", `it is larger than 64 MB`},
		{"all", "git bundle create .git/HEAD HEAD", "denied: "},
		{"all", "sh git.sh", ""},
		{"all", "awk 'BEGIN { printf \"\" > \".git/index\" }'", ""},
	}) {
		t.Run(c.mode+" "+c.command, func(t *testing.T) {
			t.Parallel()
			h := newRepository(t)
			h.put(t, "clean.sh", "rm -f src/data.db\n")
			h.put(t, "git.sh", "rm -rf .git/objects .git/refs\n")
			h.put(t, "Makefile", "clean:\n\trm -f src/data.db\n")
			data := filepath.Join(h.work, "src", "data.db")
			if err := os.WriteFile(data, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			err := os.Truncate(data, 65<<20)
			if strings.Contains(c.want, "hard links") || strings.HasPrefix(c.command, "rm") { // undo could keep a large file without a copy
				err = errors.Join(os.Truncate(data, 1), os.Link(data, filepath.Join(filepath.Dir(h.work), "data.db")))
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"branch", "old"}, {"add", "main.go"}} {
				cmd := exec.Command("git", args...)
				cmd.Dir, cmd.Env = h.work, h.env
				if err := cmd.Run(); err != nil {
					t.Fatal(err)
				}
			}
			h.put(t, "main.go", "package again\n")
			before := h.tree(t)
			out, code := h.agent(t, "run", "--mode", c.mode, "run "+c.command)
			if !strings.Contains(out, c.want) || c.want != "" && code != 3 {
				t.Errorf("exit code %d: %s", code, out)
			}
			for name, text := range h.tree(t) {
				if strings.HasSuffix(name, "data.db") && before[name] != text {
					t.Errorf("%s is changed", name)
				}
			}
			undo, _ := h.agent(t, "undo", "--yes") // fails if nothing changed
			after := h.tree(t)
			for name, text := range before {
				if after[name] != text {
					t.Errorf("%s is lost or changed: %s", name, undo)
				}
			}
		})
	}
}

// What a command costs does not grow with the cube of the depth of the directories that it makes,
// and what it reports does not grow with the number of protected files.
func TestCommandsThatMakeManyDirectories(t *testing.T) {
	watched(t)
	t.Parallel()
	h := repository(t)
	h.put(t, "many.sh", "mkdir $(seq -f p%.0f 100)\nfor i in $(seq 100); do : >p$i/.envrc; done\n")
	s := serve(t,
		call("shell", shellCall(`mkdir -p $(printf 'd/%.0s' $(seq 600)) && touch $(printf 'd/%.0s' $(seq 600))x`)),
		call("shell", shellCall(`sh many.sh`)),
		say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := resultFor(t, s, "changes of this kind")
	if n := strings.Count(got, ".envrc"); n == 0 || n > 50 || !strings.Contains(got, "[and 80 more changes of this kind]") {
		t.Errorf("%d paths: %s", n, got)
	}
	if _, err := os.Stat(filepath.Join(h.work, "p100", ".envrc")); err == nil {
		t.Error("a protected file is left")
	}
}

// Undo restores a file that a job changes until the session ends, and that a command changes
// meanwhile: nobody else has changed it.
func TestUndoOfAJobAndACommand(t *testing.T) {
	watched(t)
	t.Parallel()
	h := repository(t)
	h.put(t, "job.sh", "while :; do echo $((n += 1)) >both; echo $n >own; done\n")
	h.put(t, "both", "precious\n")
	h.put(t, "own", "precious\n")
	s := serve(t,
		call("jobs", `{"action":"start","command":"sh job.sh"}`),
		call("shell", shellCall(`for i in $(seq 50); do echo command $i >both; done`)),
		say("One turn is done."), call("shell", shellCall(`echo command >both`)), say("done"))
	run := func(args ...string) {
		if out, err := h.command(append([]string{"run", "--model", "openai/m", "--base-url", s.URL + "/v1", "--mode", "auto"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run("go")
	run("--continue", "more")
	out, code := h.agent(t, "undo", "--yes", "--turns", "2")
	for _, name := range []string{"both", "own"} {
		if got := readText(t, filepath.Join(h.work, name)); got != "precious\n" {
			t.Errorf("%s is %q; exit code %d\n%s", name, got, code, out)
		}
	}
}

// What a job writes to a file that it has open belongs to the turn during which that happens, also
// while the session ends. What others write to a file that the job has closed is a conflict.
func TestUndoOfFilesThatAJobHasOpen(t *testing.T) {
	watched(t)
	t.Parallel()
	h := repository(t)
	h.put(t, "job.sh", "exec 3>own\ntrap 'echo last >&3; exit' TERM\necho first >&3\necho job >closed\n: >ready\nwhile :; do sleep 1 & wait; done\n")
	h.put(t, "own", "precious\n")
	h.put(t, "closed", "precious\n")
	s := serve(t,
		call("jobs", `{"action":"start","command":"sh job.sh"}`), call("shell", shellCall(`until [ -e ready ]; do :; done`)),
		say("One turn is done."), say("done"))
	f := startFrontEndIn(t, h.work, h.env, "--base-url", s.URL+"/v1", "--mode", "auto")
	for range 2 {
		f.send(`{"type":"prompt","text":"go"}`)
		f.until("result")
	}
	h.put(t, "closed", "user\n")
	if code := f.end(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	got := []string{read(t, h, "own")}
	var out string
	for range 2 {
		more, _ := h.agent(t, "undo", "--yes")
		out += more
		got = append(got, read(t, h, "own"))
	}
	if d := cmp.Diff([]string{"first\nlast\n", "first\n", "precious\n"}, got); d != "" {
		t.Errorf("own (-want +got):\n%s\n%s", d, out)
	}
	if got := read(t, h, "closed"); got != "user\n" {
		t.Errorf("closed is %q\n%s", got, out)
	}
}

// A command that nobody approved cannot change extended attributes, by which it could change
// permissions that undo does not know.
func TestExtendedAttributesOfUnapprovedCommands(t *testing.T) {
	watched(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	t.Parallel()
	h := repository(t)
	h.put(t, "acl.py", `import os, struct
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, 6, 0xffffffff) for tag in (1, 4, 32))
try:
    os.setxattr("Makefile", "system.posix_acl_access", acl)
except OSError as e:
    print(e.strerror)
`)
	before, err := os.Stat(filepath.Join(h.work, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, call("shell", shellCall("python3 acl.py")), call("shell", shellCall("cp -a Makefile copy && ls copy")), say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	after, err := os.Stat(filepath.Join(h.work, "Makefile"))
	if err != nil || after.Mode() != before.Mode() {
		t.Errorf("the mode is %v, %v", after.Mode(), err)
	}
	if got := resultFor(t, s, "Operation not supported"); !strings.Contains(got, "[exit 0]") {
		t.Errorf("the command: %s", got)
	}
	if got := resultFor(t, s, "copy"); got != "copy\n[exit 0]\n" {
		t.Errorf("the copy: %s", got)
	}
}

// Undo keeps the access control list and the extended attributes of a file, and restores those of a
// removed file. It does not restore those of a removed directory: the group gets no more permissions
// than the list gave it.
func TestUndoOfFilesWithAccessControlLists(t *testing.T) {
	watched(t)
	t.Parallel()
	h := newHome(t, map[string]string{"changed": "mine\n", "removed": "mine\n", "d/x": "x\n"})
	list := "\x02\x00\x00\x00" // read and write for the owner and user 1234
	for _, e := range []string{"\x01\x00\x06", "\x02\x00\x06", "\x04\x00\x00", "\x10\x00\x06", "\x20\x00\x00"} {
		id := "\xff\xff\xff\xff"
		if e[0] == 2 {
			id = "\xd2\x04\x00\x00"
		}
		list += e + "\x00" + id
	}
	in := func(name string) string { return filepath.Join(h.work, name) }
	for _, name := range []string{"changed", "removed", "d"} {
		for attribute, value := range map[string]string{"system.posix_acl_access": strings.ReplaceAll(list, "\x06", "\x07"), "user.note": "precious"} {
			if err := unix.Setxattr(in(name), attribute, []byte(value), 0); err != nil {
				t.Skip(err)
			}
		}
	}
	s := serve(t, call("shell", shellCall("echo evil > changed; rm -r removed d")), say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, code := h.agent(t, "undo", "--yes")
	value := make([]byte, 100)
	for _, name := range []string{"changed", "removed"} {
		if n, err := unix.Getxattr(in(name), "user.note", value); err != nil || string(value[:n]) != "precious" {
			t.Errorf("the attribute of %s is %q, %v", name, value[:max(n, 0)], err)
		}
	}
	for name, want := range map[string]os.FileMode{"changed": 0o770, "removed": 0o770, "d": os.ModeDir | 0o700} {
		info, err := os.Stat(in(name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	if code != 1 || !strings.Contains(out, "d: it was restored, but its access control list could not be") || read(t, h, "changed")+read(t, h, "removed")+read(t, h, "d/x") != "mine\nmine\nx\n" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// Files that git ignores, that one command made and a later one changed or removed, are undone
// without a conflict.
func TestUndoOfIgnoredFilesOfSeveralCommands(t *testing.T) {
	watched(t)
	h := newRepository(t)
	before := h.worktree(t)
	s := serve(t,
		call("shell", shellCall("mkdir -p build/new && touch build/new/a && echo x >build/new/b && echo y >c.o")),
		call("shell", shellCall("rm -rf build/new")),
		call("shell", shellCall("echo z >>c.o")),
		say("done"))
	if out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go"); code != 0 {
		t.Fatal(out)
	}
	out, code := h.agent(t, "undo", "--yes", "--ignored")
	if code != 0 || strings.Contains(out, "conflict") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if d := cmp.Diff(before, h.worktree(t)); d != "" {
		t.Errorf("the files (-before +after undo):\n%s", d)
	}
}
