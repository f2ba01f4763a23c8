package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"agent/internal/history"
)

// home is a HOME and a working directory for a program.
type home struct {
	dir, work string
	env       []string
}

// newHome returns an empty home whose working directory holds files.
func newHome(t testing.TB, files map[string]string, env ...string) home {
	t.Helper()
	h := home{dir: t.TempDir()}
	h.work = filepath.Join(h.dir, "src", "shop")
	for name, content := range files {
		path := filepath.Join(h.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(h.work, 0o755); err != nil {
		t.Fatal(err)
	}
	h.env = append([]string{"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "TERM=xterm-256color", "LANG=C.UTF-8"}, env...)
	if _, ok := t.(*testing.T); ok {
		h.env = append([]string{shortLife}, h.env...)
	}
	if runtime.GOOS == "windows" {
		h.env = append(h.env, "USERPROFILE="+h.dir, "LocalAppData="+filepath.Join(h.dir, ".local", "state"), "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return h
}

// shortLife lets a program collect garbage less often, which takes a quarter of the time of one
// that ends soon. A test that measures memory overrides it.
const shortLife = "GOGC=400"

// enter sets the HOME of this process to h.
func (h home) enter(t testing.TB) {
	t.Setenv("HOME", h.dir)
	t.Setenv("USERPROFILE", h.dir) // on Windows
}

// configure writes the configuration of h.
func (h home) configure(t testing.TB, text string) {
	t.Helper()
	path := h.config()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// config returns the path of the configuration file.
func (h home) config() string { return filepath.Join(h.dir, ".config", "agent", "config.json") }

// command returns the program in h, without a terminal.
func (h home) command(args ...string) *exec.Cmd {
	cmd := exec.Command("agent", args...)
	cmd.Dir, cmd.Env = h.work, append(os.Environ(), h.env...)
	return cmd
}

// agent runs the program in h and returns its output and exit code.
func (h home) agent(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := h.command(args...)
	b, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// confirm confirms an item of the repository of h.
func (h home) confirm(t *testing.T, item ...string) {
	t.Helper()
	text, code := h.agent(t, append([]string{"trust", "show"}, item...)...)
	sum := regexp.MustCompile(`(?m)^sha256 ([0-9a-f]{64})$`).FindStringSubmatch(text)
	if code != 0 || sum == nil {
		t.Fatalf("trust show: exit code %d\n%s", code, text)
	}
	if text, code := h.agent(t, append([]string{"trust", "confirm", "--sha256", sum[1]}, item...)...); code != 0 {
		t.Fatalf("trust confirm: exit code %d\n%s", code, text)
	}
}

// read returns the content of a file in h's working directory.
func read(t *testing.T, h home, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.work, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// store returns the session store of h.
func (h home) store() *history.Store {
	return history.Open(filepath.Join(h.dir, ".local", "state", "agent"))
}

// ids returns the IDs of h's sessions, the most recently used first.
func (h home) ids(t testing.TB) []string {
	t.Helper()
	infos, err := h.store().List("")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	return ids
}
