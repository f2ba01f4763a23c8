package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"agent/internal/sampling"
)

// canary is a home of an unprivileged user, and a key that only the program and its
// server may hold.
type canary struct {
	home
	dir     string // all that the user can write to
	key     string
	user    *syscall.SysProcAttr // nil: as the test itself
	sandbox bool                 // commands run in the sandbox
}

// newCanary returns a canary with programs in its own directory. It drops root
// privileges, because root can read every process.
func newCanary(t *testing.T) canary {
	t.Helper()
	dir, err := os.MkdirTemp("", "canary-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := canary{dir: dir, key: "sk-canary-" + rand.Text()}
	bin := filepath.Join(dir, "bin")
	c.home = home{dir: filepath.Join(dir, "home"), work: filepath.Join(dir, "home", "src", "shop")}
	for _, d := range []string{bin, c.work, filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.env = []string{
		"HOME=" + c.home.dir, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"TMPDIR=" + filepath.Join(dir, "tmp"), "OLLAMA_HOST=http://127.0.0.1:1", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus",
	}
	c.install(t, bin)
	if os.Geteuid() == 0 {
		c.become(t)
	}
	return c
}

// install copies the program to bin, where the user can start it.
func (c canary) install(t *testing.T, bin string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(bin, "agent")
	if err := os.WriteFile(first, content, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agent-with-a-fault", "agent-probe", controlName} {
		if err := os.Link(first, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// become makes the programs run as an unprivileged user who owns the home.
func (c *canary) become(t *testing.T) {
	t.Helper()
	const nobody = 65534
	c.user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	err := filepath.WalkDir(c.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chmod(path, 0o755), os.Chown(path, nobody, nobody))
	})
	if err != nil {
		t.Fatal(err)
	}
	try := exec.Command(filepath.Join(c.dir, "bin", "agent"), "--version")
	try.Env, try.SysProcAttr = c.env, c.user
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("root bypasses the tested protection, and no program can be run as another user: %v %s", err, out)
	}
}

// command returns a program of c.
func (c canary) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.dir, "bin", name), args...)
	cmd.Dir, cmd.Env = c.work, slices.Concat(c.env, env)
	if c.user != nil {
		own := *c.user
		cmd.SysProcAttr = &own
	}
	return cmd
}

// give returns the environment of a program that gets the key, either in a variable or
// from a command that reads a private pipe. It writes the configuration.
func (c canary) give(t *testing.T, source, url string) (env []string) {
	t.Helper()
	env, config := []string{"OPENAI_BASE_URL=" + url}, map[string]any{"sandbox": c.sandbox}
	if source == "environment" {
		env = append(env, "OPENAI_API_KEY="+c.key)
	} else {
		fifo := filepath.Join(c.home.dir, "key-"+rand.Text())
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		c.own(t, fifo)
		config["providers"] = map[string]any{"openai": map[string]any{"key": map[string]any{"command": []string{"cat", fifo}}}}
		go func() { _ = os.WriteFile(fifo, []byte(c.key+"\n"), 0) }() // waits for the reader
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	c.configure(t, string(text))
	c.own(t, filepath.Dir(filepath.Dir(c.config())), filepath.Dir(c.config()), c.config())
	return env
}

// own gives files to the user.
func (c canary) own(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if c.user == nil {
			return
		}
		if err := os.Chown(path, int(c.user.Credential.Uid), int(c.user.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
}

// put writes a file that the user can read.
func (c canary) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.work, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// inspect searches the program and its helpers from outside, as far as root can, and
// returns the number of processes.
func (c canary) inspect(t *testing.T, program int) (helpers int) {
	t.Helper()
	for _, pid := range agentProcesses() {
		name := nameOf(pid)
		if pid == program {
			if c.user != nil && !inMemory(pid, []byte(c.key)) {
				t.Errorf("%s does not seem to hold the key, so nothing is proven of the others", name)
			}
			continue
		}
		if !strings.HasPrefix(name, "agent: ") || !descendsFrom(pid, program) {
			continue
		}
		helpers++
		if where := keptBy(pid, []byte(c.key)); where != nil {
			t.Errorf("%s holds the key: %v", name, where)
		}
	}
	return helpers
}

// descendsFrom reports whether a process descends from another.
func descendsFrom(pid, program int) bool {
	for pid > 1 && pid != program {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, ok := strings.Cut(string(status), "PPid:")
		if err != nil || !ok {
			return false
		}
		if _, err := fmt.Sscan(rest, &pid); err != nil {
			return false
		}
	}
	return pid == program
}

// TestKeysStayInTheProgram gives the program a key, lets commands hunt for it, in the
// sandbox and without one, and searches every place that it could leak to.
func TestKeysStayInTheProgram(t *testing.T) {
	c := newCanary(t)
	places, works := 0, c.sandboxed(t)
	for _, sandbox := range []bool{true, false} {
		for _, source := range []string{"environment", "command"} {
			t.Run(fmt.Sprintf("key from %s, sandbox %t", source, sandbox), func(t *testing.T) {
				if !sampling.Whole() && sandbox == (source == "command") {
					t.Skip("make promises runs it")
				}
				c.sandbox = sandbox
				if sandbox && !works {
					t.Skip("no sandbox works here")
				}
				s := serve(t, call("shell", shellCall(hunt)), say("Found nothing."), call("shell", shellCall(hunt)), begin("A long answer that is under "))
				places += c.headless(t, c.give(t, source, s.URL+"/v1"), s)
				places += c.onScreen(t, c.give(t, source, s.URL+"/v1"))
				places += c.refused(t, source)
				c.export(t)
				places += c.searchFiles(t)
			})
		}
	}
	if !works {
		return
	}
	t.Attr("promise", fmt.Sprintf("no command, in the sandbox or without it, no helper process, file or output gets a key: places searched: %d", places))
}

// sandboxed reports whether any form of the sandbox works for the user.
func (c canary) sandboxed(t *testing.T) bool {
	t.Helper()
	out, _ := c.command(nil, "agent", "doctor", "--offline").CombinedOutput()
	row := regexp.MustCompile(`(?m)^(\S+) +sandbox +(.*)$`).FindSubmatch(out)
	if row == nil {
		t.Fatalf("no sandbox in the report of the doctor: %s", out)
	}
	t.Logf("sandbox: %s", row[2])
	return !bytes.HasPrefix(row[2], []byte("none"))
}

// headless hunts in agent run.
func (c canary) headless(t *testing.T, env []string, s *server) (places int) {
	args := []string{"run", "--mode", "all", "--output", "stream-json", "look"}
	if !c.sandbox {
		args = append(args, "--no-sandbox")
	}
	cmd := c.command(env, "agent", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := func() {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if t.Failed() {
				t.Logf("the output of the program:\n%s", &out)
			}
		})
	}
	c.hunted(t, start, func() {
		helpers := c.inspect(t, cmd.Process.Pid)
		if helpers == 0 {
			t.Error("no helper process was found")
		}
		places += helpers
	})
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	c.lacks(t, "the output", out.Bytes())
	if got := s.seen()[0].key; got != c.key {
		t.Errorf("the server got the key %q, want %q", got, c.key)
	}
	return places + 1
}

// onScreen hunts in a session on the screen that ends with a crash.
func (c canary) onScreen(t *testing.T, env []string) (places int) {
	args := []string{"--mode", "all"}
	if !c.sandbox {
		args = append(args, "--no-sandbox")
	}
	a, err := newTerminal(t, c.command(env, "agent-with-a-fault", args...), 100, 24)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	a.wait("? help")
	c.hunted(t, func() { a.send("look" + enter) }, func() {
		helpers := c.inspect(t, a.cmd.Process.Pid)
		if helpers < 2 {
			t.Errorf("%d helper processes were found, want that of the terminal and that of the command", helpers)
		}
		places += helpers
	})
	a.wait("A long answer that is under")
	a.signal(syscall.SIGUSR1)
	if code := a.exit(); code != 2 {
		t.Errorf("got exit code %d, want 2", code)
	}
	<-a.done
	c.lacks(t, "the terminal", a.raw)
	if report := onlyFault(t, c.home); !strings.Contains(report, "panic: a fault on purpose") {
		t.Errorf("got %q, want the fault", report)
	}
	files, _ := filepath.Glob(filepath.Join(c.home.dir, ".local/state/agent/faults/*"))
	for _, f := range files { // the next run must find only its own report
		c.lacks(t, f, []byte(onlyFault(t, c.home)))
		if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
	return places + 2
}

// refused makes a server reject the key and quote it.
func (c canary) refused(t *testing.T, source string) (places int) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, r.Header.Get("Authorization"))
	}))
	defer s.Close()
	cmd := c.command(c.give(t, source, s.URL+"/v1"), "agent", "run", "talk")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("401")) && !bytes.Contains(bytes.ToLower(out), []byte("key")) {
		t.Errorf("got %v and %s, want that the key is refused", err, out)
	}
	c.lacks(t, "the error", out)
	return 1
}

// export writes the sessions to files in every format.
func (c canary) export(t *testing.T) {
	t.Helper()
	list, err := c.command(nil, "agent", "sessions", "list", "--all").Output()
	rows := strings.Split(strings.TrimSpace(string(list)), "\n")[1:]
	if err != nil || len(rows) < 2 {
		t.Fatalf("got the sessions %q, %v, want at least 2", rows, err)
	}
	for _, row := range rows {
		id := strings.Fields(row)[0]
		for _, format := range []string{"md", "html", "json"} {
			if out, err := c.command(nil, "agent", "sessions", "export", id, "-o", id+"."+format).CombinedOutput(); err != nil {
				t.Errorf("export as %s: %v %s", format, err, out)
			}
		}
	}
}

// searchFiles searches every file that the user owns.
func (c canary) searchFiles(t *testing.T) (files int) {
	t.Helper()
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "bin" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		c.lacks(t, path, b)
		files++
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if files < 8 {
		t.Errorf("only %d files were searched", files)
	}
	return files
}

func (c canary) lacks(t *testing.T, what string, b []byte) {
	t.Helper()
	if bytes.Contains(b, []byte(c.key)) {
		t.Errorf("%s holds the key", what)
	}
}

// TestCommandsMakeUserNamespaces lets a command create a user namespace, which must
// not give it access to the key.
func TestCommandsMakeUserNamespaces(t *testing.T) {
	c := newCanary(t)
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip(err)
	}
	plain := exec.Command("unshare", "-Ur", "true")
	plain.SysProcAttr = c.user
	if out, err := plain.CombinedOutput(); err != nil {
		t.Skipf("this system allows no user namespaces: %v %s", err, out)
	}
	out, err := c.command(nil, "agent", "tool", "--yes", "shell", `{"command":"unshare -Ur id -u"}`).Output()
	if err != nil || !strings.HasPrefix(string(out), "0\n") {
		t.Errorf("got %q, %v, want the id of root in a namespace", out, err)
	}
}
